import type { CancellationSignal } from '@fairlead/runtime'
import type { UpstreamResponse } from '../upstream/upstream-response.ts'
import { malformed } from '../upstream/rpc-errors.ts'
import { unavailable, type UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { HttpResponse } from '@fairlead/gateway-core/http/types'
import { streamBody } from '@fairlead/gateway-core/http/stream-body'

/**
 * Streams an upstream's JSON-RPC response to the client.
 *
 * @param upstreamResponse - not yet read
 * @param response - no part of it has been sent yet
 * @param signal - cancellation signal of the exchange
 * @param sent - called with the number of bytes sent
 * @throws {@link UpstreamError} when the response fails before its first byte, or is not a JSON object; nothing has
 * been sent then
 * @returns as {@link streamBody}
 */
export function streamResponse(
  { body, contentLength }: UpstreamResponse,
  response: HttpResponse,
  signal: CancellationSignal,
  sent?: (bytes: number) => void,
): Promise<'complete' | 'client disconnected' | UpstreamError> {
  return streamBody(body, response, {
    begin: (first) => {
      if (!first || !/^\s*\{/.test(first.subarray(0, 64).toString('latin1'))) throw malformed()
      response.statusCode = 200
      response.setHeader('content-type', 'application/json')
      if (contentLength !== undefined) response.setHeader('content-length', contentLength)
    },
    failureOf: (error) => unavailable(error, signal),
    sent,
  })
}
