import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { HttpResponse } from './types.ts'

/** What a protocol makes of a body on its way back. */
export interface BodyRules<failure extends Error> {
  /** Sets status and headers once the first bytes are there; undefined stands for an empty body. May refuse by throwing. */
  readonly begin: (first: Buffer | undefined) => void
  /** Makes a failure of what broke the body off. */
  readonly failureOf: (error: unknown) => failure
  /** Hears how many bytes were sent. */
  readonly sent?: ((bytes: number) => void) | undefined
}

/**
 * Passes a node's answer on as it comes, without holding or parsing it.
 *
 * @param body - not yet read
 * @param response - nothing was sent on it so far
 * @returns how it ended; unless all is well the client's connection is broken off, as half a result must not look whole
 * @throws the protocol's failure when the body breaks before its first byte, and what `begin` throws; nothing was sent
 */
export async function streamBody<failure extends Error>(
  body: Readable,
  response: HttpResponse,
  { begin, failureOf, sent }: BodyRules<failure>,
): Promise<'complete' | 'client gone' | failure> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  let broken: failure | undefined
  const next = () =>
    chunks.next().catch((error: unknown) => {
      // The connection is gone before the response hears of it.
      if (response.isDisconnected()) throw error
      throw (broken = failureOf(error))
    })
  const first = await next()
  try {
    begin(first.value)
  } catch (error) {
    body.destroy()
    throw error
  }
  async function* whole() {
    for (let chunk = first; !chunk.done; chunk = await next()) {
      sent?.(chunk.value.length)
      yield chunk.value
    }
  }
  try {
    await pipeline(whole, response.contentStream())
    return 'complete'
  } catch {
    // The pipeline has broken off the response already.
    body.destroy()
    return broken ?? 'client gone'
  }
}
