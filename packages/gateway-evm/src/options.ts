import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

/** Options that only EVM JSON-RPC reads. */
export const evmOptions = {
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
  headPollMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_HEAD_POLL_MS',
    description:
      'How often a node that is used is asked for its head, in milliseconds; one with a WebSocket tells its subscribers of news itself.',
    fallback: 1_000,
    minimum: 50,
    maximum: 600_000,
  },
  upstreamHedges: {
    kind: 'boolean',
    environment: 'FAIRLEAD_UPSTREAM_HEDGES',
    description:
      'Whether a second upstream of a node is asked as well when the first one takes longer than it mostly does; for one call in twenty at most.',
    fallback: true,
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
    reload: true,
  },
  cacheHeadMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_CACHE_HEAD_MS',
    description:
      'How long an answer about the newest block may be kept while that is the newest, in milliseconds; 0 keeps none.',
    fallback: 0,
    minimum: 0,
    maximum: 60_000,
    reload: true,
  },
  maxBatchItems: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_BATCH_ITEMS',
    description: 'Most calls in one JSON-RPC batch.',
    fallback: 1_000,
    minimum: 1,
    maximum: 100_000,
    reload: true,
  },
  maxLogRange: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_LOG_RANGE',
    description: 'Most blocks that one query for logs may span; 0 for any number.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    reload: true,
  },
  maxWebSocketCalls: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBSOCKET_CALLS',
    description: 'Most calls in flight on one WebSocket; the next one is read when one has been answered.',
    fallback: 64,
    minimum: 1,
    maximum: 100_000,
    reload: true,
  },
  maxWebSocketSubscriptions: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBSOCKET_SUBSCRIPTIONS',
    description: 'Most subscriptions on one WebSocket.',
    fallback: 1_024,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxWebSocketsPerCredential: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBSOCKETS_PER_CREDENTIAL',
    description: 'Maximum number of WebSockets that one credential may have open in one process.',
    fallback: 256,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxSubscriptionsPerCredential: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_SUBSCRIPTIONS_PER_CREDENTIAL',
    description: 'Maximum number of subscriptions on all WebSockets of one credential in one process.',
    fallback: 4_096,
    minimum: 1,
    maximum: 10_000_000,
    reload: true,
  },
  maxUnfilteredLogsPerCredential: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_UNFILTERED_LOGS_PER_CREDENTIAL',
    description:
      'Maximum number of subscriptions of one credential in one process to logs that name neither an address nor a topic; each receives every log.',
    fallback: 64,
    minimum: 1,
    maximum: 10_000_000,
    reload: true,
  },
  webSocketPingMs: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_WEBSOCKET_PING_MS',
    description: 'How often WebSocket clients are pinged, in milliseconds; two without an answer end one.',
    fallback: 30_000,
    minimum: 100,
    maximum: 3_600_000,
  },
} as const satisfies OptionGroup
