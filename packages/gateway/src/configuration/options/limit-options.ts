import { unitTables } from '@fairlead/gateway-core/usage/units'
import type { Option } from '@fairlead/gateway-core/protocol/option'

/** Limits and budgets. */
export const limitOptions = {
  requestsPerSecond: {
    kind: 'integer',
    environment: 'FAIRLEAD_REQUESTS_PER_SECOND',
    description: 'Default rate limit of a credential, in calls per second; 0 = unlimited.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000,
    reload: true,
  },
  maxConcurrentCalls: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CONCURRENT_CALLS',
    description: 'Default maximum number of concurrent calls per credential; further calls are queued.',
    fallback: 1_000,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxTotalConcurrentCalls: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_TOTAL_CONCURRENT_CALLS',
    description:
      'Maximum number of concurrent calls of all credentials per process, shared by organization; further calls are queued; at most one for each 64 KiB of maxHeldBytes.',
    fallback: 10_000,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxQueuedCalls: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_QUEUED_CALLS',
    description:
      'Maximum number of queued calls of all credentials, shared by organization; further calls are rejected immediately.',
    fallback: 10_000,
    minimum: 0,
    maximum: 1_000_000,
    reload: true,
  },
  queueMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_QUEUE_MS',
    description: 'Maximum time in the queue before a call is rejected, in milliseconds.',
    fallback: 5_000,
    minimum: 1,
    maximum: 600_000,
    reload: true,
  },
  maxUnknownCredentials: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_UNKNOWN_CREDENTIALS',
    description:
      'Maximum number of unknown credentials per client IP address and minute before 429 responses; valid credentials are not affected.',
    fallback: 60,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  units: {
    kind: 'enum',
    environment: 'FAIRLEAD_UNITS',
    description:
      'Request units per call: flat = 1 for every call, weighted = 2 for tracing calls and 1 for all others.',
    values: unitTables,
    fallback: 'flat',
  },
  maxBodyBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_BODY_BYTES',
    description:
      'Maximum request body size of JSON-RPC and the jetton chain API, in bytes; a raw transaction with six blobs must fit.',
    fallback: 5_242_880,
    minimum: 1_024,
    maximum: 104_857_600,
  },
  maxHeldBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_HELD_BYTES',
    description:
      'Resident memory for what clients make each process hold, in bytes; 0 = half of the heap limit, at most a quarter of the memory.',
    fallback: 0,
    minimum: 0,
  },
  maxWebSocketBufferBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBSOCKET_BUFFER_BYTES',
    description:
      'Maximum size of unsent data per WebSocket or event stream before the connection is closed, in bytes.',
    fallback: 16_777_216,
    minimum: 65_536,
    maximum: 1_073_741_824,
  },
} as const satisfies Readonly<Record<string, Option>>
