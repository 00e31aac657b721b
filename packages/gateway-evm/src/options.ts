import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

/** Options that only EVM JSON-RPC reads. */
export const evmOptions = {
  evmUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_EVM_UPSTREAM',
    description:
      'HTTP URL of the EVM upstream; several URLs of one chain are separated by spaces; credentials in URLs are never shown.',
    form: {
      pattern: /^\s*https?:\/\/[^\s/]\S*(?:\s+https?:\/\/[^\s/]\S*)*\s*$/,
      rule: 'one or several http or https URLs, separated by spaces',
    },
    reload: true,
  },
  evmWebSocketUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_EVM_WEBSOCKET_UPSTREAM',
    description:
      'WebSocket URL of the EVM upstream, for subscriptions; several URLs are separated by spaces; without a URL, the gateway polls.',
    form: {
      pattern: /^\s*wss?:\/\/[^\s/]\S*(?:\s+wss?:\/\/[^\s/]\S*)*\s*$/,
      rule: 'one or several ws or wss URLs, separated by spaces',
    },
    reload: true,
  },
  headPollMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_HEAD_POLL_MS',
    description:
      'Polling interval of the chain head of active nodes, in milliseconds; subscriptions use the upstream WebSocket instead when configured.',
    fallback: 1_000,
    minimum: 50,
    maximum: 600_000,
  },
  upstreamHedges: {
    kind: 'boolean',
    environment: 'FAIRLEAD_UPSTREAM_HEDGES',
    description: 'Send a slow call to a second upstream as well (hedging), for at most 5% of the calls.',
    fallback: true,
    reload: true,
  },
  upstreamLogRange: {
    kind: 'integer',
    environment: 'FAIRLEAD_UPSTREAM_LOG_RANGE',
    description:
      'Maximum block range of a log query to an upstream; queries over longer ranges are split; 0 = unlimited.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    reload: true,
  },
  cacheHeadMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_CACHE_HEAD_MS',
    description:
      'Maximum cache time of responses for the latest block, in milliseconds; a new block ends it earlier; 0 = no cache.',
    fallback: 0,
    minimum: 0,
    maximum: 60_000,
    reload: true,
  },
  maxBatchItems: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_BATCH_ITEMS',
    description: 'Maximum number of calls in a JSON-RPC batch.',
    fallback: 1_000,
    minimum: 1,
    maximum: 100_000,
    reload: true,
  },
  maxLogRange: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_LOG_RANGE',
    description: 'Maximum block range of a log query from a client; 0 = unlimited.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    reload: true,
  },
  maxWebSocketCalls: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBSOCKET_CALLS',
    description: 'Maximum number of calls in flight per WebSocket; further calls are read after a response.',
    fallback: 64,
    minimum: 1,
    maximum: 100_000,
    reload: true,
  },
  maxWebSocketSubscriptions: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBSOCKET_SUBSCRIPTIONS',
    description: 'Maximum number of subscriptions per WebSocket.',
    fallback: 1_024,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxWebSocketsPerCredential: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBSOCKETS_PER_CREDENTIAL',
    description: 'Maximum number of open WebSockets per credential and process.',
    fallback: 256,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxSubscriptionsPerCredential: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_SUBSCRIPTIONS_PER_CREDENTIAL',
    description: 'Maximum number of WebSocket subscriptions per credential and process.',
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
      'Maximum number of log subscriptions without any address or topic filter, per credential and process.',
    fallback: 64,
    minimum: 1,
    maximum: 10_000_000,
    reload: true,
  },
  webSocketPingMs: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_WEBSOCKET_PING_MS',
    description:
      'Interval of WebSocket pings, in milliseconds; a connection is closed after two pings without a response.',
    fallback: 30_000,
    minimum: 100,
    maximum: 3_600_000,
  },
} as const satisfies OptionGroup
