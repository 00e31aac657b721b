/**
 * The Geyser service: messages, and the service definition for `createGrpcClient`.
 *
 * @module
 */
export * from './generated/geyser.ts'
