import type { CancellationSignal } from '@fairlead/http1'
import type { UpstreamResponse } from '../upstream/upstream-response.ts'
import { malformed } from '../upstream/rpc-errors.ts'
import { unavailable, type UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { HttpResponse } from '@fairlead/gateway-core/http/types'
import { streamBody } from '@fairlead/gateway-core/http/stream-body'

/**
 * Passes a node's JSON-RPC answer on as it comes.
 *
 * @param answer - not yet read
 * @param response - nothing was sent on it so far
 * @param signal - what the exchange runs under
 * @param sent - hears how many bytes were sent
 * @throws {@link UpstreamError} when the answer fails before its first byte, or is no JSON object; nothing was sent then
 * @returns as {@link streamBody}
 */
export function streamResponse(
  { body, contentLength }: UpstreamResponse,
  response: HttpResponse,
  signal: CancellationSignal,
  sent?: (bytes: number) => void,
): Promise<'complete' | 'client gone' | UpstreamError> {
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
