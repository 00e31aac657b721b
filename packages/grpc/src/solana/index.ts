export { decodeBase58, encodeBase58 } from './base58.ts'
export { createCuckooFilter, type CuckooFilterOptions, matchesCuckooFilter } from './cuckoo/cuckoo-filter.ts'
export type {
  AccountCondition,
  AccountFilter,
  BlockFilter,
  DataSlice,
  EmptyFilter,
  GeyserFilters,
  LamportsCondition,
  Memcmp,
  Named,
  SlotFilter,
  TransactionFilter,
} from './filters/geyser-filters.ts'
export { toSubscribeRequest } from './filters/to-request.ts'
export type { Checkpoint, CheckpointStore } from './subscription/checkpoint.ts'
export type { GeyserCallOptions, GeyserCalls } from './subscription/connection.ts'
export type { ForkNotice, GeyserNotice } from './subscription/notice.ts'
export type { GeyserSubscriptionOptions, ReconnectOptions } from './subscription/options.ts'
export {
  type GeyserSubscription,
  type FilterKind,
  type GeyserUpdate,
  subscribeGeyser,
} from './subscription/subscribe-geyser.ts'
export { encodeTransaction } from './transaction/encode-transaction.ts'
export {
  decodeTransactionError,
  encodeTransactionError,
  type InstructionError,
  type TransactionFailure,
} from './transaction/transaction-error.ts'
export {
  type AccountKey,
  accountKeys,
  type InstructionView,
  instructions,
  type LamportChange,
  lamportChanges,
  logMessages,
  type OuterInstructionView,
  type TokenBalanceChange,
  tokenBalanceChanges,
  type TransactionInfo,
} from './transaction/transaction-views.ts'
