import { pipeline } from 'node:stream/promises'
import type { HttpResponse } from './types.ts'

/** The parts of a response body. */
export interface BodyParts extends AsyncIterable<Buffer> {
  /** Discards the parts that have not arrived. */
  destroy(): unknown
}

/** How a protocol forwards a response body. */
export interface BodyRules<failure extends Error> {
  /** Sets status and headers when the first bytes have arrived; undefined = empty body. May reject by throwing. */
  readonly begin: (first: Buffer | undefined) => void
  /** Converts an error of the body to a failure of the protocol. */
  readonly failureOf: (error: unknown) => failure
  /** Called with the number of bytes that were sent. */
  readonly sent?: ((bytes: number) => void) | undefined
  /** Returns a promise to wait for when the budget of this tick is used up. `units` is the duration in calls. */
  readonly turn?: ((units: number) => Promise<void> | undefined) | undefined
}

const bytesPerUnit = 16_384

/**
 * Forwards the response of an upstream as it arrives, without buffering or parsing it.
 *
 * @param body - not yet read
 * @param response - nothing has been sent on it yet
 * @returns how it ended; unless it is complete, the client's connection is closed, because a partial result must not
 * look complete
 * @throws the protocol's failure when the body fails before its first byte, and errors of `begin`; nothing was sent
 */
export async function streamBody<failure extends Error>(
  body: BodyParts,
  response: HttpResponse,
  { begin, failureOf, sent, turn }: BodyRules<failure>,
): Promise<'complete' | 'client disconnected' | failure> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  let broken: failure | undefined
  const next = () =>
    chunks.next().catch((error: unknown) => {
      // The connection is closed before the response is notified.
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
  async function* forwardedChunks() {
    for (let chunk = first; !chunk.done; chunk = await next()) {
      const wait = turn?.(chunk.value.length / bytesPerUnit)
      if (wait) await wait
      sent?.(chunk.value.length)
      yield chunk.value
    }
  }
  try {
    await pipeline(forwardedChunks, response.contentStream())
    return 'complete'
  } catch {
    // The pipeline has already destroyed the response.
    body.destroy()
    return broken ?? 'client disconnected'
  }
}
