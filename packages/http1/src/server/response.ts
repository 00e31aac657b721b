import { Buffer } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { Writable } from 'node:stream'

/** The connection of a response. */
export interface ResponseSocket {
  /** Header fields that every response on the connection has at the moment, each line ended by CRLF. */
  readonly commonFields: string
  write(data: string | Uint8Array, encoding: BufferEncoding, onWritten?: (error?: Error | null) => void): void
  /** Writes a head as Latin-1, together with the content. */
  writeBoth(head: string, content: Uint8Array, onWritten: (error?: Error | null) => void): void
  /**
   * Writes the last part of a response, together with those of other connections.
   *
   * @param onWritten - called when the operating system has accepted all of it
   */
  writeLast(text: string, encoding: 'utf8' | 'latin1', onWritten: (error?: Error | null) => void): void
  setTimeout(milliseconds: number): void
  /** Closes the connection after the response. */
  closeAfterResponse(): void
  destroy(): void
  /** Called when the whole response was sent, so that the connection can read the next request. */
  finish(): void
}

// Longer content is not worth a copy that joins it with the head.
const maxChunkLength = 16_384

const endOfHead = '\r\n'
const okLine = 'HTTP/1.1 200 OK\r\n'
const lastChunk = '0\r\n\r\n'

/** Headers that are set together. */
export interface PresetHeaders {
  /** Lower-case names of the headers. */
  readonly names: readonly string[]
  /** The same headers as lines, each ended by CRLF. */
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
  // Names of the headers that were set one by one.
  readonly #names: string[] = []
  readonly #values: string[] = []
  #whenClosed: (() => void) | undefined
  #isChunked = false

  constructor(socket: ResponseSocket) {
    this.#socket = socket
  }

  /** Adds a listener that is called when the response was sent or can no longer be sent. */
  once(_: 'close', listener: () => void): void {
    const before = this.#whenClosed
    this.#whenClosed = before
      ? () => {
          before()
          listener()
        }
      : listener
  }

  /** Sets the first headers together. The caller guarantees that they are valid. */
  presetHeaders(headers: PresetHeaders): true {
    this.#preset = headers
    return true
  }

  /** @throws TypeError for a value with other than printable ASCII characters: it could be parsed as several fields */
  setHeader(name: string, value: string | number | readonly string[]): void {
    const text = String(value)
    if (/[^\x20-\x7E]/.test(text)) throw new TypeError(`The header ${name} contains an invalid character.`)
    if (this.#preset.names.includes(name)) this.#preset = without(this.#preset, name)
    const index = this.#names.indexOf(name)
    if (index >= 0) this.#values[index] = text
    else {
      this.#names.push(name)
      this.#values.push(text)
    }
  }

  hasHeader(name: string): boolean {
    return this.#names.includes(name) || this.#preset.names.includes(name)
  }

  /** Closes the connection when the client reads nothing for this long. */
  setTimeout(milliseconds: number): void {
    this.#socket.setTimeout(milliseconds)
  }

  /** Sends a complete response. A short one is sent in one piece. `encoding` applies to a string. */
  end(content: string | Uint8Array = '', encoding: 'utf8' | 'latin1' = 'utf8'): void {
    if (this.headersSent || this.destroyed) return
    this.headersSent = true
    const isPlain = typeof content !== 'string' || encoding === 'latin1'
    const length = isPlain ? content.length : Buffer.byteLength(content)
    const head = this.#head(this.#lengthLine(length))
    if (typeof content !== 'string') {
      if (length > maxChunkLength) {
        this.#socket.writeBoth(head, content, this.#onWritten)
        return
      }
      const bytes = Buffer.from(content.buffer, content.byteOffset, length)
      this.#socket.writeLast(head + bytes.toString('latin1'), 'latin1', this.#onWritten)
    } else {
      this.#socket.writeLast(head + content, length === content.length ? 'latin1' : 'utf8', this.#onWritten)
    }
  }

  /** Sends the headers of a response whose content is streamed. */
  flushHeaders(): void {
    if (this.headersSent) return
    this.headersSent = true
    this.#isChunked = !this.hasHeader('content-length')
    this.#socket.write(this.#head(this.#isChunked ? 'transfer-encoding: chunked\r\n' : ''), 'latin1')
  }

  /** The response as a stream, for streamed content. Destroying it with an error closes the connection. */
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
        this.#socket.writeLast(this.#isChunked ? lastChunk : '', 'latin1', this.#onWritten)
        done()
      },
      destroy: (error, done) => {
        if (error) this.destroy()
        done(null)
      },
    })
  }

  /** Closes the connection after this response. */
  closeConnection(): void {
    this.#socket.closeAfterResponse()
  }

  /** Whether the connection is closed. */
  isDisconnected(): boolean {
    return this.destroyed
  }

  /** Sends a JSON text. No linger is necessary: requests are read completely. */
  endAndLinger(_request: unknown, text: string): Promise<void> {
    this.setHeader('content-type', 'application/json')
    this.end(text)
    return Promise.resolve()
  }

  /** Aborts the response and closes the connection. */
  destroy(): void {
    this.#socket.destroy()
    this.close()
  }

  /** Notifies the response that the connection is closed. */
  close(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#whenClosed?.()
  }

  /** The head contains `content-length` only once: a handler may have set that of an upstream. */
  #lengthLine(length: number): string {
    // A 204 response has no content and no `content-length`.
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

  readonly #onWritten = (error?: Error | null): void => {
    if (error || this.destroyed) return
    this.writableFinished = true
    this.destroyed = true
    this.#whenClosed?.()
    this.#socket.finish()
  }
}

function without({ names, lines }: PresetHeaders, name: string): PresetHeaders {
  const isOther = (line: string) => line !== '' && !line.startsWith(`${name}: `)
  const remaining = lines.split('\r\n').filter(isOther)
  return {
    names: names.filter((other) => other !== name),
    lines: remaining.map((line) => `${line}\r\n`).join(''),
  }
}
