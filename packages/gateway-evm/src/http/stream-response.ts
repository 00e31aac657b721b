import type { CancellationSignal } from '@fairlead/http1'
import type { UpstreamAnswer } from '../upstream/upstream-response.ts'
import { unreadable } from '../upstream/rpc-errors.ts'
import { unavailable, type UpstreamFailure } from '@fairlead/gateway-core/upstream/upstream-error'
import type { ClientResponse } from '@fairlead/gateway-core/http/types'
import { streamBody } from '@fairlead/gateway-core/http/stream-body'

/**
 * Passes a node's JSON-RPC answer on as it comes.
 *
 * @param answer - not yet read
 * @param response - nothing was sent on it so far
 * @param signal - what the exchange runs under
 * @param sent - hears how many bytes were sent
 * @throws {@link UpstreamFailure} when the answer fails before its first byte, or is no JSON object; nothing was sent then
 * @returns as {@link streamBody}
 */
export function streamAnswer(
  { body, contentLength }: UpstreamAnswer,
  response: ClientResponse,
  signal: CancellationSignal,
  sent?: (bytes: number) => void,
): Promise<'complete' | 'client gone' | UpstreamFailure> {
  return streamBody(body, response, {
    begin: (first) => {
      if (!first || !/^\s*\{/.test(first.subarray(0, 64).toString('latin1'))) throw unreadable()
      response.statusCode = 200
      response.setHeader('content-type', 'application/json')
      if (contentLength !== undefined) response.setHeader('content-length', contentLength)
    },
    failureOf: (error) => unavailable(error, signal),
    sent,
  })
}
