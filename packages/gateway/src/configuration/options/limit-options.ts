import { unitTables } from '@fairlead/gateway-core/usage/units'
import type { Option } from '@fairlead/gateway-core/protocol/option'

/** How much of what there may be. */
export const limitOptions = {
  requestsPerSecond: {
    kind: 'integer',
    environment: 'FAIRLEAD_REQUESTS_PER_SECOND',
    description: 'Calls that a credential without a rate of its own may make in a second; 0 for any number.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000,
    reload: true,
  },
  maxConcurrentCalls: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CONCURRENT_CALLS',
    description:
      'Calls of a credential without such a limit of its own that are answered at a time; more of them wait.',
    fallback: 1_000,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxQueuedCalls: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_QUEUED_CALLS',
    description: 'Calls of all credentials that may wait for a place; more are refused at once.',
    fallback: 10_000,
    minimum: 0,
    maximum: 1_000_000,
    reload: true,
  },
  queueMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_QUEUE_MS',
    description: 'How long a call may wait for a place before it is refused, in milliseconds.',
    fallback: 5_000,
    minimum: 1,
    maximum: 600_000,
    reload: true,
  },
  maxUnknownCredentials: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_UNKNOWN_CREDENTIALS',
    description:
      'Unknown credentials that one address may send in a minute before they are answered with 429; known ones always pass.',
    fallback: 60,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
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
    description:
      'Longest request body of JSON-RPC and of the jetton chain API in bytes; a raw transaction with six blobs has to fit.',
    fallback: 5_242_880,
    minimum: 1_024,
    maximum: 104_857_600,
  },
  maxHeldBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_HELD_BYTES',
    description:
      'Maximum total size of buffered request bodies and responses, such as those of batches, in bytes; one credential gets half. Beside it, JSON-RPC requests that are still arriving hold at most 32 MiB.',
    fallback: 536_870_912,
    minimum: 1_048_576,
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
} as const satisfies Readonly<Record<string, Option>>
