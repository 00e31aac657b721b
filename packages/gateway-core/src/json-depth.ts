const [quote, backslash] = [0x22, 0x5c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * Whether objects and arrays are nested deeper than a maximum, in JSON that has not been parsed yet.
 *
 * Scans the text once, without allocation, and stops at the first level that is too deep. Ignores brackets in strings.
 * The text may be invalid JSON: the result then says nothing about the part that a parser does not reach.
 *
 * @param text - JSON, or its bytes in UTF-8
 * @param maxDepth - number of levels allowed; `[]` has one, `[{}]` two, `1` none
 */
export function exceedsDepth(text: string | Uint8Array, maxDepth: number): boolean {
  const isText = typeof text === 'string'
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = isText ? text.charCodeAt(at) : text[at]
    if (inString) {
      if (code === backslash) at += 1
      else if (code === quote) inString = false
    } else if (code === quote) {
      inString = true
    } else if (code === openBracket || code === openBrace) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (code === closeBracket || code === closeBrace) {
      depth -= 1
    }
  }
  return false
}
