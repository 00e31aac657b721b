import { Buffer } from 'node:buffer'
import { ResponseInspector } from '@fairlead/gateway-core/redaction/response-inspector'

// Matches a response in which only the version and the id precede the result, in any order. It needs no full parse.
const resultFirst = /^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|[^"\s,{[\\]+)\s*,\s*)*"result"\s*:/

const maxPrefixLength = 1_024

/**
 * Whether the first bytes of a response begin an error, or neither an error nor a result. {@link ResponseInspector}
 * inspects the remaining bytes.
 */
export function isErrorPrefix(prefix: Buffer): boolean {
  return !resultFirst.test(prefix.toString('latin1', 0, maxPrefixLength)) && !hasResult(prefix)
}

/**
 * Whether a full response is an error, or neither an error nor a result.
 *
 * @param text - with one character per byte
 */
export function isErrorText(text: string): boolean {
  // A key that is written with escapes contains `\u`.
  const mayHaveError = text.includes('"error"') || text.includes('\\u')
  if (!mayHaveError && resultFirst.test(text)) return false
  return !hasResult(Buffer.from(text, 'latin1'))
}

/** Whether the response has a result, and no error, at the top level. */
function hasResult(bytes: Buffer): boolean {
  const inspector = new ResponseInspector()
  inspector.inspect(bytes)
  return inspector.hasResult && !inspector.hasError
}
