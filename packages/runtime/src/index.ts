export { Cancellation, type CancellationSignal, type CancellationListener } from './cancellation.ts'
export { type Completion, promised, settleWith } from './completion.ts'
export { runDetached } from './detached.ts'
export { FairQueue, type QueuedItem, type StartOutcome } from './fair-queue.ts'
export {
  type ExceededLimit,
  FairShares,
  networkOf,
  type OpenShare,
  type Owner,
  type Share,
  type Tenant,
  tenantOfAddress,
  type Visitor,
} from './fair-shares.ts'
export { attributeTick, type TickSource, watchLongTicks } from './long-ticks.ts'
export { createLruCache } from './lru-cache.ts'
export { RehashingMap } from './rehashing-map.ts'
export {
  guarded,
  guardedImmediate,
  guardedInterval,
  type ErrorSource,
  type EventArguments,
  guardedTimeout,
  reportUnexpected,
  type UnexpectedError,
  unexpectedErrors,
} from './unexpected-errors.ts'
export { waitUntil } from './wait-until.ts'
