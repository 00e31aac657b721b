import type { Http2Session, ServerHttp2Stream } from 'node:http2'
import { createFrameReader, type FrameReader } from '../wire/frame-reader.ts'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'

export interface RequestReaderOptions {
  readonly maxMessageBytes: number
  readonly decompress: ((message: Uint8Array) => Uint8Array) | undefined
  /** Maximum bytes of requests that the calls of one connection may buffer together. */
  readonly maxConnectionBytes: number
  /** Called when the request cannot be read completely. */
  onFault(error: unknown): void
}

// Above this size reading from the stream stops while a message is unread, so that its window closes.
const highWaterBytes = 64 << 10

const bufferedBytesBySession = new WeakMap<Http2Session, number>()

/** Reads the messages of a request, no faster than they are consumed. */
export class RequestReader {
  readonly #stream: ServerHttp2Stream
  readonly #session: Http2Session | undefined
  readonly #options: RequestReaderOptions
  readonly #frames: FrameReader
  #bufferedBytes = 0
  #hasEnded = false
  #error: unknown
  #waiting: { resolve(hasMessage: boolean): void; reject(error: unknown): void }[] = []

  constructor(stream: ServerHttp2Stream, options: RequestReaderOptions) {
    this.#stream = stream
    this.#session = stream.session
    this.#options = options
    this.#frames = createFrameReader(options)
    stream.on('data', (bytes: Buffer) => this.#onData(bytes))
    stream.on('end', () => this.#onEnd())
  }

  read(): Uint8Array | undefined {
    if (this.#error !== undefined) return undefined
    try {
      const message = this.#frames.read()
      this.#updateBuffered()
      if (this.#stream.isPaused() && this.#frames.waitingBytes < highWaterBytes) this.#stream.resume()
      return message
    } catch (error) {
      this.#options.onFault(error)
      return undefined
    }
  }

  /** Waits for a message (true) or the end (false); rejects with the reason with which the call was stopped. */
  readable(): Promise<boolean> {
    if (this.#error !== undefined) return Promise.reject(this.#error)
    if (this.#isReady()) return Promise.resolve(true)
    if (this.#isComplete()) return Promise.resolve(false)
    if (this.#error !== undefined) return Promise.reject(this.#error)
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /** Stops reading; a waiting reader gets the reason. */
  stop(reason: unknown): void {
    if (this.#error !== undefined) return
    this.#error = reason
    this.#updateBuffered(0)
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(reason)
  }

  #onData(bytes: Buffer): void {
    if (this.#error !== undefined) return
    this.#frames.push(bytes)
    this.#updateBuffered()
    if (this.#isReady()) {
      if (this.#frames.waitingBytes >= highWaterBytes) this.#stream.pause()
      this.#wake(true)
    }
  }

  #onEnd(): void {
    if (this.#error !== undefined) return
    this.#hasEnded = true
    if (!this.#isReady() && this.#isComplete()) this.#wake(false)
  }

  /** Whether the client has ended its side and all messages were read. */
  #isComplete(): boolean {
    if (!this.#hasEnded || this.#error !== undefined) return false
    try {
      this.#frames.end()
      return true
    } catch (error) {
      this.#options.onFault(error)
      return false
    }
  }

  #isReady(): boolean {
    try {
      return this.#frames.isReady()
    } catch (error) {
      this.#options.onFault(error)
      return false
    }
  }

  #wake(hasMessage: boolean): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { resolve } of waiting) resolve(hasMessage)
  }

  #updateBuffered(bytes = this.#frames.waitingBytes): void {
    if (this.#session === undefined || bytes === this.#bufferedBytes) return
    const total = (bufferedBytesBySession.get(this.#session) ?? 0) + bytes - this.#bufferedBytes
    const grew = bytes > this.#bufferedBytes
    this.#bufferedBytes = bytes
    bufferedBytesBySession.set(this.#session, total)
    if (grew && total > this.#options.maxConnectionBytes) {
      this.#options.onFault(
        new GrpcError(
          Status.RESOURCE_EXHAUSTED,
          'the calls of this connection hold too many bytes of requests',
        ),
      )
    }
  }
}
