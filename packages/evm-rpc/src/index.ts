export { FairleadError, isRetryable } from '@fairlead/core'
export {
  createEvmClient,
  type EvmClient,
  type EvmClientOptions,
  type EvmRequest,
  type MethodName,
  type MethodParams,
  type MethodResult,
} from './client.ts'
export type * from './generated/index.ts'
