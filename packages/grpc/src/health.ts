/**
 * The standard health service of gRPC: messages, and the definition for `createGrpcClient`.
 *
 * @module
 */
export * from './generated/grpc/health/v1/health.ts'
