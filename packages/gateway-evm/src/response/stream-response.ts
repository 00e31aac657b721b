import type { UpstreamResponse } from './upstream-response.ts'
import { malformed } from './rpc-errors.ts'
import { unavailable, type UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { HttpContext } from '@fairlead/gateway-core/http/http-context'
import { streamBody } from '@fairlead/gateway-core/http/stream-body'

/**
 * Streams an upstream's JSON-RPC response to the client.
 *
 * @param upstreamResponse - not yet read
 * @param http - no part of its response has been sent yet
 * @throws {@link UpstreamError} when the response fails before its first byte, or is not a JSON object; nothing has
 * been sent then
 * @returns as {@link streamBody}
 */
export function streamResponse(
  { body, contentLength }: UpstreamResponse,
  http: HttpContext,
): Promise<'complete' | 'client disconnected' | UpstreamError> {
  const { response, signal } = http
  return streamBody(body, response, {
    begin: (first) => {
      if (!first || !/^\s*\{/.test(first.subarray(0, 64).toString('latin1'))) throw malformed()
      http.reserveStream()
      response.statusCode = 200
      response.setHeader('content-type', 'application/json')
      if (contentLength !== undefined) response.setHeader('content-length', contentLength)
    },
    failureOf: (error) => unavailable(error, signal),
    sent: (bytes) => (http.bytesOut += bytes),
    turn: (units) => http.turn(units),
  })
}
