/**
 * The beacon node REST API as data: routes, JSON Schemas and operation types.
 *
 * @module
 */
export { document, type operations, routes, schemas, specVersion } from './generated/index.ts'
