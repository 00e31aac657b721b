const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Limits of a JSON text that has not been parsed. */
export interface JsonLimits {
  /** Number of levels: `[]` has one, `[{}]` two, `1` none. */
  readonly maxDepth: number
  /** Number of objects, arrays and commas. It limits the number of values, and so the time to parse them. */
  readonly maxValues: number
}

/**
 * Limits of request bodies that the gateway parses. 50,000 values are parsed in some milliseconds, and more than a body
 * of the default size has with values of usual length.
 */
export const bodyLimits: JsonLimits = { maxDepth: 1_000, maxValues: 50_000 }

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
  return exceededLimit(text, { maxDepth, maxValues: Infinity }) !== undefined
}

/** Same as {@link exceedsDepth}, for both limits; returns the limit that the text exceeds. */
export function exceededLimit(
  text: string | Uint8Array,
  { maxDepth, maxValues }: JsonLimits,
): keyof JsonLimits | undefined {
  const isText = typeof text === 'string'
  let depth = 0
  let values = 0
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
      values += 1
      if (depth > maxDepth) return 'maxDepth'
      if (values > maxValues) return 'maxValues'
    } else if (code === closeBracket || code === closeBrace) {
      depth -= 1
    } else if (code === comma) {
      values += 1
      if (values > maxValues) return 'maxValues'
    }
  }
  return undefined
}
