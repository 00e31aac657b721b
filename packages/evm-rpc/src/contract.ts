/**
 * The EVM JSON-RPC methods as data: parameters and JSON Schemas, for servers, validators and documentation.
 *
 * @module
 */
export { document, methods, type Methods, schemas, specVersion } from './generated/index.ts'
