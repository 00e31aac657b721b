import type { UpstreamResponse } from '../upstream/upstream-response.ts'

/**
 * Reads an answer to its end unless it is long. Nothing of a long one is lost: it can still be read whole.
 *
 * @param answer - not yet read
 * @param limit - most bytes that are read
 * @returns undefined for a long one
 * @throws what the body fails with
 */
export async function readUpTo(answer: UpstreamResponse, limit: number): Promise<Buffer | undefined> {
  const { bytes, contentLength } = answer
  if (bytes) return bytes.length <= limit ? bytes : undefined
  if (contentLength !== undefined && Number(contentLength) > limit) return undefined
  // Not earlier: a body that nobody reads is never made.
  const { body } = answer
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const chunk = body.read() as Buffer | null
    if (chunk === null) {
      if (body.readableEnded) return Buffer.concat(chunks)
      await moreOf(body)
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

/** Waits until there is something to read, or nothing any more. */
function moreOf(body: UpstreamResponse['body']): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      body.off('readable', ready).off('end', ready).off('close', closed).off('error', settle)
      if (error === undefined) resolve()
      else reject(error)
    }
    const ready = () => settle()
    const closed = () => settle(body.readableEnded ? undefined : new Error('The answer breaks off.'))
    if (body.errored) return reject(body.errored)
    if (body.destroyed && !body.readableEnded) return reject(new Error('The answer breaks off.'))
    body.on('readable', ready).on('end', ready).on('close', closed).on('error', settle)
  })
}
