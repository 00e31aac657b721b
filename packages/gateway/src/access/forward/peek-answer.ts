import type { CallSignal } from '../call-signal.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'
import { unavailable } from './upstream-failure.ts'

// An answer begins with its version, its id and its error or result, in any order that a client likes.
const errorAhead =
  /^\s*\{(?:\s*"(?:jsonrpc|id)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^"\s,{[]+)\s*,|\s*"result"\s*:\s*null\s*,)*\s*"error"\s*:\s*\{/

const longestBeginning = 1_024

/** As {@link beginsWithError} for an answer that is at hand; undefined for one that is not. */
export function isErrorAtHand(answer: UpstreamAnswer): boolean | undefined {
  const { latin1 } = answer
  if (latin1 !== undefined) return isErrorText(latin1.slice(0, longestBeginning))
  // Not asked for any earlier, as they may have to be made.
  const { bytes } = answer
  return bytes && isError(bytes)
}

/**
 * Tells an error from a result by the first bytes of an answer. Nothing is lost: the answer can still be read whole.
 *
 * @param answer - not yet read
 * @param signal - what the exchange runs under
 * @throws {@link RpcFailure} as `Upstream.post` when nothing comes
 */
export async function beginsWithError(answer: UpstreamAnswer, signal: CallSignal): Promise<boolean> {
  const atHand = isErrorAtHand(answer)
  if (atHand !== undefined) return atHand
  const { body } = answer
  if (body.readableLength === 0) {
    await firstBytes(body).catch((error: unknown) => Promise.reject(unavailable(error, signal)))
  }
  const first = body.read() as Buffer | null
  if (!first) return false
  body.unshift(first)
  return isError(first)
}

function isError(beginning: Buffer): boolean {
  return isErrorText(beginning.toString('latin1', 0, longestBeginning))
}

function isErrorText(beginning: string): boolean {
  // Most answers are results, and looking for a word is much cheaper than reading.
  return beginning.includes('"error"') && errorAhead.test(beginning)
}

/** Waits for something to read; a body without a single byte only ends. */
function firstBytes(body: UpstreamAnswer['body']): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      body.off('readable', settled).off('end', settled).off('close', settled).off('error', settle)
      if (error === undefined) resolve()
      else reject(error)
    }
    const settled = () => settle()
    body.on('readable', settled).on('end', settled).on('close', settled).on('error', settle)
  })
}
