import { malformed } from './http1-error.ts'

/** The status line and header fields of a response. */
export interface ResponseHead {
  readonly status: number
  /** Alternating names, in lower case, and values. */
  readonly fields: readonly string[]
  /** How the end of the body is indicated, if the response has one. */
  readonly framing: 'length' | 'chunks' | 'close'
  /** Length of the body in bytes, for `length` framing. */
  readonly length: number
  /** Whether the connection can be used for another exchange. */
  readonly isPersistent: boolean
  /** Value of `content-type`. */
  readonly contentType: string | undefined
  /** Idle timeout of the connection at the upstream, when the `keep-alive` header contains it. */
  readonly idleMs: number | undefined
}

const maxFields = 256
const tab = 9
const lf = 10
const cr = 13
const space = 32
const colon = 58

// Lower-case code of every character that is valid in a name, 0 for all others.
const nameCodes = new Uint8Array(256)
for (const letter of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") {
  nameCodes[letter.charCodeAt(0)] = letter.charCodeAt(0)
  nameCodes[letter.toUpperCase().charCodeAt(0)] = letter.charCodeAt(0)
}

/**
 * Parses the head of a response strictly: ambiguous input is rejected.
 *
 * @param text - status line, field lines and the empty line, each with its CRLF, as Latin-1
 * @throws Http1Error `malformed`
 * @see RFC 9112, sections 4, 5 and 6
 */
export function readHead(text: string): ResponseHead {
  const isVersion10 = text.charCodeAt(7) === 48
  const status = readStatus(text, isVersion10)
  const fields = readFields(text, endOfLine(text, 12) + 2, text.length - 2)
  let lengths: string | undefined
  let encoding: string | undefined
  let contentType: string | undefined
  let connection = ''
  let keepAlive = ''
  for (let at = 0; at < fields.length; at += 2) {
    const value = fields[at + 1] as string
    switch (fields[at] as string) {
      case 'content-length':
        lengths = lengths === undefined ? value : `${lengths},${value}`
        break
      case 'transfer-encoding':
        encoding = encoding === undefined ? value : `${encoding},${value}`
        break
      case 'connection':
        connection += `,${value.toLowerCase()}`
        break
      case 'keep-alive':
        keepAlive = value
        break
      case 'content-type':
        contentType ??= value
        break
      default:
    }
  }
  if (encoding !== undefined) {
    if (isVersion10 || lengths !== undefined) throw malformed('it has two conflicting lengths')
    if (encoding.toLowerCase() !== 'chunked') throw malformed('its transfer encoding is unknown')
  }
  const options = connection === '' ? [] : connection.split(',').map((option) => option.trim())
  return {
    status,
    fields,
    framing: encoding !== undefined ? 'chunks' : lengths !== undefined ? 'length' : 'close',
    length: lengths === undefined ? 0 : readLength(lengths),
    contentType,
    isPersistent: !options.includes('close') && (!isVersion10 || options.includes('keep-alive')),
    idleMs: keepAlive === '' ? undefined : readIdle(keepAlive),
  }
}

/**
 * Parses lines of header fields or trailers.
 *
 * @param text - each line with its CRLF
 * @param from - offset of the first line
 * @param to - offset of the end of the last line
 * @returns alternating names, in lower case, and values
 * @throws Http1Error `malformed`
 */
export function readFields(text: string, from: number, to: number): string[] {
  const fields: string[] = []
  let at = from
  while (at < to) {
    const nameAt = at
    let isLower = true
    let code = text.charCodeAt(at)
    for (; code !== colon; code = text.charCodeAt(++at)) {
      // Also rejects a continuation of the previous line: it begins with a space.
      const lower = nameCodes[code] ?? 0
      if (lower === 0) throw malformed('a field name is invalid')
      if (lower !== code) isLower = false
    }
    if (at === nameAt) throw malformed('a field has no name')
    const name = text.slice(nameAt, at)
    do code = text.charCodeAt(++at)
    while (code === space || code === tab)
    const valueAt = at
    at = endOfLine(text, at)
    let end = at
    while (end > valueAt && isBlank(text.charCodeAt(end - 1))) end--
    fields.push(isLower ? name : name.toLowerCase(), text.slice(valueAt, end))
    if (fields.length > 2 * maxFields) throw malformed('it has too many fields')
    at += 2
  }
  return fields
}

/** Finds the end of a line. Rejects control characters before it. */
function endOfLine(text: string, from: number): number {
  let at = from
  let code = text.charCodeAt(at)
  while (code >= space ? code !== 127 : code === tab) code = text.charCodeAt(++at)
  if (code !== cr || text.charCodeAt(at + 1) !== lf) throw malformed('a line has a control character')
  return at
}

function isBlank(code: number): boolean {
  return code === space || code === tab
}

// Some servers omit the space before an empty reason phrase.
function readStatus(text: string, isVersion10: boolean): number {
  const isVersion = text.startsWith('HTTP/1.') && (isVersion10 || text.charCodeAt(7) === 49)
  const separator = text.charCodeAt(12)
  if (!isVersion || text.charCodeAt(8) !== space || (separator !== space && separator !== cr)) {
    throw malformed('it has no status line')
  }
  let status = 0
  for (let at = 9; at < 12; at++) {
    const digit = text.charCodeAt(at) - 48
    if (!(digit >= 0 && digit <= 9)) throw malformed('its status is not a number')
    status = status * 10 + digit
  }
  if (status < 100 || status > 599) throw malformed('its status is out of range')
  return status
}

function readLength(lengths: string): number {
  const [first = '', ...rest] = lengths.split(',').map((value) => value.trim())
  if (!/^\d{1,15}$/.test(first) || rest.some((other) => other !== first)) {
    throw malformed('its length is not a single number')
  }
  return Number(first)
}

function readIdle(keepAlive: string): number | undefined {
  const [, seconds] = /(?:^|,)\s*timeout\s*=\s*"?(\d{1,6})/i.exec(keepAlive) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1_000
}
