/**
 * The Geyser service of Solana: messages, including those of transactions and blocks, and the definition for
 * `createGrpcClient`.
 *
 * @module
 */
export * from './generated/geyser.ts'
export { Timestamp } from './generated/google/protobuf/timestamp.ts'
export * from './generated/solana-storage.ts'
