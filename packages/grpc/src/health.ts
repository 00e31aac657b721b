/**
 * The standard gRPC health service: messages, and the service definition for `createGrpcClient`.
 *
 * @module
 */
export * from './generated/grpc/health/v1/health.ts'
