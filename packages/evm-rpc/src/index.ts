export {
  type BasicCredential,
  type CallOptions,
  type ErrorCode,
  type ErrorDetails,
  FairleadError,
  isRetryable,
  type TokenCredential,
} from '@fairlead/core'
export { createEvmClient, type EvmClient, type EvmClientOptions } from './client.ts'
export type { EvmRequest, MethodName, MethodParams, MethodResult } from './method-types.ts'
export type * from './generated/index.ts'
export type * from './transport.ts'
export {
  http,
  type HttpRpcTransport,
  type HttpTransportOptions,
  type NodeTransportOptions,
} from './transports/http.ts'
export type { KeepAliveOptions } from './transports/keep-alive.ts'
export type { WebSocketClass, WebSocketConnection } from './transports/socket.ts'
export {
  type ReconnectOptions,
  webSocket,
  type WebSocketOptions,
  type WebSocketTransport,
} from './transports/web-socket.ts'
export { getAllLogs, getLogs, type GetLogsOptions } from './logs/get-logs.ts'
export { decodeRevert, type Revert } from './revert.ts'
export type { BlockPosition, FollowOptions } from './streams/follow.ts'
export type { BufferOptions } from './streams/queue.ts'
export type { StreamSource } from './streams/source.ts'
export type { Stream, StreamOptions } from './streams/stream.ts'
export {
  listen,
  subscribe,
  type SubscribeOptions,
  type SubscriptionHandlers,
  type SubscriptionKind,
} from './streams/subscribe.ts'
export {
  type BlockEvent,
  type BlockForms,
  watchBlocks,
  type WatchBlocksOptions,
} from './streams/watch-blocks.ts'
export {
  type LogEvent,
  type LogFilter,
  type LogPosition,
  type MinedLog,
  watchLogs,
  type WatchLogsOptions,
} from './streams/watch-logs.ts'
export {
  assertAddress,
  assertBytes,
  assertHash32,
  assertQuantity,
  isAddress,
  isBytes,
  isHash32,
  isHex,
  isQuantity,
} from './values/guards.ts'
export { fromBytes, toBigInt, toBytes, toNumber, toQuantity } from './values/hex.ts'
export { batch, type BatchOptions } from './transports/batch.ts'
export { fallback, type FallbackOptions } from './transports/fallback.ts'
export { quorum, type QuorumOptions } from './transports/quorum.ts'
export type { RankOptions } from './transports/ranking.ts'
export { rateLimit, type RateLimitOptions } from './transports/rate-limit.ts'
export { retry, type RetryOptions } from './transports/retry.ts'
export { createProvider, type Eip1193Provider, type ProviderEvents } from './provider.ts'
export { ProviderRpcError } from './provider-error.ts'
