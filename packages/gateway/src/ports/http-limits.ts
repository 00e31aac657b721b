import type { Server, ServerOptions } from 'node:http'

/** Size limits and timeouts of an HTTP/1.1 connection in node:http. */
export const httpLimits = {
  maxHeaderSize: 16_384,
  // From the first byte of a request to the last byte of its header fields, and to the last byte of its body.
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 2_000,
  requireHostHeader: true,
} as const satisfies ServerOptions

/**
 * Lets a server receive every header field. Node.js silently drops the fields beyond a maximum number, such as the one
 * that a proxy added last. The limit on their total size also limits their number.
 */
export function removeHeaderCountLimit<server extends Server>(server: server): server {
  server.maxHeadersCount = 0
  return server
}
