import type { Attacker, Closable } from '../attacker/attacker.ts'
import type { Connection } from '../attacker/connection.ts'
import { chunk, unfinishedHead } from '../attacker/http1.ts'
import { Http2Connection } from '../attacker/http2.ts'
import { opcodes, RawWebSocket, upgradeHeaders, webSocketFrame } from '../attacker/websocket.ts'
import type { ApplicationRequest } from './applications.ts'

/** How a client sends requests. */
export type Wire = 'http1' | 'http2' | 'websocket'

/** What a lane withholds. */
export interface LaneOptions {
  readonly reads: boolean
  readonly hasWindow: boolean
  readonly answers: boolean
  readonly authority: string
  /** Path of the handshake of a WebSocket. */
  readonly path: string
}

/** One connection, on which requests are begun, continued and ended. */
export interface Lane extends Closable {
  readonly isWritable: boolean
  /** Whether another request may be begun while those begun before have no end. */
  readonly hasRoom: boolean
  /** Begins a request; one without a body ends at once. Returns its id. */
  begin(request: ApplicationRequest): number
  /** Begins a request whose headers do not end. */
  beginHeaders(request: ApplicationRequest): number
  addHeader(id: number, name: string, value: string): void
  send(id: number, bytes: Buffer): void
  end(id: number): void
  /** Cancels a request. */
  reset(id: number): void
  close(): void
}

// As many as an HTTP/2 server commonly allows, without being refused.
const maxStreams = 900

/** Opens a connection. */
export function openLane(attacker: Attacker, wire: Wire, options: LaneOptions): Lane {
  if (wire === 'http1') return new Http1Lane(attacker, options)
  return wire === 'http2' ? new Http2Lane(attacker, options) : new WebSocketLane(attacker, options)
}

class Http1Lane implements Lane {
  readonly #connection: Connection
  readonly #host: string
  #isBusy = false

  constructor(attacker: Attacker, { reads, authority }: LaneOptions) {
    this.#connection = attacker.connect({ reads, serverName: authority })
    this.#host = authority
  }

  get isWritable(): boolean {
    return this.#connection.isWritable
  }

  get hasRoom(): boolean {
    return !this.#isBusy
  }

  begin(request: ApplicationRequest): number {
    this.#isBusy = request.body !== undefined
    const coding = this.#isBusy ? 'transfer-encoding: chunked\r\n' : ''
    this.#connection.write(`${this.#headOf(request)}${coding}\r\n`)
    return 0
  }

  beginHeaders(request: ApplicationRequest): number {
    this.#isBusy = true
    this.#connection.write(this.#headOf(request))
    return 0
  }

  addHeader(_: number, name: string, value: string): void {
    this.#connection.write(`${name}: ${value}\r\n`)
  }

  send(_: number, bytes: Buffer): void {
    this.#connection.write(chunk(bytes))
  }

  end(): void {
    if (this.#isBusy) this.#connection.write('0\r\n\r\n')
    this.#isBusy = false
  }

  reset(): void {
    this.#connection.reset()
  }

  close(): void {
    this.#connection.close()
  }

  onClose(listener: () => void): void {
    this.#connection.onClose(listener)
  }

  #headOf({ method, path, fields }: ApplicationRequest): string {
    const upgrade = path.startsWith('/ws/') ? upgradeHeaders(this.#host) : {}
    return unfinishedHead(method, path, { host: this.#host, ...upgrade, ...fields })
  }
}

class Http2Lane implements Lane {
  readonly #connection: Http2Connection

  constructor(attacker: Attacker, { reads, hasWindow, answers, authority }: LaneOptions) {
    const window = hasWindow ? {} : { window: 0 }
    this.#connection = new Http2Connection(attacker, { reads, answers, authority, ...window })
  }

  get isWritable(): boolean {
    return this.#connection.isWritable
  }

  get hasRoom(): boolean {
    return this.#connection.openStreams < maxStreams
  }

  begin({ method, path, fields, body }: ApplicationRequest): number {
    return this.#connection.request(method, path, Object.entries(fields), body === undefined)
  }

  beginHeaders({ method, path, fields }: ApplicationRequest): number {
    return this.#connection.unfinishedRequest(method, path, Object.entries(fields))
  }

  addHeader(id: number, name: string, value: string): void {
    this.#connection.continueHeaders(id, [[name, value]])
  }

  send(id: number, bytes: Buffer): void {
    this.#connection.data(id, bytes)
  }

  end(id: number): void {
    this.#connection.data(id, Buffer.alloc(0), true)
  }

  reset(id: number): void {
    this.#connection.reset(id)
  }

  close(): void {
    this.#connection.close()
  }

  onClose(listener: () => void): void {
    this.#connection.onClose(listener)
  }
}

class WebSocketLane implements Lane {
  readonly #socket: RawWebSocket
  #isBusy = false
  #isFirst = true

  constructor(attacker: Attacker, { reads, answers, path }: LaneOptions) {
    this.#socket = new RawWebSocket(attacker, { path, reads, answers })
  }

  get isWritable(): boolean {
    return this.#socket.isWritable
  }

  get hasRoom(): boolean {
    return !this.#isBusy
  }

  begin(): number {
    this.#isBusy = true
    this.#isFirst = true
    return 0
  }

  beginHeaders(): number {
    throw new Error('Use a lane of HTTP/1.1 for the headers of a handshake.')
  }

  addHeader(): void {
    this.beginHeaders()
  }

  send(_: number, bytes: Buffer): void {
    this.#write(bytes, false)
  }

  end(): void {
    this.#write(Buffer.alloc(0), true)
    this.#isBusy = false
  }

  reset(): void {
    this.#socket.reset()
  }

  close(): void {
    this.#socket.close()
  }

  onClose(listener: () => void): void {
    this.#socket.onClose(listener)
  }

  #write(bytes: Buffer, isLast: boolean): void {
    this.#socket.write(webSocketFrame(this.#isFirst ? opcodes.text : opcodes.continuation, bytes, isLast))
    this.#isFirst = false
  }
}
