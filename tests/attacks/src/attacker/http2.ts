import * as frames from '@fairlead/gateway-grpc/testing/raw-http2'
import type { Attacker } from './attacker.ts'
import type { Connection } from './connection.ts'

/** How an HTTP/2 connection of an attack behaves. */
export interface Http2Options {
  /** Whether received bytes are read. Default true. */
  readonly reads?: boolean
  /** Flow-control window of each stream. The default is the largest one. */
  readonly window?: number
  /** Whether SETTINGS, PING and DATA are acknowledged. Default true. */
  readonly answers?: boolean
  /** Host name of the requests. */
  readonly authority?: string
}

/** Header fields in the order in which they are sent. */
export type Fields = frames.Fields

const initialWindowSize = 4
const largestWindow = 2 ** 31 - 1
const initialConnectionWindow = 65_535

/** An HTTP/2 connection written frame by frame, which checks nothing that it sends. */
export class Http2Connection {
  readonly #connection: Connection
  readonly #secure: boolean
  readonly #authority: string
  readonly #open = new Set<number>()
  #nextId = 1
  #rest: Buffer = Buffer.alloc(0)

  constructor(attacker: Attacker, options: Http2Options = {}) {
    const {
      reads = true,
      window = largestWindow,
      answers = true,
      authority = attacker.target.authority,
    } = options
    this.#authority = authority
    this.#secure = attacker.target.isSecure
    const connection = attacker.connect({ reads, protocol: 'h2', serverName: authority })
    this.#connection = connection
    const start = frames.clientStartWith([[initialWindowSize, window]])
    const credit =
      window > 0 ? frames.windowUpdate(0, largestWindow - initialConnectionWindow) : Buffer.alloc(0)
    void connection.opened.then(() => connection.write(Buffer.concat([start, credit])))
    if (!reads) return
    connection.onData((bytes) => {
      const parsed = frames.framesOf(this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes)
      this.#rest = Buffer.from(parsed.rest)
      for (const received of parsed.frames) {
        if (frames.endsStream(received)) this.#open.delete(received.streamId)
        const response = answers ? frames.requiredResponse(received) : undefined
        if (response) connection.write(response)
      }
    })
  }

  get isWritable(): boolean {
    return this.#connection.isWritable
  }

  /** The number of streams that neither side has ended. */
  get openStreams(): number {
    return this.#open.size
  }

  onClose(listener: () => void): void {
    this.#connection.onClose(listener)
  }

  /** Opens a stream and returns its id. */
  request(method: string, path: string, further: Fields, isLast: boolean): number {
    const id = this.#next()
    const fields = this.#fields(method, path, further)
    this.write(isLast ? frames.lastHeaders(id, fields) : frames.firstHeaders(id, fields))
    return id
  }

  /** Opens a stream with headers that CONTINUATION frames continue. */
  unfinishedRequest(method: string, path: string, further: Fields): number {
    const id = this.#next()
    this.write(frames.unfinishedHeaders(id, this.#fields(method, path, further)))
    return id
  }

  continueHeaders(id: number, fields: Fields, isLast = false): void {
    this.write(frames.continuation(id, fields, isLast))
  }

  /** Sends data in frames of 16 KiB, the largest that every server accepts. */
  data(id: number, bytes: Buffer, isLast = false): void {
    const size = 16_384
    for (let from = 0; from === 0 || from < bytes.length; from += size) {
      const end = Math.min(bytes.length, from + size)
      this.write(frames.data(id, bytes.subarray(from, end), isLast && end === bytes.length))
    }
  }

  reset(id: number): void {
    this.#open.delete(id)
    this.write(frames.reset(id))
  }

  write(bytes: Buffer): void {
    this.#connection.write(bytes)
  }

  close(): void {
    this.#connection.close()
  }

  #fields(method: string, path: string, further: Fields): Fields {
    return [
      [':method', method],
      [':scheme', this.#secure ? 'https' : 'http'],
      [':authority', this.#authority],
      [':path', path],
      ...further,
    ]
  }

  #next(): number {
    const id = this.#nextId
    this.#nextId += 2
    this.#open.add(id)
    return id
  }
}
