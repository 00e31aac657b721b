import type { Server, ServerOptions } from 'node:http'

/** How much a connection of HTTP/1.1 may ask of node:http, and how long it may take. */
export const httpLimits = {
  maxHeaderSize: 16_384,
  // From the first byte of a request to the last of its header fields, and to the last of its body.
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 60_000,
  requireHostHeader: true,
} as const satisfies ServerOptions

/**
 * Lets a server see every header field. Node drops those beyond a number without a word, such as the one that a proxy
 * added last; how many there can be the size of all of them limits.
 */
export function seeAllHeaders<server extends Server>(server: server): server {
  server.maxHeadersCount = 0
  return server
}
