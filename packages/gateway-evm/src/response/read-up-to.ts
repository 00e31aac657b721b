import type { CancellationSignal } from '@fairlead/runtime'
import { toUpstreamError, unavailable, UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { UpstreamResponse } from './upstream-response.ts'

/**
 * Reads a response to its end unless it exceeds the limit. A response that exceeds it can still be read completely.
 *
 * @param response - not yet read
 * @param limit - maximum number of bytes to read
 * @param signal - of the call
 * @returns undefined for a response that exceeds the limit
 * @throws UpstreamError when the call is cancelled or the upstream ends the response early; any other error of the body
 */
export async function readUpTo(
  response: UpstreamResponse,
  limit: number,
  signal: CancellationSignal,
): Promise<Buffer | undefined> {
  const { bytes, contentLength } = response
  if (bytes) return bytes.length <= limit ? bytes : undefined
  if (contentLength !== undefined && Number(contentLength) > limit) return undefined
  // The body is created lazily, so it is accessed only when it is read.
  const { body } = response
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const chunk = body.read() as Buffer | null
    if (chunk === null) {
      if (body.readableEnded) return Buffer.concat(chunks)
      await nextChunk(body).catch((error: unknown) => {
        throw signal.aborted ? unavailable(error, signal) : (toUpstreamError(error) ?? error)
      })
      continue
    }
    chunks.push(chunk)
    length += chunk.length
    if (length > limit) {
      body.unshift(Buffer.concat(chunks))
      return undefined
    }
  }
}

/** Waits until data is available or the body has ended. */
function nextChunk(body: UpstreamResponse['body']): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      body.off('readable', onReadable).off('end', onReadable).off('close', closed).off('error', settle)
      if (error === undefined) resolve()
      else reject(error)
    }
    const onReadable = () => settle()
    const closed = () => settle(body.readableEnded ? undefined : incomplete())
    if (body.errored) return reject(body.errored)
    if (body.destroyed && !body.readableEnded) return reject(incomplete())
    body.on('readable', onReadable).on('end', onReadable).on('close', closed).on('error', settle)
  })
}

function incomplete(): UpstreamError {
  return new UpstreamError('reset', 'The response of the upstream is incomplete.')
}
