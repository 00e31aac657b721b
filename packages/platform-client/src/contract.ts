/**
 * The platform API as data: routes, JSON Schemas and operation types, for servers, validators and documentation.
 *
 * @module
 */
export { document, type operations, routes, schemas, specVersion } from './generated/index.ts'
