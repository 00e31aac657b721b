import { Buffer } from 'node:buffer'
import type { CancellationSignal } from '@fairlead/runtime'
import { firstBytes } from './body.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import { ResponseInspector } from '@fairlead/gateway-core/redaction/response-inspector'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'

// Matches a response in which only the version and the id precede the result, in any order. It needs no full parse.
const resultFirst = /^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|[^"\s,{[\\]+)\s*,\s*)*"result"\s*:/

const maxPrefixLength = 1_024

/** As {@link beginsWithError}, for a buffered response. Undefined for a response that is not buffered. */
export function isBufferedError(response: UpstreamResponse): boolean | undefined {
  const { latin1 } = response
  if (latin1 !== undefined) return isErrorText(latin1)
  // Accessed only now, because `bytes` may be created lazily.
  const { bytes } = response
  return bytes && isErrorText(bytes.toString('latin1'))
}

/**
 * Distinguishes an error from a result by the first bytes of a response. A response whose first bytes contain neither
 * counts as an error. The response can still be read completely. {@link ResponseInspector} inspects the remaining
 * bytes.
 *
 * @param response - not yet read
 * @param signal - cancellation signal of the exchange
 * @throws {@link UpstreamError} as `Upstream.post` when no bytes arrive
 */
export async function beginsWithError(
  response: UpstreamResponse,
  signal: CancellationSignal,
): Promise<boolean> {
  const buffered = isBufferedError(response)
  if (buffered !== undefined) return buffered
  const first = await firstBytes(response.body).catch((error: unknown) => {
    throw unavailable(error, signal)
  })
  return first !== undefined && isError(first)
}

function isError(prefix: Buffer): boolean {
  return !resultFirst.test(prefix.toString('latin1', 0, maxPrefixLength)) && !hasResult(prefix)
}

/** @param text - the full response, with one character per byte */
function isErrorText(text: string): boolean {
  // A key that is written with escapes contains `\u`.
  const mayHaveError = text.includes('"error"') || text.includes('\\u')
  if (!mayHaveError && resultFirst.test(text)) return false
  return !hasResult(Buffer.from(text, 'latin1'))
}

/** Whether the response has a result, and no error, at the top level. */
function hasResult(bytes: Buffer): boolean {
  const inspector = new ResponseInspector()
  try {
    inspector.inspect(bytes)
  } catch {
    return false
  }
  return inspector.hasResult && !inspector.hasError
}
