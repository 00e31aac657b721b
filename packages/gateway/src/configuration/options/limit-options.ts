import { unitTables } from '../../access/meter/units.ts'
import type { Option } from './option.ts'

/** How much of what there may be. */
export const limitOptions = {
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
  units: {
    kind: 'enum',
    environment: 'FAIRLEAD_UNITS',
    description: 'Units that a call costs: flat for one each, weighted for two where a node has to trace.',
    values: unitTables,
    fallback: 'flat',
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
  maxLogRange: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_LOG_RANGE',
    description: 'Most blocks that one query for logs may span; 0 for any number.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    reload: true,
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
} as const satisfies Readonly<Record<string, Option>>
