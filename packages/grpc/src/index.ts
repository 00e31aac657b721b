export { FairleadError, isRetryable } from '@fairlead/core'
export {
  createHttp2Transport,
  type Http2TransportOptions,
  type Metadata,
  type MetadataValue,
  type ServiceDefinition,
  Status,
  type StatusCode,
  statusName,
  type Transport,
} from '@fairlead/grpc-transport'
export type { GrpcSettings, SharedTransport } from './calls/connection.ts'
export { type GrpcStatusDetails, statusDetails } from './calls/status-details.ts'
export type { GrpcCallOptions, GrpcClient, GrpcClientMethod, GrpcStream, Requests } from './calls/types.ts'
export { createGrpcClient, type GrpcClientOptions } from './client.ts'
export { waitUntilServing } from './health/wait-until-serving.ts'
export {
  createReflectionClient,
  type ReflectionCallOptions,
  type ReflectionClient,
  type ReflectionClientOptions,
} from './reflection/client.ts'
