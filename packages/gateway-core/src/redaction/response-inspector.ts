import { Http1Error } from '@fairlead/http1'

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const lowerN = 0x6e
const space = 0x20
// `error` with each letter escaped has 30 characters.
const maxKeyLength = 32

/**
 * Tracks the top-level members of a JSON-RPC response as its bytes arrive, without buffering them.
 *
 * A response with both a result and an error violates JSON-RPC 2.0. The error after a result that is already being sent
 * to the client could name the upstream, so the response is treated as malformed.
 */
export class ResponseInspector {
  /** Whether an `error` other than null was found at the top level so far. */
  hasError = false
  /** Whether a `result` was found, including null. */
  hasResult = false
  #depth = 0
  #isString = false
  #isEscaped = false
  /** Text of the top-level key that is being read. */
  #key: string | undefined
  #member = ''
  #isKeyNext = false
  #isValueNext = false
  #isResultSent = false

  /**
   * @param bytes - the next part of the body
   * @throws {@link Http1Error} `malformed` for an error after a result
   */
  inspect(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      let byte = bytes[at] as number
      if (this.#isString) {
        // Most bytes of a long response are in strings, whose content is irrelevant here.
        if (this.#key === undefined && !this.#isEscaped) {
          while (byte !== quote && byte !== backslash && ++at < bytes.length) byte = bytes[at] as number
          if (at === bytes.length) return
        }
        this.#inString(byte)
      } else if (byte > space) this.#outside(byte)
    }
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

  #outside(byte: number): void {
    if (this.#isValueNext) {
      this.#isValueNext = false
      this.#beginValue(byte)
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

  #beginValue(byte: number): void {
    if (this.#member === 'result') {
      this.hasResult = true
      this.#isResultSent = byte !== lowerN
    } else if (byte === lowerN) return
    else if (this.#member === 'error') {
      this.hasError = true
      if (this.#isResultSent)
        throw new Http1Error('malformed', 'The response has both a result and an error.')
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
