/**
 * Splits the text of a JSON object or array into the texts of its members.
 *
 * Splitting instead of serializing again preserves details that parsing loses: digits of large numbers, `1.0` instead
 * of `1`, and values that are nested too deep to be serialized. The text must be valid JSON; it is not validated here.
 *
 * @param text - JSON text of one object or array
 * @returns member texts in order, without the surrounding white space
 */
export function jsonParts(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = stringEnd(text, at) - 1
        break
      case openBrace:
      case openBracket:
        depth += 1
        if (depth === 1) start = at + 1
        break
      case comma:
        if (depth !== 1) break
        parts.push(text.slice(start, at).trim())
        start = at + 1
        break
      case closeBrace:
      case closeBracket:
        depth -= 1
        if (depth === 0) parts.push(text.slice(start, at).trim())
        break
      default:
    }
  }
  return parts.length === 1 && parts[0] === '' ? [] : parts
}

/**
 * Splits the text of a JSON object into the texts of its values by key. When a key occurs twice, the last value counts,
 * as in `JSON.parse`.
 *
 * @param text - JSON text of one object
 */
export function jsonMembers(text: string): Map<string, string> {
  const members = new Map<string, string>()
  for (const part of jsonParts(text)) {
    const keyEnd = stringEnd(part, 0)
    const key = JSON.parse(part.slice(0, keyEnd)) as string
    members.set(key, part.slice(part.indexOf(':', keyEnd) + 1).trim())
  }
  return members
}

const [quote, comma] = [0x22, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Index after the closing quote of the string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return end + 1
  }
  return text.length
}
