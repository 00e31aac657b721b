/**
 * The Geyser service of Solana: messages, those of transactions and blocks included, and the definition for
 * `createGrpcClient`.
 *
 * @module
 */
export * from './generated/geyser.ts'
export { Timestamp } from './generated/google/protobuf/timestamp.ts'
export * from './generated/solana-storage.ts'
