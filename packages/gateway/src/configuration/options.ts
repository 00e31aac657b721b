/** How the text of an option is read. */
export type OptionKind = 'string' | 'integer' | 'boolean' | 'url' | 'secret' | 'enum'

/** One option: where it comes from, what it may be and what it is for. */
export interface Option {
  readonly kind: OptionKind
  readonly environment: string
  readonly description: string
  readonly fallback?: string | number | boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly values?: readonly string[]
  /** What a text must look like, and how to say so; the rule ends the sentence "must be". */
  readonly form?: { readonly pattern: RegExp; readonly rule: string }
}

/**
 * Every option of the service. The same names stand in the configuration file; the environment wins over the file.
 * `fairlead --help` and the reference page are written from this table.
 */
export const options = {
  host: {
    kind: 'string',
    environment: 'FAIRLEAD_HOST',
    description: 'Address to listen on. Anything but loopback makes the service reachable from outside.',
    fallback: '127.0.0.1',
  },
  port: {
    kind: 'integer',
    environment: 'FAIRLEAD_PORT',
    description: 'Port to listen on; 0 takes a free one.',
    fallback: 8645,
    minimum: 0,
    maximum: 65_535,
  },
  publicUrl: {
    kind: 'url',
    environment: 'FAIRLEAD_PUBLIC_URL',
    description: 'Address under which clients reach the service; links in answers start with it.',
  },
  requireHttps: {
    kind: 'boolean',
    environment: 'FAIRLEAD_REQUIRE_HTTPS',
    description: 'Refuse platform requests over plain HTTP that do not come from loopback.',
    fallback: true,
  },
  trustProxy: {
    kind: 'boolean',
    environment: 'FAIRLEAD_TRUST_PROXY',
    description: 'Believe the X-Forwarded-Proto and X-Forwarded-For headers of the proxy in front.',
    fallback: false,
  },
  dataDirectory: {
    kind: 'string',
    environment: 'FAIRLEAD_DATA_DIRECTORY',
    description: 'Folder for the embedded database and the embedded chains.',
    fallback: '.fairlead',
  },
  databaseUrl: {
    kind: 'secret',
    environment: 'DATABASE_URL',
    description: 'PostgreSQL connection string; without it an embedded database is used.',
    form: {
      pattern: /^postgres(ql)?:\/\/\S+$/,
      rule: 'a URL of the form postgresql://user@host:port/database',
    },
  },
  evmUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_EVM_UPSTREAM',
    description:
      'HTTP address of the EVM node to stand in front of. It may hold credentials and is never shown.',
    form: { pattern: /^https?:\/\/[^\s/]\S*$/, rule: 'an http or https URL' },
  },
  evmWebSocketUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_EVM_WEBSOCKET_UPSTREAM',
    description:
      'WebSocket address of the same EVM node, for subscriptions; without it the node is asked for news.',
    form: { pattern: /^wss?:\/\/[^\s/]\S*$/, rule: 'a ws or wss URL' },
  },
  network: {
    kind: 'string',
    environment: 'FAIRLEAD_NETWORK',
    description: 'Network name of the node that the first start creates.',
    fallback: 'mainnet',
  },
  nodeCorsOrigin: {
    kind: 'string',
    environment: 'FAIRLEAD_NODE_CORS_ORIGIN',
    description: 'Origin that browsers may call nodes from; * for any.',
    fallback: '*',
    form: { pattern: /^(\*|https?:\/\/[\w.:[\]-]+)$/, rule: '* or an origin such as https://app.example' },
  },
  nodeDomain: {
    kind: 'string',
    environment: 'FAIRLEAD_NODE_DOMAIN',
    description: 'When set, <node-id>.<domain> reaches a node, and the credential must belong to it.',
    form: { pattern: /^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*$/, rule: 'a domain name such as nodes.example' },
  },
  maxBodyBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_BODY_BYTES',
    description: 'Longest request body in bytes.',
    fallback: 1_048_576,
    minimum: 1_024,
    maximum: 104_857_600,
  },
  maxBatchItems: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_BATCH_ITEMS',
    description: 'Most calls in one JSON-RPC batch.',
    fallback: 1_000,
    minimum: 1,
    maximum: 100_000,
  },
  maxHeldBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_HELD_BYTES',
    description: 'Most bytes of answers that are held whole at a time, as those of batches are.',
    fallback: 536_870_912,
    minimum: 1_048_576,
  },
  upstreamTimeoutMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_UPSTREAM_TIMEOUT_MS',
    description: 'How long a node may take to answer, in milliseconds.',
    fallback: 30_000,
    minimum: 100,
    maximum: 600_000,
  },
  maxLogRange: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_LOG_RANGE',
    description: 'Most blocks that one query for logs may span; 0 for any number.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000_000,
  },
  headPollMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_HEAD_POLL_MS',
    description:
      'How often a node without a WebSocket is asked for news while somebody subscribes, in milliseconds.',
    fallback: 1_000,
    minimum: 50,
    maximum: 600_000,
  },
  maxWebSocketCalls: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBSOCKET_CALLS',
    description: 'Most calls in flight on one WebSocket; the next one is read when one has been answered.',
    fallback: 64,
    minimum: 1,
    maximum: 100_000,
  },
  maxWebSocketSubscriptions: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBSOCKET_SUBSCRIPTIONS',
    description: 'Most subscriptions on one WebSocket.',
    fallback: 1_024,
    minimum: 1,
    maximum: 1_000_000,
  },
  maxWebSocketBufferBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBSOCKET_BUFFER_BYTES',
    description: 'Most bytes that wait for a WebSocket client that reads slowly, before it is closed.',
    fallback: 16_777_216,
    minimum: 65_536,
    maximum: 1_073_741_824,
  },
  webSocketPingMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_WEBSOCKET_PING_MS',
    description: 'How often WebSocket clients are pinged, in milliseconds; two without an answer end one.',
    fallback: 30_000,
    minimum: 100,
    maximum: 3_600_000,
  },
  probeNodes: {
    kind: 'boolean',
    environment: 'FAIRLEAD_PROBE_NODES',
    description:
      'Call every method of every node once a day, changing nothing, to know which ones it offers.',
    fallback: true,
  },
  metricsToken: {
    kind: 'secret',
    environment: 'FAIRLEAD_METRICS_TOKEN',
    description: 'Bearer token for /metrics; without it only loopback may read them.',
  },
  logLevel: {
    kind: 'enum',
    environment: 'FAIRLEAD_LOG_LEVEL',
    description: 'Least severe log line that is written; unless given, info for serve and warn for dev.',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
  },
} as const satisfies Readonly<Record<string, Option>>

export type OptionName = keyof typeof options

type Value<option extends Option> = option['kind'] extends 'integer'
  ? number
  : option['kind'] extends 'boolean'
    ? boolean
    : string

/** The configuration of one service, parsed and frozen. */
export type Configuration = Readonly<{
  [name in OptionName]:
    | Value<(typeof options)[name]>
    | ((typeof options)[name] extends { fallback: unknown } ? never : undefined)
}>
