import { type ResponseHead, readFields, readHead } from './response-head.ts'
import { Http1Error, malformed } from './http1-error.ts'

/** Receives a response as it arrives. */
export interface ResponseReceiver {
  /** Whether the response has no body, as for a `HEAD` request. */
  readonly isForHead: boolean
  onHead(head: ResponseHead): void
  /** @param bytes - part of the body; overwritten after this call returns */
  onData(bytes: Buffer): void
  /**
   * Receives the head and the whole body of a response at once.
   *
   * @param latin1 - one character per byte
   */
  onFullResponse(head: ResponseHead, latin1: string): void
  onEnd(): void
}

const maxHeadBytes = 65_536
const maxSizeLine = 4_096
const maxInformational = 16
// Shorter input is cheaper to parse as a string.
const maxTextLength = 16_384
const maxCachedHeads = 16
const maxCachedHeadLength = 1_024
const noBytes = Buffer.alloc(0)

/**
 * Splits the bytes of a connection into responses.
 *
 * @see RFC 9112, sections 6 and 7
 */
export class ResponseReader {
  #state: 'head' | 'length' | 'close' | 'size' | 'chunk' | 'chunk end' | 'trailers' = 'head'
  // Bytes of the body or of the chunk that have not arrived yet.
  #remaining = 0
  // Bytes of an incomplete head or line.
  #partial: Buffer = noBytes
  #informational = 0
  #lastText = ''
  #lastHead: ResponseHead | undefined
  readonly #heads = new Map<string, ResponseHead>()
  // The input that is being parsed, and the same input as a string.
  #bytes: Buffer | undefined
  #latin1 = ''

  /** Whether a response has begun and not ended. */
  get isInResponse(): boolean {
    return this.#state !== 'head' || this.#partial.length > 0 || this.#informational > 0
  }

  /** Whether the head of a response has arrived and its end has not. */
  get isInBody(): boolean {
    return this.#state !== 'head'
  }

  /**
   * Continues parsing, up to the end of one response at most.
   *
   * @param bytes - the received bytes
   * @param from - offset to begin at
   * @param receiver - receives the response
   * @returns the offset at which parsing stopped
   * @throws Http1Error `malformed`; the reader cannot be used after that
   */
  read(bytes: Buffer, from: number, receiver: ResponseReceiver): number {
    const next = this.#readWithCachedHead(bytes, from, receiver)
    if (next > from) return next
    let at = from
    while (at < bytes.length) {
      switch (this.#state) {
        case 'head':
          at = this.#readHead(bytes, at, receiver)
          break
        case 'length':
          at = this.#readData(bytes, at, receiver)
          if (this.#remaining === 0) this.#state = 'head'
          break
        case 'close':
          receiver.onData(bytes.subarray(at))
          return bytes.length
        case 'size':
          at = this.#readSize(bytes, at)
          break
        case 'chunk':
          at = this.#readData(bytes, at, receiver)
          if (this.#remaining === 0) this.#state = 'chunk end'
          break
        case 'chunk end':
          at = this.#readChunkEnd(bytes, at)
          break
        case 'trailers':
          at = this.#readTrailers(bytes, at)
          break
        default:
          this.#state satisfies never
      }
      if (this.#state === 'head' && this.#partial.length === 0 && this.#informational === 0) {
        receiver.onEnd()
        return at
      }
    }
    return at
  }

  /**
   * Handles the end of the connection.
   *
   * @throws Http1Error `reset` when a response is not complete
   */
  finish(receiver: ResponseReceiver | undefined): void {
    if (this.#state === 'close' && receiver) {
      this.#state = 'head'
      receiver.onEnd()
    } else if (this.isInResponse || receiver) {
      throw new Http1Error('reset', 'The upstream ended the connection before its response.')
    }
  }

  /**
   * Reads a response that arrived whole and whose head equals the previous one. These are most responses of a busy
   * upstream.
   *
   * @returns the offset of the end of the response; `from` for any other response
   */
  #readWithCachedHead(bytes: Buffer, from: number, receiver: ResponseReceiver): number {
    const head = this.#lastHead
    if (head?.status !== 200 || head.framing !== 'length' || head.length === 0) return from
    const bodyAt = from + this.#lastText.length
    const end = bodyAt + head.length
    if (bytes.length > maxTextLength || end > bytes.length || this.isInResponse || receiver.isForHead)
      return from
    const text = this.#textOf(bytes)
    if (!text.startsWith(this.#lastText, from)) return from
    if (end === bytes.length) this.#bytes = undefined
    receiver.onFullResponse(head, text.slice(bodyAt, end))
    receiver.onEnd()
    return end
  }

  #textOf(bytes: Buffer): string {
    if (this.#bytes !== bytes) {
      this.#bytes = bytes
      this.#latin1 = bytes.toString('latin1')
    }
    return this.#latin1
  }

  #readHead(bytes: Buffer, from: number, receiver: ResponseReceiver): number {
    const [text, at] = this.#readUntil('\r\n\r\n', bytes, from, maxHeadBytes)
    if (text === undefined) return at
    const head = this.#headOf(text)
    if (head.status < 200) {
      // The bytes after an unrequested protocol change cannot be parsed.
      if (head.status === 101 || ++this.#informational > maxInformational)
        throw malformed('an interim response is unexpected')
      return at
    }
    this.#informational = 0
    receiver.onHead(head)
    if (receiver.isForHead || head.status === 204 || head.status === 304) return at
    if (head.framing === 'chunks') this.#state = 'size'
    else if (head.framing === 'close') this.#state = 'close'
    else if (head.length > 0) {
      this.#state = 'length'
      this.#remaining = head.length
    }
    return at
  }

  // A busy upstream sends the same few heads again and again. They differ in the length of the body.
  #headOf(text: string): ResponseHead {
    const cached = this.#heads.get(text)
    const head = cached ?? readHead(text)
    if (!cached && text.length <= maxCachedHeadLength) {
      if (this.#heads.size === maxCachedHeads) this.#heads.clear()
      this.#heads.set(text, head)
    }
    this.#lastText = text
    this.#lastHead = head
    return head
  }

  #readData(bytes: Buffer, from: number, receiver: ResponseReceiver): number {
    const end = Math.min(bytes.length, from + this.#remaining)
    this.#remaining -= end - from
    receiver.onData(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end))
    return end
  }

  #readSize(bytes: Buffer, from: number): number {
    const [line, at] = this.#readUntil('\r\n', bytes, from, maxSizeLine)
    if (line === undefined) return at
    const [, size] = /^([0-9a-fA-F]{1,12})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?\r\n$/.exec(line) ?? []
    if (size === undefined) throw malformed('a chunk has no size')
    this.#remaining = Number.parseInt(size, 16)
    this.#state = this.#remaining === 0 ? 'trailers' : 'chunk'
    return at
  }

  #readChunkEnd(bytes: Buffer, from: number): number {
    const [end, at] = this.#readUntil('\r\n', bytes, from, 2)
    if (end === undefined) return at
    this.#state = 'size'
    return at
  }

  #readTrailers(bytes: Buffer, from: number): number {
    const [line, at] = this.#readUntil('\r\n', bytes, from, maxHeadBytes)
    if (line === undefined) return at
    if (line === '\r\n') this.#state = 'head'
    // Trailers are validated and dropped.
    else readFields(line, 0, line.length)
    return at
  }

  /**
   * Reads a string up to and including its end marker. The string may have arrived in pieces; undefined while the end
   * marker has not arrived.
   */
  #readUntil(
    end: string,
    bytes: Buffer,
    from: number,
    maxBytes: number,
  ): readonly [text: string | undefined, at: number] {
    const before = this.#partial.length
    if (before === 0) {
      const found = bytes.indexOf(end, from, 'latin1')
      if (found >= 0) {
        const at = found + end.length
        if (at - from > maxBytes) throw malformed('a part of it is too long')
        return [bytes.toString('latin1', from, at), at]
      }
    }
    // No more than the limit still allows.
    const rest = bytes.subarray(from, Math.min(bytes.length, from + maxBytes - before + end.length))
    const joined = Buffer.concat([this.#partial, rest])
    const found = joined.indexOf(end, Math.max(0, before - end.length + 1), 'latin1')
    const length = found < 0 ? joined.length : found + end.length
    if (length > maxBytes || (found < 0 && length === maxBytes)) throw malformed('a part of it is too long')
    if (found < 0) {
      this.#partial = joined
      return [undefined, from + rest.length]
    }
    this.#partial = noBytes
    return [joined.toString('latin1', 0, length), from + length - before]
  }
}
