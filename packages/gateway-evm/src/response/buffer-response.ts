import { Readable } from 'node:stream'
import type { CancellationSignal } from '@fairlead/runtime'
import { dumpable, BufferedResponse } from './buffered-response.ts'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'
import type { UpstreamResponse } from './upstream-response.ts'

const shortBytes = 64 * 1024

/**
 * Reads the beginning of a response. A short response is then buffered completely, a long one remains a stream.
 *
 * @param response - not yet read
 * @param signal - cancellation signal of the exchange
 * @returns an unread response, with `bytes` when it is short
 * @throws {@link UpstreamError} as `Upstream.post` when the response is interrupted before that
 */
export async function bufferShortResponse(
  response: UpstreamResponse,
  signal: CancellationSignal,
): Promise<UpstreamResponse> {
  if (response.bytes || Number(response.contentLength ?? 0) > shortBytes) return response
  const chunks: Buffer[] = []
  let length = 0
  const body = response.body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  try {
    while (length <= shortBytes) {
      const { value, done } = await body.next()
      if (done) return new BufferedResponse(Buffer.concat(chunks), response)
      length += value.length
      chunks.push(value)
    }
  } catch (error) {
    throw unavailable(error, signal)
  }
  const fullBody = Readable.from(followedBy(chunks, body), { objectMode: false })
  fullBody.once('close', () => response.body.destroy())
  // The others are accessors, which a spread would not copy.
  const { contentLength, delimited, secrets } = response
  return { body: dumpable(fullBody), contentLength, delimited, secrets }
}

async function* followedBy(chunks: readonly Buffer[], rest: AsyncIterator<Buffer, undefined>) {
  yield* chunks
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
