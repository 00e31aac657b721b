import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { GrpcError } from '../wire/grpc-error.ts'
import { headersToMetadata, metadataToHeaders } from '../wire/metadata-headers.ts'
import type { Metadata } from '../wire/metadata.ts'
import { Status, type StatusCode } from '../wire/status.ts'
import { acceptedEncodings, decompressorOf } from '../compression.ts'
import { FrameWriter } from './frame-writer.ts'
import { RequestReader } from './request-reader.ts'
import { dropRequest, respondStatus, type StatusHeaders, statusHeaders } from './respond-status.ts'
import type { ServerStream } from './server-call.ts'

export interface CallLimits {
  readonly maxMessageBytes: number
  readonly maxConnectionBytes: number
  readonly writeBufferBytes: number
  /** Milliseconds in which the client must read the remaining data of a failed call. */
  readonly lingerMs: number
}

/** The parameters of a call in addition to its stream. */
export interface CallParameters {
  readonly headers: IncomingHttpHeaders
  readonly limits: CallLimits
  /** `grpc-encoding` of the response. */
  readonly encoding: string | undefined
  readonly timeoutMs: number | undefined
}

// The maximum of setTimeout; a later deadline counts as none.
const maxTimerMs = 2_147_483_647

// Reported to reads after the end. Created once, because every call ends and creating an error is slow.
const ended = new GrpcError(Status.CANCELLED, 'the call has ended')

/** A call on a stream of node:http2. */
export class Http2Call implements ServerStream {
  readonly path: string
  readonly deadline: number | undefined
  readonly #stream: ServerHttp2Stream
  readonly #headers: IncomingHttpHeaders
  readonly #limits: CallLimits
  readonly #encoding: string | undefined
  readonly #reader: RequestReader
  readonly #writer: FrameWriter
  readonly #timer: NodeJS.Timeout | undefined
  #metadata: Metadata | undefined
  #trailers: Metadata = {}
  #status: StatusHeaders = {}
  #abort: AbortController | undefined
  /** Set when the call has ended in any other way than by its handler. */
  #failure: GrpcError | undefined
  #hasEnded = false

  /** @throws GrpcError UNIMPLEMENTED for messages in an unknown encoding */
  constructor(stream: ServerHttp2Stream, { headers, limits, encoding, timeoutMs }: CallParameters) {
    const decompress = decompressorOf(textOf(headers['grpc-encoding']), limits.maxMessageBytes)
    this.path = headers[':path'] ?? ''
    this.#stream = stream
    this.#headers = headers
    this.#limits = limits
    this.#encoding = encoding
    this.#reader = new RequestReader(stream, { ...limits, decompress, onFault: (error) => this.fail(error) })
    this.#writer = new FrameWriter(stream, limits.writeBufferBytes)
    if (timeoutMs !== undefined && timeoutMs <= maxTimerMs) {
      this.deadline = performance.now() + timeoutMs
      this.#timer = setTimeout(() => this.#expire(), Math.ceil(timeoutMs))
    }
    stream.once('aborted', () => this.#onClientLost())
    stream.once('close', () => {
      clearTimeout(this.#timer)
      this.#onClientLost()
    })
  }

  get metadata(): Metadata {
    this.#metadata ??= headersToMetadata(this.#headers)
    return this.#metadata
  }

  get remoteAddress(): string | undefined {
    const { session } = this.#stream
    // The socket of a destroyed session throws on access.
    return session === undefined || session.destroyed ? undefined : session.socket.remoteAddress
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#failure !== undefined) this.#abort.abort(this.#failure)
    return this.#abort.signal
  }

  get bufferedBytes(): number {
    return this.#writer.bufferedBytes
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  read(): Uint8Array | undefined {
    return this.#reader.read()
  }

  readable(): Promise<boolean> {
    return this.#reader.readable()
  }

  sendHeaders(metadata: Metadata = {}): void {
    const stream = this.#stream
    const metadataHeaders = metadataToHeaders(metadata)
    if (this.#hasEnded || stream.headersSent || stream.destroyed || stream.closed) return
    const headers: Record<string, string | string[]> = {
      'content-type': 'application/grpc',
      'grpc-accept-encoding': acceptedEncodings,
      ...metadataHeaders,
    }
    if (this.#encoding !== undefined) headers['grpc-encoding'] = this.#encoding
    stream.respond(headers, { waitForTrailers: true })
    stream.once('wantTrailers', () => {
      // An exception here would be uncaught.
      if (stream.destroyed || stream.closed) return
      stream.sendTrailers(this.#status)
      // Node.js sends the trailers in the next event-loop tick, before this callback.
      setImmediate(() => dropRequest(stream))
    })
  }

  setTrailers(metadata: Metadata): void {
    this.#trailers = metadata
  }

  write(frames: Uint8Array): boolean {
    if (this.#hasEnded) return true
    if (!this.#stream.headersSent) this.sendHeaders()
    return this.#writer.write(frames)
  }

  drained(): Promise<void> {
    return this.#hasEnded ? Promise.resolve() : this.#writer.drained()
  }

  end(code: StatusCode = Status.OK, detail = '', metadata: Metadata = this.#trailers): void {
    if (this.#hasEnded) return
    this.#status = statusHeaders(code, detail, metadata)
    if (code === Status.OK) this.#writer.flush()
    else this.#limitLinger(code)
    this.#finish(this.#failure ?? ended)
    if (this.#stream.headersSent) this.#stream.end()
    else respondStatus(this.#stream, code, detail, metadata)
  }

  /** Ends the call for a reason outside of its handler. */
  fail(error: unknown): void {
    if (this.#hasEnded) return
    const failure = GrpcError.is(error) ? error : new GrpcError(Status.INTERNAL, 'internal error')
    this.#failure = failure
    this.end(failure.code, failure.detail, {})
    this.#abort?.abort(failure)
  }

  /** Destroys the stream immediately, including unsent data. */
  destroy(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL)
  }

  #expire(): void {
    if (this.#hasEnded) this.destroy()
    else this.fail(new GrpcError(Status.DEADLINE_EXCEEDED, 'the deadline of the call has passed'))
  }

  /** The client or its connection is lost. */
  #onClientLost(): void {
    if (this.#hasEnded) return
    this.#failure = new GrpcError(Status.CANCELLED, 'the client has cancelled the call')
    this.#finish(this.#failure)
    this.#abort?.abort(this.#failure)
  }

  #finish(reason: GrpcError): void {
    this.#hasEnded = true
    this.#reader.stop(reason)
    this.#writer.release()
  }

  /** Otherwise a client that does not read would keep the remaining data in memory, and never receive the status. */
  #limitLinger(code: StatusCode): void {
    this.#writer.flush()
    if (this.#stream.writableLength === 0) return
    const timer = setTimeout(() => this.#stream.close(resetOf(code)), this.#limits.lingerMs).unref()
    this.#stream.once('close', () => clearTimeout(timer))
  }
}

/** The HTTP/2 error code that a client maps to the status, or to the closest one. */
function resetOf(code: StatusCode): number {
  if (code === Status.CANCELLED || code === Status.DEADLINE_EXCEEDED) return constants.NGHTTP2_CANCEL
  if (code === Status.RESOURCE_EXHAUSTED) return constants.NGHTTP2_ENHANCE_YOUR_CALM
  if (code === Status.PERMISSION_DENIED) return constants.NGHTTP2_INADEQUATE_SECURITY
  return constants.NGHTTP2_INTERNAL_ERROR
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}
