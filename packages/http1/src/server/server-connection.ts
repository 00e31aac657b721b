import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { Http1ServerRequest } from './request.ts'
import { Http1ServerResponse, type ResponseSocket } from './response.ts'
import { guarded } from '@fairlead/runtime'
import {
  canBecomeOrdinary,
  type HeadRules,
  maxHeadLength,
  readRequestHead,
  type RequestHead,
} from './request-head.ts'

/** The operations of the server that a connection uses. */
export interface ConnectionOwner<match, headState> {
  /** Header fields of every response at the moment. */
  readonly fields: string
  /** Header fields of a response after which the connection stays open. */
  readonly keepAliveFields: string
  /** Whether each connection closes after its response. */
  readonly isDraining: boolean
  /** Maximum length of a body; node:http handles longer ones. */
  readonly maxBodyBytes: number
  readonly timeouts: ServerTimeouts
  /** Creates the complete response to a request that does not arrive in time. */
  readonly timeoutResponse: () => string
  readonly rules: HeadRules<match, headState>
  serve(request: Http1ServerRequest<match, headState>, response: Http1ServerResponse): void
  /** Creates the memory reservation of a connection. */
  reserve(socket: Socket): ConnectionMemory
  /** Schedules the last part of a response to be written with those of other connections in this event-loop tick. */
  writeLater(connection: ServerConnection<match, headState>): void
  /** Moves a connection permanently to node:http, including its unread bytes. */
  fallBack(socket: Socket, unread: Buffer): void
  remove(connection: ServerConnection<match, headState>): void
}

/** The memory that one connection holds: bytes of requests that are incomplete, or were sent ahead. */
export interface ConnectionMemory {
  /** Changes the number of bytes; false when the client may not hold so many, and then nothing changes. */
  resize(bytes: number): boolean
  release(): void
}

/** Timeout of each phase of a connection, in milliseconds. */
export type ServerTimeouts = Readonly<Record<Phase, number>>

interface PendingWrite {
  readonly text: string
  readonly encoding: 'utf8' | 'latin1'
  readonly onWritten: (error?: Error | null) => void
}

type Phase = 'idle' | 'head' | 'body' | 'call' | 'response'

// Maximum number of bytes that a client may send while it waits for a response.
const maxBufferedAhead = 65_536

// Shorter requests are part of what each connection costs.
const unreservedBytes = 4_096

// There may be very many connections, so the memory for cached heads is limited.
const maxCachedHeads = 8
const maxCachedHeadLength = 1_024

const headEnd = Buffer.from('\r\n\r\n')
const noBytes = Buffer.alloc(0)

/** One connection. It serves requests one after the other, until one arrives that is not ordinary. */
export class ServerConnection<match, headState> implements ResponseSocket {
  readonly #owner: ConnectionOwner<match, headState>
  readonly #socket: Socket
  #phase: Phase = 'idle'
  // When the timeout check first saw the phase.
  #since: number | undefined
  #unread: Buffer = noBytes
  // A client sends the same few heads again and again. They differ in the length of the body. The keys include the
  // empty line at the end.
  readonly #heads = new Map<string, RequestHead<match, headState>>()
  // The most recent head.
  #headText = ''
  #head: RequestHead<match, headState> | undefined
  #pieces: Buffer[] = []
  #heldBytes = 0
  #memory: ConnectionMemory | undefined
  #missing = 0
  #response: Http1ServerResponse | undefined
  #last: PendingWrite | undefined
  #isReading = false
  #isLast = false

  constructor(owner: ConnectionOwner<match, headState>, socket: Socket) {
    this.#owner = owner
    this.#socket = socket
    socket.on('data', this.#onData).on('end', this.#end).on('close', this.#close).on('error', this.#close)
    socket.on('timeout', this.#close)
  }

  /** Whether no request has begun and no response is pending. */
  get isIdle(): boolean {
    return this.#phase === 'idle'
  }

  get commonFields(): string {
    return this.#isLast || this.#owner.isDraining
      ? `${this.#owner.fields}connection: close\r\n`
      : `${this.#owner.fields}${this.#owner.keepAliveFields}`
  }

  /** Closes the connection when its phase has timed out, counted from the first check in that phase. */
  check(now: number): void {
    this.#since ??= now
    if (now - this.#since <= this.#owner.timeouts[this.#phase]) return
    // A long complete response has a socket timeout, which limits how long the client may read nothing.
    if (this.#phase === 'response' && this.#socket.timeout) return
    // There, the credential is checked before the rest of the body is read.
    if (this.#phase === 'body') {
      this.#fallBackToNodeHttp()
      return
    }
    if (this.#phase === 'head') this.#socket.write(this.#owner.timeoutResponse())
    this.destroy()
  }

  write(
    data: string | Uint8Array,
    encoding: BufferEncoding,
    onWritten?: (error?: Error | null) => void,
  ): void {
    this.#phase = 'response'
    // Each chunk of a streamed response restarts the timeout.
    this.#since = undefined
    this.#socket.write(data, encoding, onWritten)
  }

  writeBoth(head: string, content: Uint8Array, onWritten: (error?: Error | null) => void): void {
    this.#socket.cork()
    this.write(head, 'latin1')
    this.write(content, 'latin1', onWritten)
    this.#socket.uncork()
  }

  writeLast(text: string, encoding: 'utf8' | 'latin1', onWritten: (error?: Error | null) => void): void {
    this.#last = { text, encoding, onWritten }
    this.#owner.writeLater(this)
  }

  /** Writes the deferred last part of the response. */
  writeNow(): void {
    const last = this.#last
    this.#last = undefined
    if (!last || this.#socket.destroyed) return
    this.write(last.text, last.encoding)
    // Most responses are accepted by the operating system at once and need no write callback.
    if (this.#socket.writableLength === 0) last.onWritten()
    else this.#socket.write('', 'latin1', last.onWritten)
  }

  setTimeout(milliseconds: number): void {
    this.#socket.setTimeout(milliseconds)
  }

  closeAfterResponse(): void {
    this.#isLast = true
  }

  destroy(): void {
    this.#socket.destroy()
  }

  finish(): void {
    this.#response = undefined
    if (this.#socket.timeout) this.#socket.setTimeout(0)
    if (this.#isLast || this.#owner.isDraining) {
      this.#socket.end()
      return
    }
    this.#enter('idle')
    if (this.#socket.isPaused()) this.#socket.resume()
    // A handler that has responded synchronously is still inside the read loop.
    if (!this.#isReading) this.#read()
  }

  #enter(phase: Phase): void {
    if (this.#phase === phase) return
    this.#phase = phase
    this.#since = undefined
  }

  // An error that a handler throws ends only this connection.
  readonly #onData = guarded(
    'http1',
    (bytes: Buffer) => this.#onBytes(bytes),
    () => this.destroy(),
  )

  #onBytes(bytes: Buffer): void {
    if (this.#phase === 'idle' && this.#unread.length === 0 && this.#serveCachedHead(bytes)) return
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes])
    if (this.#response === undefined) this.#read()
    else if (this.#unread.length > maxBufferedAhead || !this.#reserve()) this.#socket.pause()
  }

  /** Serves a request that arrived whole and whose head equals the previous one, which is the usual case. */
  #serveCachedHead(bytes: Buffer): boolean {
    const cached = this.#headText
    const head = this.#head
    if (!head || bytes.length !== cached.length + head.contentLength) return false
    const text = bytes.toString('latin1')
    if (!text.startsWith(cached)) return false
    this.#isReading = true
    this.#serve(head, text.slice(cached.length))
    this.#isReading = false
    return true
  }

  #read(): void {
    this.#isReading = true
    while (this.#response === undefined && this.#unread.length > 0 && !this.#socket.destroyed) {
      if (!(this.#phase === 'body' ? this.#readBody() : this.#readHead())) break
    }
    this.#isReading = false
  }

  /** Returns whether reading continues. */
  #readHead(): boolean {
    const bytes = this.#unread
    const end = bytes.indexOf(headEnd)
    if (end < 0) {
      if (bytes.length > maxHeadLength || !canBecomeOrdinary(bytes.toString('latin1'), this.#owner.rules))
        return this.#fallBackToNodeHttp()
      this.#enter('head')
      return false
    }
    const bodyStart = end + headEnd.length
    const head = end > maxHeadLength ? undefined : this.#headOf(bytes.toString('latin1', 0, bodyStart))
    if (!head) return this.#fallBackToNodeHttp()
    this.#unread = bytes.subarray(bodyStart)
    return this.#beginBody(head)
  }

  /** The parsed head of this text, which includes the empty line; undefined when the server does not accept it. */
  #headOf(text: string): RequestHead<match, headState> | undefined {
    const cached = this.#heads.get(text)
    const head = cached ?? readRequestHead(text.slice(0, -headEnd.length), this.#owner.rules)
    if (!head || head.contentLength > this.#owner.maxBodyBytes) return undefined
    if (!cached && text.length <= maxCachedHeadLength) {
      if (this.#heads.size === maxCachedHeads) this.#heads.clear()
      this.#heads.set(text, head)
    }
    this.#headText = text
    this.#head = head
    return head
  }

  #beginBody(head: RequestHead<match, headState>): boolean {
    this.#missing = head.contentLength
    if (this.#unread.length >= this.#missing) return this.#readBody()
    this.#enter('body')
    return this.#unread.length > 0
  }

  #readBody(): boolean {
    const piece = this.#unread.length > this.#missing ? this.#unread.subarray(0, this.#missing) : this.#unread
    this.#unread = piece.length === this.#unread.length ? noBytes : this.#unread.subarray(piece.length)
    this.#missing -= piece.length
    if (this.#missing > 0) {
      this.#pieces.push(piece)
      this.#heldBytes += piece.length
      return this.#reserve() ? false : this.#fallBackToNodeHttp()
    }
    const body = this.#pieces.length === 0 ? piece : Buffer.concat([...this.#pieces, piece])
    this.#detach()
    this.#serve(this.#head as RequestHead<match, headState>, body.toString('latin1'))
    return true
  }

  #serve(head: RequestHead<match, headState>, body: string): void {
    this.#enter('call')
    const response = new Http1ServerResponse(this)
    this.#response = response
    this.#owner.serve(new Http1ServerRequest(head, this.#socket, body), response)
  }

  #fallBackToNodeHttp(): false {
    const partial = this.#phase === 'body' ? [Buffer.from(this.#headText, 'latin1'), ...this.#pieces] : []
    this.#removeListeners()
    this.#owner.fallBack(this.#socket, Buffer.concat([...partial, this.#unread]))
    return false
  }

  /** Reserves memory for the bytes that are held; returns false when the client may not hold so many. */
  #reserve(): boolean {
    const bytes = this.#heldBytes + this.#unread.length
    if (bytes <= unreservedBytes) return true
    this.#memory ??= this.#owner.reserve(this.#socket)
    return this.#memory.resize(bytes)
  }

  #detach(): void {
    this.#memory?.release()
    if (this.#heldBytes === 0) return
    this.#heldBytes = 0
    this.#pieces = []
  }

  // Same as node:http: the connection ends without waiting when the client has ended its side.
  readonly #end = (): void => void this.#socket.end()

  readonly #close = (): void => {
    this.#removeListeners()
    this.#socket.destroy()
    this.#response?.close()
  }

  #removeListeners(): void {
    const socket = this.#socket
    socket.off('data', this.#onData).off('end', this.#end).off('close', this.#close).off('error', this.#close)
    socket.off('timeout', this.#close)
    this.#detach()
    this.#owner.remove(this)
  }
}
