const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const lowerN = 0x6e
const space = 0x20
// `error` with each letter escaped has 30 characters.
const maxKeyLength = 32
// An id with more characters is none of the gateway.
const maxIdLength = 32

/** Tracks the top-level members of a JSON-RPC response as its bytes arrive, without buffering them. */
export class ResponseInspector {
  /** Whether an `error` other than null was found at the top level so far. */
  hasError = false
  /** Whether a `result` was found, including null. */
  hasResult = false
  /** Whether an `error` was found after a `result`, neither of them null. JSON-RPC 2.0 allows only one of them. */
  hasErrorAfterResult = false
  /** JSON text of the `id` at the top level, once it was read completely. */
  idText: string | undefined = undefined
  /** Offset of the id in the body, once its first byte was read. */
  idFrom: number | undefined = undefined
  /** Offset of the end of the id. */
  idTo: number | undefined = undefined
  /** Whether the body begins like an object. Undefined before its first byte. */
  isObject: boolean | undefined = undefined
  /** Whether the top-level object has ended. */
  isOver = false
  /** Whether anything follows the top-level object. */
  hasMore = false
  /** Number of bytes before the current part. */
  #offset = 0
  /** The id as far as it was read, while it is read. */
  #id: string | undefined
  #depth = 0
  #isString = false
  #isEscaped = false
  /** Text of the top-level key that is being read. */
  #key: string | undefined
  #member = ''
  #isKeyNext = false
  #isValueNext = false
  #isResultNull = false

  /** @param bytes - the next part of the body */
  inspect(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      let byte = bytes[at] as number
      if (this.#isString) {
        // Most bytes of a long response are in strings, whose content is irrelevant here.
        if (this.#key === undefined && this.#id === undefined && !this.#isEscaped) {
          while (byte !== quote && byte !== backslash && ++at < bytes.length) byte = bytes[at] as number
          if (at === bytes.length) break
        }
        if (this.#id !== undefined) this.#extendId(byte, at)
        this.#inString(byte)
      } else if (byte > space) this.#outside(byte, at)
    }
    this.#offset += bytes.length
  }

  #extendId(byte: number, at: number): void {
    this.#id += String.fromCharCode(byte)
    this.idTo = this.#offset + at + 1
    if (this.idTo - (this.idFrom ?? 0) > maxIdLength) this.#endId()
  }

  #endId(): void {
    if (this.#id === undefined) return
    this.idText = this.#id
    this.#id = undefined
  }

  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) {
      this.#isString = false
      if (this.#key === undefined) return
      this.#member = nameOf(this.#key)
      this.#key = undefined
      return
    }
    if (this.#key !== undefined && this.#key.length < maxKeyLength) this.#key += String.fromCharCode(byte)
  }

  #outside(byte: number, at: number): void {
    this.isObject ??= byte === openBrace
    if (this.isOver && this.isObject) this.hasMore = true
    if (this.#isValueNext) {
      this.#isValueNext = false
      this.#beginValue(byte, at)
    }
    if (this.#id !== undefined) {
      if (this.#depth === 1 && (byte === comma || byte === closeBrace)) this.#endId()
      else this.#extendId(byte, at)
    }
    switch (byte) {
      case quote:
        this.#isString = true
        if (this.#isKeyNext) this.#key = ''
        this.#isKeyNext = false
        break
      case openBrace:
      case openBracket:
        this.#depth++
        this.#isKeyNext = this.#depth === 1 && byte === openBrace
        break
      case closeBrace:
      case closeBracket:
        this.#depth--
        if (this.#depth === 0) this.isOver = true
        break
      case comma:
        this.#isKeyNext = this.#depth === 1
        break
      case colon:
        this.#isValueNext = this.#depth === 1
        break
      default:
    }
  }

  #beginValue(byte: number, at: number): void {
    if (this.#member === 'id') {
      // Of repeated members, parsers return the last one.
      this.#id = ''
      this.idFrom = this.#offset + at
    } else if (this.#member === 'result') {
      this.hasResult = true
      this.#isResultNull = byte === lowerN
    } else if (this.#member === 'error' && byte !== lowerN) {
      this.hasError = true
      this.hasErrorAfterResult = this.hasResult && !this.#isResultNull
    }
  }
}

function nameOf(key: string): string {
  if (!key.includes('\\')) return key
  try {
    return JSON.parse(`"${key}"`) as string
  } catch {
    return key
  }
}
