export { FairleadError, isRetryable } from '@fairlead/core'
export { createEvmClient, type EvmClient, type EvmClientOptions } from './client.ts'
export type { EvmRequest, MethodName, MethodParams, MethodResult } from './method-types.ts'
export type * from './generated/index.ts'
