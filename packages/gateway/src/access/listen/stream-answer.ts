import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { UpstreamAnswer } from '../forward/upstream.ts'
import { unavailable, unreadable } from '../forward/upstream-failure.ts'

/**
 * Passes a node's answer on as it comes, without holding or parsing it.
 *
 * @param answer - not yet read
 * @param response - nothing was sent on it so far
 * @param signal - what the exchange runs under
 * @throws {@link RpcFailure} when the answer fails before its first byte, or is no JSON object; nothing was sent then
 * @returns false when it broke off later: the client's connection is broken off too, as half a result must not look whole
 */
export async function streamAnswer(
  { body, contentLength }: UpstreamAnswer,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<boolean> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await chunks.next().catch((error: unknown) => Promise.reject(unavailable(error, signal)))
  if (first.done || !/^\s*\{/.test(first.value.subarray(0, 64).toString('latin1'))) {
    body.destroy()
    throw unreadable()
  }
  response.statusCode = 200
  response.setHeader('content-type', 'application/json')
  if (contentLength !== undefined) response.setHeader('content-length', contentLength)
  async function* whole() {
    yield first.value
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  try {
    await pipeline(whole, response)
    return true
  } catch {
    body.destroy()
    response.destroy()
    return false
  }
}
