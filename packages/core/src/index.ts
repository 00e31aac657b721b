export { type NodeAddress, nodeAddress, type NodeProtocol } from './address.ts'
export type {
  Chain,
  JsonSchema,
  Method,
  Parameter,
  Route,
  RouteResponse,
  SubscriptionKind,
} from './contract.ts'
export {
  basicAuthorization,
  type BasicCredential,
  type BearerCredential,
  type Credential,
  type NodeCredential,
  secretsOf,
  type TokenCredential,
  type XTokenCredential,
} from './credential.ts'
export type { AttemptDetails, ErrorCode, ErrorDetails } from './error-details.ts'
export { FairleadError } from './error.ts'
export { type FailoverCall, type FailoverOptions, sendWithFailover } from './failover.ts'
export {
  type CallOptions,
  createHttpTransport,
  type HttpCall,
  type HttpOptions,
  type HttpTransport,
} from './http-transport.ts'
export { hasNeverConnected } from './never-connected.ts'
export { newHealth, type NodeHealth, recordFailure } from './node-health.ts'
export { pause } from './pause.ts'
export { redact, redactJson } from './redact.ts'
export { longestMs, requireNumber } from './require-number.ts'
export { createRestFetch, type RestResult, unwrap } from './rest.ts'
export { isRetryable, isRetryableStatus } from './retryable.ts'
export { createTokenBucket, type TokenBucket } from './token-bucket.ts'
