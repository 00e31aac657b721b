/**
 * Both API families of TON (the jetton chain) as data: routes, methods and JSON Schemas.
 *
 * @module
 */
export * as v2 from './generated/jetton-v2/index.ts'
export * as v2Rpc from './generated/jetton-v2-rpc/index.ts'
export * as v3 from './generated/jetton-v3/index.ts'
