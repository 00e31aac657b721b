import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { UpstreamAnswer } from '../forward/upstream-answer.ts'
import { RpcFailure } from '../json-rpc/rpc-failure.ts'
import { unavailable, unreadable } from '../forward/upstream-failure.ts'

/**
 * Passes a node's answer on as it comes, without holding or parsing it.
 *
 * @param answer - not yet read
 * @param response - nothing was sent on it so far
 * @param signal - what the exchange runs under
 * @throws {@link RpcFailure} when the answer fails before its first byte, or is no JSON object; nothing was sent then
 * @returns how it ended; unless all is well the client's connection is broken off, as half a result must not look whole
 */
export async function streamAnswer(
  { body, contentLength }: UpstreamAnswer,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<'complete' | 'client gone' | RpcFailure> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const next = () =>
    chunks.next().catch((error: unknown) => {
      throw response.destroyed ? error : unavailable(error, signal)
    })
  const first = await next()
  if (first.done || !/^\s*\{/.test(first.value.subarray(0, 64).toString('latin1'))) {
    body.destroy()
    throw unreadable()
  }
  response.statusCode = 200
  response.setHeader('content-type', 'application/json')
  if (contentLength !== undefined) response.setHeader('content-length', contentLength)
  async function* whole() {
    for (let chunk = first; !chunk.done; chunk = await next()) yield chunk.value
  }
  try {
    await pipeline(whole, response)
    return 'complete'
  } catch (error) {
    // The pipeline has broken off the response already.
    body.destroy()
    return error instanceof RpcFailure ? error : 'client gone'
  }
}
