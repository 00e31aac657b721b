/**
 * The EVM JSON-RPC methods as data: parameters and JSON Schemas, for servers, validators and documentation.
 *
 * @module
 */
export * from './generated/contract.ts'
export type { Methods } from './generated/index.ts'
