/**
 * The methods of the services as data, for servers and proxies, without messages and clients.
 *
 * @module
 */
export * from './generated/contract.ts'
