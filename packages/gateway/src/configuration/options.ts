import { unitTables } from '../access/meter/units.ts'
import { secretKeyForm, secretKeyRule } from '../credentials/sealing.ts'

/** How the text of an option is read. */
export type OptionKind = 'string' | 'integer' | 'number' | 'boolean' | 'url' | 'secret' | 'enum'

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
  /** Set on an option that a running service takes over when it is told to read its configuration again. */
  readonly reload?: boolean
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
  tlsPort: {
    kind: 'integer',
    environment: 'FAIRLEAD_TLS_PORT',
    description: 'Port for TLS beside the other one, for HTTP and for gRPC; 0 takes a free one.',
    minimum: 0,
    maximum: 65_535,
  },
  tlsCertificateFile: {
    kind: 'string',
    environment: 'FAIRLEAD_TLS_CERTIFICATE_FILE',
    description:
      'PEM file with the certificate of the TLS port and those between it and the root; a changed one is taken over.',
  },
  tlsKeyFile: {
    kind: 'string',
    environment: 'FAIRLEAD_TLS_KEY_FILE',
    description: 'PEM file with the private key of the certificate; a changed one is taken over.',
  },
  processes: {
    kind: 'integer',
    environment: 'FAIRLEAD_PROCESSES',
    description:
      'Processes that serve on the same ports; 0 takes one for each core. More than one need PostgreSQL.',
    fallback: 1,
    minimum: 0,
    maximum: 256,
  },
  drainDelayMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_DRAIN_DELAY_MS',
    description:
      'How long a service that is told to stop goes on serving while /readyz says 503, in milliseconds.',
    fallback: 0,
    minimum: 0,
    maximum: 600_000,
  },
  maxConnections: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CONNECTIONS',
    description: 'Most connections of clients to one process; 0 for any number.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000,
  },
  maxConnectionsPerAddress: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CONNECTIONS_PER_ADDRESS',
    description:
      'Most connections of one address to one process, that of a proxy included; 0 for any number.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000,
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
    description:
      'Believe what the headers X-Forwarded-For and X-Forwarded-Proto of proxies on this machine and in private networks say.',
    fallback: false,
  },
  trustedProxies: {
    kind: 'string',
    environment: 'FAIRLEAD_TRUSTED_PROXIES',
    description:
      'Addresses and CIDR ranges of the proxies that are believed instead of those, with commas between, such as 10.0.0.0/8,2001:db8::/32.',
    form: {
      pattern: /^[\da-fA-F:.]+(?:\/\d{1,3})?(?:[\s,]+[\da-fA-F:.]+(?:\/\d{1,3})?)*$/,
      rule: 'addresses or CIDR ranges with commas between',
    },
  },
  dataDirectory: {
    kind: 'string',
    environment: 'FAIRLEAD_DATA_DIRECTORY',
    description: 'Folder for the embedded database and the embedded chains.',
    fallback: '.fairlead',
  },
  developmentChains: {
    kind: 'enum',
    environment: 'FAIRLEAD_DEVELOPMENT_CHAINS',
    description: 'Embedded chains that the development mode runs.',
    values: ['all', 'evm', 'beacon', 'jetton', 'solana'],
    fallback: 'all',
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
  secretKey: {
    kind: 'secret',
    environment: 'FAIRLEAD_SECRET_KEY',
    description:
      'Key that upstream addresses are sealed with in the database, 32 bytes as 64 hex digits or in base64; without it the file secret.key of the data directory is used, and made.',
    form: { pattern: secretKeyForm, rule: secretKeyRule },
  },
  units: {
    kind: 'enum',
    environment: 'FAIRLEAD_UNITS',
    description: 'Units that a call costs: flat for one each, weighted for two where a node has to trace.',
    values: unitTables,
    fallback: 'flat',
  },
  valkeyUrl: {
    kind: 'secret',
    environment: 'FAIRLEAD_VALKEY_URL',
    description:
      'Address of the Valkey or Redis that all replicas share for limits and answers; rediss:// for TLS. Without it each goes by itself.',
    form: {
      pattern: /^rediss?:\/\/\S+$/,
      rule: 'a URL of the form redis://user:password@host:port/number',
    },
  },
  requestsPerSecond: {
    kind: 'integer',
    environment: 'FAIRLEAD_REQUESTS_PER_SECOND',
    description: 'Calls that a credential without a rate of its own may make in a second; 0 for any number.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000,
  },
  maxConcurrentCalls: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CONCURRENT_CALLS',
    description:
      'Calls of a credential without such a limit of its own that are answered at a time; more of them wait.',
    fallback: 1_000,
    minimum: 1,
    maximum: 1_000_000,
  },
  maxQueuedCalls: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_QUEUED_CALLS',
    description: 'Calls of all credentials that may wait for a place; more are refused at once.',
    fallback: 10_000,
    minimum: 0,
    maximum: 1_000_000,
  },
  queueMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_QUEUE_MS',
    description: 'How long a call may wait for a place before it is refused, in milliseconds.',
    fallback: 5_000,
    minimum: 1,
    maximum: 600_000,
  },
  maxUnknownCredentials: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_UNKNOWN_CREDENTIALS',
    description:
      'Unknown credentials that one address may send in a minute before they are answered with 429; known ones always pass.',
    fallback: 60,
    minimum: 1,
    maximum: 1_000_000,
  },
  evmUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_EVM_UPSTREAM',
    description:
      'HTTP address of the EVM node to stand in front of, or several of one chain with spaces between. They may hold credentials and are never shown.',
    form: {
      pattern: /^\s*https?:\/\/[^\s/]\S*(?:\s+https?:\/\/[^\s/]\S*)*\s*$/,
      rule: 'one or several http or https URLs with spaces between',
    },
    reload: true,
  },
  evmWebSocketUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_EVM_WEBSOCKET_UPSTREAM',
    description:
      'WebSocket address of the same EVM node, or several, for subscriptions; without it the node is asked for news.',
    form: {
      pattern: /^\s*wss?:\/\/[^\s/]\S*(?:\s+wss?:\/\/[^\s/]\S*)*\s*$/,
      rule: 'one or several ws or wss URLs with spaces between',
    },
    reload: true,
  },
  beaconUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_BEACON_UPSTREAM',
    description:
      'HTTP address of the beacon node to stand in front of, or several of one network with spaces between. They may hold credentials and are never shown.',
    form: {
      pattern: /^\s*https?:\/\/[^\s/]\S*(?:\s+https?:\/\/[^\s/]\S*)*\s*$/,
      rule: 'one or several http or https URLs with spaces between',
    },
    reload: true,
  },
  jettonUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_JETTON_UPSTREAM',
    description:
      'HTTP address of the jetton node to stand in front of, below which its /api/v2 and /api/v3 lie. It may hold credentials and is never shown.',
    form: { pattern: /^https?:\/\/[^\s/]\S*$/, rule: 'an http or https URL' },
    reload: true,
  },
  jettonV3Upstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_JETTON_V3_UPSTREAM',
    description:
      'HTTP address of the index over the same chain, below which /api/v3 lies; without it the jetton node is asked.',
    form: { pattern: /^https?:\/\/[^\s/]\S*$/, rule: 'an http or https URL' },
    reload: true,
  },
  grpcUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_GRPC_UPSTREAM',
    description:
      'Address of the gRPC node to stand in front of, as https://x-token:SECRET@host where it asks for metadata. It is never shown.',
    form: {
      pattern: /^https?:\/\/[^\s/]+\/?$/,
      rule: 'an http or https URL without a path, such as https://x-token:SECRET@node.example',
    },
    reload: true,
  },
  ownHttpFront: {
    kind: 'boolean',
    environment: 'FAIRLEAD_OWN_HTTP_FRONT',
    description:
      'Read ordinary JSON-RPC requests over HTTP/1.1 without node:http, in a fraction of the time.',
    fallback: true,
  },
  beaconDebug: {
    kind: 'boolean',
    environment: 'FAIRLEAD_BEACON_DEBUG',
    description: 'Offer the debug endpoints of the beacon node API, whose answers can be very large.',
    fallback: true,
    reload: true,
  },
  network: {
    kind: 'string',
    environment: 'FAIRLEAD_NETWORK',
    description: 'Network name of the node that the first start creates.',
    fallback: 'mainnet',
    reload: true,
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
    description: 'Longest request body of JSON-RPC and of the jetton chain API in bytes.',
    fallback: 1_048_576,
    minimum: 1_024,
    maximum: 104_857_600,
  },
  maxBeaconBodyBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_BEACON_BODY_BYTES',
    description: 'Longest request body of the beacon node API in bytes; a block with its blobs has to fit.',
    fallback: 16_777_216,
    minimum: 1_024,
    maximum: 268_435_456,
  },
  maxBatchItems: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_BATCH_ITEMS',
    description: 'Most calls in one JSON-RPC batch.',
    fallback: 1_000,
    minimum: 1,
    maximum: 100_000,
    reload: true,
  },
  maxHeldBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_HELD_BYTES',
    description:
      'Most bytes of answers that are held whole at a time, as those of batches are, and as many of bodies of requests.',
    fallback: 536_870_912,
    minimum: 1_048_576,
  },
  maxGrpcCalls: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_GRPC_CALLS',
    description: 'Most gRPC calls and streams that one credential may have open at a time.',
    fallback: 1_000,
    minimum: 1,
    maximum: 1_000_000,
  },
  maxStalledGrpcCalls: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_STALLED_GRPC_CALLS',
    description:
      'Most gRPC streams whose clients do not read, each of which holds up to 2 MiB; beyond it, the one that stalled first is ended.',
    fallback: 256,
    minimum: 1,
    maximum: 100_000,
  },
  grpcRules: {
    kind: 'string',
    environment: 'FAIRLEAD_GRPC_RULES',
    description:
      'Rules for gRPC methods, with spaces between: a path, which may end with *, then =deny, =allow, or limits for each credential such as =100/s,20.',
  },
  upstreamTimeoutMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_UPSTREAM_TIMEOUT_MS',
    description: 'How long a node may take to answer, in milliseconds.',
    fallback: 30_000,
    minimum: 100,
    maximum: 600_000,
  },
  upstreamHedges: {
    kind: 'boolean',
    environment: 'FAIRLEAD_UPSTREAM_HEDGES',
    description:
      'Whether a second upstream of a node is asked as well when the first one takes longer than it mostly does; for one call in twenty at most.',
    fallback: true,
  },
  maxLogRange: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_LOG_RANGE',
    description: 'Most blocks that one query for logs may span; 0 for any number.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    reload: true,
  },
  upstreamLogRange: {
    kind: 'integer',
    environment: 'FAIRLEAD_UPSTREAM_LOG_RANGE',
    description:
      'Most blocks that a node is asked for logs of at once; a longer query is asked in parts. 0 for any number.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000_000,
  },
  cacheBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_CACHE_BYTES',
    description:
      'Memory for answers of EVM nodes that are kept because they do not change any more, in each process; 0 keeps none.',
    fallback: 67_108_864,
    minimum: 0,
    maximum: 68_719_476_736,
  },
  cacheHeadMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_CACHE_HEAD_MS',
    description:
      'How long an answer about the newest block may be kept while that is the newest, in milliseconds; 0 keeps none.',
    fallback: 0,
    minimum: 0,
    maximum: 60_000,
  },
  headPollMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_HEAD_POLL_MS',
    description:
      'How often a node that is used is asked for its head, in milliseconds; one with a WebSocket tells its subscribers of news itself.',
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
    description:
      'Most bytes that wait for a client of a WebSocket or event stream that reads slowly, before it is closed.',
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
  revealCredentials: {
    kind: 'boolean',
    environment: 'FAIRLEAD_REVEAL_CREDENTIALS',
    description:
      'Keep the secrets of node credentials encrypted, so that the platform API can show them again; otherwise only their hashes.',
    fallback: true,
  },
  privateUpstreams: {
    kind: 'boolean',
    environment: 'FAIRLEAD_PRIVATE_UPSTREAMS',
    description:
      'Whether upstreams in private networks and on this machine may be given to nodes through the platform API.',
    fallback: true,
  },
  privateWebhookTargets: {
    kind: 'boolean',
    environment: 'FAIRLEAD_PRIVATE_WEBHOOK_TARGETS',
    description:
      'Send events to webhooks in private networks and on this machine too, and over plain HTTP. Whoever may make a webhook then reaches those.',
    fallback: false,
  },
  oidcIssuer: {
    kind: 'string',
    environment: 'FAIRLEAD_OIDC_ISSUER',
    description:
      'Address of the OpenID Connect provider that members may sign in to the console through, as its tokens name it; needs oidcClientId.',
    form: {
      pattern: /^(https:\/\/[^\s?#@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/[^\s?#@]*)?)$/,
      rule: 'an https address, or http on loopback',
    },
  },
  oidcClientId: {
    kind: 'string',
    environment: 'FAIRLEAD_OIDC_CLIENT_ID',
    description:
      'What this service is called at the provider. There its redirect address is /v1/session/oidc/callback/ below publicUrl.',
  },
  oidcClientSecret: {
    kind: 'secret',
    environment: 'FAIRLEAD_OIDC_CLIENT_SECRET',
    description: 'Secret of this service at the provider; without it the client is a public one.',
  },
  oidcName: {
    kind: 'string',
    environment: 'FAIRLEAD_OIDC_NAME',
    description: 'What the console calls the provider.',
    fallback: 'your identity provider',
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
    reload: true,
  },
  tracingEndpoint: {
    kind: 'secret',
    environment: 'FAIRLEAD_TRACING_ENDPOINT',
    description:
      'Address that traces are sent to, OTLP over HTTP, such as http://collector:4318/v1/traces; without it none are made.',
    form: { pattern: /^https?:\/\/\S+$/, rule: 'an http:// or https:// address' },
  },
  tracingRatio: {
    kind: 'number',
    environment: 'FAIRLEAD_TRACING_RATIO',
    description: 'Share of requests that are traced though their clients do not ask for it, from 0 to 1.',
    fallback: 0.01,
    minimum: 0,
    maximum: 1,
  },
  logRequests: {
    kind: 'enum',
    environment: 'FAIRLEAD_LOG_REQUESTS',
    description:
      'Requests that get a log line at the level info: failed for those with a status of 500 and above.',
    values: ['all', 'failed', 'none'],
    fallback: 'failed',
  },
  logLevel: {
    kind: 'enum',
    environment: 'FAIRLEAD_LOG_LEVEL',
    description: 'Least severe log line that is written; unless given, info for serve and warn for dev.',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
    reload: true,
  },
} as const satisfies Readonly<Record<string, Option>>

export type OptionName = keyof typeof options

type Value<option extends Option> = option['kind'] extends 'integer' | 'number'
  ? number
  : option['kind'] extends 'boolean'
    ? boolean
    : option extends { readonly values: readonly (infer value)[] }
      ? value
      : string

/** The configuration of one service, parsed and frozen. */
export type Configuration = Readonly<{
  [name in OptionName]:
    | Value<(typeof options)[name]>
    | ((typeof options)[name] extends { fallback: unknown } ? never : undefined)
}>
