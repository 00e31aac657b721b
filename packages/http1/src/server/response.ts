import { Buffer } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { Writable } from 'node:stream'

/** Where a response goes. */
export interface ResponseSocket {
  /** The fields that every answer on the connection has at the moment, each line ended by CRLF. */
  readonly commonFields: string
  write(data: string | Uint8Array, encoding: BufferEncoding, taken?: (error?: Error | null) => void): void
  /** Writes a head, as Latin-1, and a content with it. */
  writeBoth(head: string, content: Uint8Array, taken: (error?: Error | null) => void): void
  /**
   * Writes the last of an answer, together with those of other connections.
   *
   * @param taken - hears that the operating system has all of it
   */
  writeLast(text: string, encoding: 'utf8' | 'latin1', taken: (error?: Error | null) => void): void
  setTimeout(milliseconds: number): void
  destroy(): void
  /** Hears that the whole answer was taken, so that the next request may come. */
  finish(): void
}

// Longer ones are not worth a copy into one piece with the head.
const longestPiece = 16_384

const endOfHead = '\r\n'
const okLine = 'HTTP/1.1 200 OK\r\n'
const lastChunk = '0\r\n\r\n'

/** Headers that are set at once. */
export interface PresetHeaders {
  /** In lower case. */
  readonly names: readonly string[]
  /** The same with their values, each line with its end. */
  readonly lines: string
}

const noFields: PresetHeaders = { names: [], lines: '' }

/** The response to a request, with the methods of a `ServerResponse` that listeners use. It emits `close` once. */
export class Http1ServerResponse {
  statusCode = 200
  headersSent = false
  destroyed = false
  writableFinished = false
  readonly #socket: ResponseSocket
  #preset = noFields
  // Of the fields that were set one by one.
  readonly #names: string[] = []
  readonly #values: string[] = []
  #whenClosed: (() => void) | undefined
  #isChunked = false

  constructor(socket: ResponseSocket) {
    this.#socket = socket
  }

  /** Hears that the answer has left, or cannot any more. */
  once(_: 'close', listener: () => void): void {
    const before = this.#whenClosed
    this.#whenClosed = before
      ? () => {
          before()
          listener()
        }
      : listener
  }

  /** Sets the first headers at once, which are known to be valid. */
  presetHeaders(headers: PresetHeaders): true {
    this.#preset = headers
    return true
  }

  /** @throws TypeError when the value could be read as more than one field */
  setHeader(name: string, value: string | number | readonly string[]): void {
    const text = String(value)
    if (/[^\x20-\x7E]/.test(text)) throw new TypeError(`The header ${name} holds a sign that it cannot hold.`)
    if (this.#preset.names.includes(name)) this.#preset = without(this.#preset, name)
    const known = this.#names.indexOf(name)
    if (known >= 0) this.#values[known] = text
    else {
      this.#names.push(name)
      this.#values.push(text)
    }
  }

  hasHeader(name: string): boolean {
    return this.#names.includes(name) || this.#preset.names.includes(name)
  }

  /** Ends the connection when the client takes nothing for so long. */
  setTimeout(milliseconds: number): void {
    this.#socket.setTimeout(milliseconds)
  }

  /** Sends an answer that is at hand whole, in one piece where it is short; of a text, in the encoding that is named. */
  end(content: string | Uint8Array = '', encoding: 'utf8' | 'latin1' = 'utf8'): void {
    if (this.headersSent || this.destroyed) return
    this.headersSent = true
    const isPlain = typeof content !== 'string' || encoding === 'latin1'
    const length = isPlain ? content.length : Buffer.byteLength(content)
    const head = this.#head(this.#lengthLine(length))
    if (typeof content !== 'string') {
      if (length > longestPiece) {
        this.#socket.writeBoth(head, content, this.#taken)
        return
      }
      const bytes = Buffer.from(content.buffer, content.byteOffset, length)
      this.#socket.writeLast(head + bytes.toString('latin1'), 'latin1', this.#taken)
    } else {
      this.#socket.writeLast(head + content, length === content.length ? 'latin1' : 'utf8', this.#taken)
    }
  }

  /** Sends the head of an answer whose content comes bit by bit. */
  flushHeaders(): void {
    if (this.headersSent) return
    this.headersSent = true
    this.#isChunked = !this.hasHeader('content-length')
    this.#socket.write(this.#head(this.#isChunked ? 'transfer-encoding: chunked\r\n' : ''), 'latin1')
  }

  /** The same answer as a stream, for content that comes bit by bit. Breaking it off ends the connection. */
  contentStream(): Writable {
    return new Writable({
      write: (chunk: Buffer, _, done) => {
        this.flushHeaders()
        if (!this.#isChunked) return this.#socket.write(chunk, 'latin1', done)
        this.#socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
        this.#socket.write(chunk, 'latin1')
        this.#socket.write('\r\n', 'latin1', done)
      },
      final: (done) => {
        this.flushHeaders()
        this.#socket.writeLast(this.#isChunked ? lastChunk : '', 'latin1', this.#taken)
        done()
      },
      destroy: (error, done) => {
        if (error) this.destroy()
        done(null)
      },
    })
  }

  /** Whether the connection is gone. */
  isDisconnected(): boolean {
    return this.destroyed
  }

  /** Sends a JSON text. Nothing is left to be received: requests are read whole. */
  endAndLinger(_request: unknown, text: string): Promise<void> {
    this.setHeader('content-type', 'application/json')
    this.end(text)
    return Promise.resolve()
  }

  /** Breaks off the answer, and the connection with it. */
  destroy(): void {
    this.#socket.destroy()
    this.close()
  }

  /** To be told when there is nobody left to answer. */
  close(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#whenClosed?.()
  }

  /** The length stands in the head once: a handler may have set that of an upstream. */
  #lengthLine(length: number): string {
    // Nothing may follow the head of a 204, not even its length.
    if (this.statusCode === 204) return ''
    if (!this.#names.includes('content-length')) return `content-length: ${length}\r\n`
    this.setHeader('content-length', length)
    return ''
  }

  #head(framing: string): string {
    const { statusCode } = this
    const line = statusCode === 200 ? okLine : `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n`
    let head = line + this.#preset.lines
    for (let at = 0; at < this.#names.length; at++) head += `${this.#names[at]}: ${this.#values[at]}\r\n`
    return head + this.#socket.commonFields + framing + endOfHead
  }

  readonly #taken = (error?: Error | null): void => {
    if (error || this.destroyed) return
    this.writableFinished = true
    this.destroyed = true
    this.#whenClosed?.()
    this.#socket.finish()
  }
}

function without({ names, lines }: PresetHeaders, name: string): PresetHeaders {
  const isOther = (line: string) => line !== '' && !line.startsWith(`${name}: `)
  const others = lines.split('\r\n').filter(isOther)
  return {
    names: names.filter((other) => other !== name),
    lines: others.map((line) => `${line}\r\n`).join(''),
  }
}
