/**
 * The methods of the services as data, for servers and proxies: no message, no client.
 *
 * @module
 */
export * from './generated/contract.ts'
