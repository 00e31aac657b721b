import { Buffer } from 'node:buffer'
import { redactPlain } from './redact-plain.ts'

const mask = '***'
// Bytes that a contract has chosen, such as revert data, may be megabytes long; they do not come from the upstream
// itself.
const minLongQuantity = 2_048
// The reason of a revert is text that a contract has chosen. To search 8 kB takes up to 15 ms.
const maxSearchedLength = 8_192
const cut = '…'
// A shorter text would match by chance in decoded data.
const minEncodedLength = 6
// A shorter header field is a status, a length or a coding.
const minFieldLength = 4
const maxDecodings = 3
const namedEntities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  sol: '/',
  colon: ':',
  commat: '@',
  period: '.',
  lowbar: '_',
  hyphen: '-',
}

/**
 * Replaces every secret in a text of an upstream by `***`. It also finds secrets that are escaped (JSON, percent,
 * HTML), encoded (hex, base64, base64url) or in another case, up to three encodings deep. For an encoded secret, the
 * whole surrounding word is replaced. As in {@link redactPlain}, a secret of fewer than 8 characters is found only as a whole word,
 * and one of fewer than 6 characters only in plain text. A text of more than 8,192 characters, without long hex quantities, is cut.
 *
 * @param text - a text that an upstream wrote about itself; never a result
 * @param secrets - parts of the upstream's URL, in plain text
 */
export function redactDeep(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0 || text === '') return text
  const plain = redactPlain(text, secrets)
  const long = secrets.filter((secret) => secret.length >= minEncodedLength).map(lowerCase)
  if (long.length === 0) return plain
  const searched = withoutLongQuantities(plain)
  if (searched.length > maxSearchedLength) {
    // At a space, because a part of an encoded secret is not recognized.
    const end = Math.max(0, searched.lastIndexOf(' ', maxSearchedLength))
    return redactDeep(searched.slice(0, end), secrets) + cut
  }
  if (!reveals(searched, long, maxDecodings)) return plain
  const words = plain.replaceAll(/[^\s"'<>()[\]{},]+|[^\s]+/g, (word) =>
    reveals(withoutLongQuantities(word), long, maxDecodings) ? mask : word,
  )
  return reveals(withoutLongQuantities(words), long, maxDecodings) ? mask : words
}

/**
 * Same as {@link redactDeep}, for each string of a JSON value including keys; returns the value itself when it contains
 * no secret.
 */
export function redactJsonDeep<value>(value: value, secrets: readonly string[]): value {
  return redacted(value, secrets) as value
}

/** Whether a header field contains a secret in any of the forms that {@link redactDeep} replaces. */
export function containsSecret(field: string, secrets: readonly string[]): boolean {
  return field.length >= minFieldLength && redactDeep(field, secrets) !== field
}

function redacted(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactDeep(value, secrets)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => redacted(item, secrets))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  const entries = Object.entries(value)
  const clean = entries.map(([name, item]) => [redactDeep(name, secrets), redacted(item, secrets)] as const)
  const isClean = clean.every(([name, item], at) => name === entries[at]?.[0] && item === entries[at]?.[1])
  return isClean ? value : Object.fromEntries(clean)
}

/**
 * @param secrets - in lower case
 * @param isData - whether the text was decoded from hex or base64, where arbitrary bytes may surround a secret
 */
function reveals(text: string, secrets: readonly string[], decodings: number, isData = false): boolean {
  if (text.length < minEncodedLength) return false
  const lower = lowerCase(text)
  if (secrets.some((secret) => lower.includes(secret) && (isData || redactPlain(lower, [secret]) !== lower)))
    return true
  if (decodings === 0) return false
  const unescaped = unescape(text)
  if (unescaped !== text && reveals(unescaped, secrets, decodings - 1, isData)) return true
  return encodedRuns(text).some((decoded) => reveals(decoded, secrets, decodings - 1, true))
}

/** Removes hex quantities that are too long to come from the upstream itself. */
function withoutLongQuantities(text: string): string {
  if (text.length < minLongQuantity) return text
  let rest = ''
  let copied = 0
  for (let start = text.indexOf('0x'); start >= 0; start = text.indexOf('0x', start + 2)) {
    let end = start + 2
    while (isHexDigit(text.charCodeAt(end))) end += 1
    if (end - start < minLongQuantity) continue
    rest += text.slice(copied, start)
    copied = end
    start = end - 2
  }
  return copied === 0 ? text : rest + text.slice(copied)
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66)
}

const lowerCase = (text: string) => text.toLowerCase()

/** Decodes JSON escapes, percent-encoding and HTML character references. */
function unescape(text: string): string {
  if (!/[\\%&]/.test(text)) return text
  return text
    .replaceAll(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\([\\/"'])/gi, (_, unicode, hex, plain) =>
      plain === undefined ? charOf(unicode ?? hex, 16) : String(plain),
    )
    .replaceAll(/&#x([0-9a-f]{1,6});?|&#(\d{1,7});?|&([a-z]+);/gi, (match, hex, decimal, name) =>
      name === undefined
        ? charOf(hex ?? decimal, hex === undefined ? 10 : 16)
        : (namedEntities[lowerCase(String(name))] ?? match),
    )
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
}

function charOf(digits: unknown, radix: number): string {
  const code = Number.parseInt(String(digits), radix)
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/** Decodes runs of hex and base64 in a text; base64 may begin at each of four positions. */
function encodedRuns(text: string): readonly string[] {
  const decoded: string[] = []
  for (const [run] of text.matchAll(/[\da-f]{12,}/gi)) {
    for (const start of [0, 1]) decoded.push(Buffer.from(run.slice(start), 'hex').toString('latin1'))
  }
  for (const [run] of text.matchAll(/[\w+/-]{8,}/g)) {
    if (isHexQuantity(run)) continue
    for (const start of [0, 1, 2, 3]) decoded.push(Buffer.from(run.slice(start), 'base64').toString('latin1'))
  }
  return decoded
}

// Revert data may be long, and is not base64.
const isHexQuantity = (run: string) => /^0x[\da-f]*$/i.test(run)
