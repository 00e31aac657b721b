export { FairleadError, isRetryable } from '@fairlead/core'
export {
  createGrpcClient,
  type GrpcCallOptions,
  type GrpcClient,
  type GrpcClientOptions,
  type ServiceDefinition,
} from './client.ts'
