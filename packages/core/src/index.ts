export { type NodeAddress, nodeAddress, type NodeProtocol } from './address.ts'
export type { Chain, JsonSchema, Method, Parameter, Route, SubscriptionKind } from './contract.ts'
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
export {
  type AttemptContext,
  type ErrorCode,
  type ErrorContext,
  FairleadError,
  isRetryable,
  isRetryableStatus,
} from './error.ts'
export {
  type CallOptions,
  createHttpTransport,
  type HttpCall,
  type HttpOptions,
  type HttpTransport,
} from './http-transport.ts'
export { redact, redactJson } from './redact.ts'
export { createRestFetch, type RestResult, unwrap } from './rest.ts'
