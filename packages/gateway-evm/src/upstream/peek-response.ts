import { Buffer } from 'node:buffer'
import type { CancellationSignal } from '@fairlead/http1'
import type { UpstreamResponse } from './upstream-response.ts'
import { ResponseInspector } from '@fairlead/gateway-core/redaction/response-inspector'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'

// Where only the version and the id stand before it, in any order, a result needs no more than a look.
const resultAhead = /^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|[^"\s,{[\\]+)\s*,\s*)*"result"\s*:/

const longestBeginning = 1_024

/** As {@link beginsWithError} for an answer that is at hand; undefined for one that is not. */
export function isErrorAtHand(answer: UpstreamResponse): boolean | undefined {
  const { latin1 } = answer
  if (latin1 !== undefined) return isErrorText(latin1)
  // Not asked for any earlier, as they may have to be made.
  const { bytes } = answer
  return bytes && isErrorText(bytes.toString('latin1'))
}

/**
 * Tells an error from a result by the first bytes of an answer; one whose first bytes hold neither counts as an error.
 * Nothing is lost: the answer can still be read whole. What follows is followed by {@link ResponseInspector}.
 *
 * @param answer - not yet read
 * @param signal - what the exchange runs under
 * @throws {@link UpstreamError} as `Upstream.post` when nothing comes
 */
export async function beginsWithError(
  answer: UpstreamResponse,
  signal: CancellationSignal,
): Promise<boolean> {
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
  return !resultAhead.test(beginning.toString('latin1', 0, longestBeginning)) && !hasResult(beginning)
}

/** @param text - the whole answer, with a character for each byte */
function isErrorText(text: string): boolean {
  // Written with escapes, a key has one of `u`.
  const mayHaveError = text.includes('"error"') || text.includes('\\u')
  if (!mayHaveError && resultAhead.test(text)) return false
  return !hasResult(Buffer.from(text, 'latin1'))
}

/** Whether there is a result, and no error, at the top level. */
function hasResult(bytes: Buffer): boolean {
  const inspector = new ResponseInspector()
  try {
    inspector.inspect(bytes)
  } catch {
    return false
  }
  return inspector.hasResult && !inspector.hasError
}

/** Waits for something to read; a body without a single byte only ends. */
function firstBytes(body: UpstreamResponse['body']): Promise<void> {
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
