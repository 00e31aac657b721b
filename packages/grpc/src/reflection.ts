/**
 * Server reflection: messages, and the definitions of both versions for `createGrpcClient`.
 *
 * @module
 */
export * from './generated/grpc/reflection/v1/reflection.ts'
export { ServerReflectionDefinition as ServerReflectionV1AlphaDefinition } from './generated/grpc/reflection/v1alpha/reflection.ts'
