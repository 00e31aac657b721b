import type { ReceivedResponse } from '@fairlead/http1'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'

/** A body of a response as a stream. */
export type Body = ReceivedResponse['body']

/**
 * Reads a body to its end unless it exceeds the limit. A body that exceeds it can still be read completely.
 *
 * @param body - not yet read
 * @param limit - maximum number of bytes to read
 * @returns undefined for a body that exceeds the limit
 * @throws the error of the body; UpstreamError when it is incomplete
 */
export async function readUpTo(body: Body, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const chunk = body.read() as Buffer | null
    if (chunk === null) {
      if (body.readableEnded) return Buffer.concat(chunks)
      await untilReadable(body)
      continue
    }
    chunks.push(chunk)
    length += chunk.length
    if (length > limit) {
      // In the same event-loop tick, because a body that has no more bytes ends in the next one.
      body.unshift(Buffer.concat(chunks))
      return undefined
    }
  }
}

/**
 * Waits for the first bytes of a body. They can be read again.
 *
 * @returns undefined for an empty body
 * @throws as {@link readUpTo}
 */
export async function firstBytes(body: Body): Promise<Buffer | undefined> {
  if (body.readableLength === 0 && !body.readableEnded) await untilReadable(body)
  return arrivedBytes(body)
}

/** Returns the bytes of a body that have arrived. They can be read again. */
export function arrivedBytes(body: Body): Buffer | undefined {
  const bytes = body.read() as Buffer | null
  if (bytes === null) return undefined
  body.unshift(bytes)
  return bytes
}

/** Waits until bytes are available or the body has ended. */
function untilReadable(body: Body): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      body.off('readable', onReadable).off('end', onReadable).off('close', onClose).off('error', settle)
      if (error === undefined) resolve()
      else reject(error)
    }
    const onReadable = () => settle()
    const onClose = () => settle(body.readableEnded ? undefined : incomplete())
    if (body.errored) return reject(body.errored)
    if (body.destroyed && !body.readableEnded) return reject(incomplete())
    body.on('readable', onReadable).on('end', onReadable).on('close', onClose).on('error', settle)
  })
}

function incomplete(): UpstreamError {
  return new UpstreamError('reset', 'The response of the upstream is incomplete.')
}
