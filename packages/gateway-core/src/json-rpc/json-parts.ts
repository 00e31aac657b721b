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
  collectParts(text, parts, Infinity)
  return parts.length === 1 && parts[0] === '' ? [] : parts
}

/**
 * Splits a text into the elements of a JSON array, before anything is parsed. The elements themselves may be invalid.
 *
 * @param maxParts - the result has one element more when the array is longer, and the rest is not read
 * @returns undefined when the text is not an array
 */
export function arrayParts(text: string, maxParts: number): string[] | undefined {
  const begin = afterSpace(text, 0)
  if (text.charCodeAt(begin) !== openBracket) return undefined
  const parts: string[] = []
  const end = collectParts(text, parts, maxParts)
  if (parts.length > maxParts) return parts
  const isArray = text.charCodeAt(end - 1) === closeBracket && afterSpace(text, end) === text.length
  if (!isArray) return undefined
  return parts.length === 1 && parts[0] === '' ? [] : parts
}

/** Adds the members of the first object or array of a text; returns the index after it, or after the last part. */
function collectParts(text: string, parts: string[], maxParts: number): number {
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
        parts.push(withoutSpace(text, start, at))
        start = at + 1
        if (parts.length > maxParts) return start
        break
      case closeBrace:
      case closeBracket:
        depth -= 1
        if (depth > 0) break
        parts.push(withoutSpace(text, start, at))
        return at + 1
      default:
    }
  }
  // An object or array that is not closed has no end.
  return 0
}

/** Part of a text without the white space of JSON around it. Other white space is invalid there. */
function withoutSpace(text: string, start: number, end: number): string {
  const first = afterSpace(text, start)
  let last = end
  while (last > first && isSpace(text.charCodeAt(last - 1))) last -= 1
  return text.slice(first, last)
}

function afterSpace(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at += 1
  return at
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
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
