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
  /** Milliseconds in which the client has to take what is left of a call that failed. */
  readonly lingerMs: number
}

/** What a call needs beside its stream. */
export interface CallStarting {
  readonly headers: IncomingHttpHeaders
  readonly limits: CallLimits
  /** `grpc-encoding` of the answer. */
  readonly encoding: string | undefined
  readonly timeoutMs: number | undefined
}

// setTimeout takes no more; a deadline beyond is none.
const mostMilliseconds = 2_147_483_647

// What reads on after the end is told; made once, as every call ends and making an error is slow.
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
  /** Set once the call has ended in any other way than by its handler. */
  #failure: GrpcError | undefined
  #hasEnded = false

  /** @throws GrpcError UNIMPLEMENTED for messages in an unknown encoding */
  constructor(stream: ServerHttp2Stream, { headers, limits, encoding, timeoutMs }: CallStarting) {
    const decompress = decompressorOf(textOf(headers['grpc-encoding']), limits.maxMessageBytes)
    this.path = headers[':path'] ?? ''
    this.#stream = stream
    this.#headers = headers
    this.#limits = limits
    this.#encoding = encoding
    this.#reader = new RequestReader(stream, { ...limits, decompress, onFault: (error) => this.fail(error) })
    this.#writer = new FrameWriter(stream, limits.writeBufferBytes)
    if (timeoutMs !== undefined && timeoutMs <= mostMilliseconds) {
      this.deadline = performance.now() + timeoutMs
      this.#timer = setTimeout(() => this.#expire(), Math.ceil(timeoutMs))
    }
    stream.once('aborted', () => this.#lose())
    stream.once('close', () => {
      clearTimeout(this.#timer)
      this.#lose()
    })
  }

  get metadata(): Metadata {
    this.#metadata ??= headersToMetadata(this.#headers)
    return this.#metadata
  }

  get remoteAddress(): string | undefined {
    const { session } = this.#stream
    // The socket of a connection that has ended throws when it is asked.
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
    const own = metadataToHeaders(metadata)
    if (this.#hasEnded || stream.headersSent || stream.destroyed || stream.closed) return
    const headers: Record<string, string | string[]> = {
      'content-type': 'application/grpc',
      'grpc-accept-encoding': acceptedEncodings,
      ...own,
    }
    if (this.#encoding !== undefined) headers['grpc-encoding'] = this.#encoding
    stream.respond(headers, { waitForTrailers: true })
    stream.once('wantTrailers', () => {
      // Nobody would catch what it throws.
      if (stream.destroyed || stream.closed) return
      stream.sendTrailers(this.#status)
      // Node sends the trailers in the next turn of the event loop, before this.
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

  /** Ends the call for a reason that its handler does not know. */
  fail(error: unknown): void {
    if (this.#hasEnded) return
    const failure = GrpcError.is(error) ? error : new GrpcError(Status.INTERNAL, 'internal error')
    this.#failure = failure
    this.end(failure.code, failure.detail, {})
    this.#abort?.abort(failure)
  }

  /** Ends the stream at once, with what could not be sent. */
  destroy(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL)
  }

  #expire(): void {
    if (this.#hasEnded) this.destroy()
    else this.fail(new GrpcError(Status.DEADLINE_EXCEEDED, 'the deadline of the call has passed'))
  }

  /** The client is gone, or its connection. */
  #lose(): void {
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

  /** A client that does not read would keep what is left in memory, and never see the status. */
  #limitLinger(code: StatusCode): void {
    this.#writer.flush()
    if (this.#stream.writableLength === 0) return
    const timer = setTimeout(() => this.#stream.close(resetOf(code)), this.#limits.lingerMs).unref()
    this.#stream.once('close', () => clearTimeout(timer))
  }
}

/** The error code of HTTP/2 that a client reads as the status, or comes nearest to it. */
function resetOf(code: StatusCode): number {
  if (code === Status.CANCELLED || code === Status.DEADLINE_EXCEEDED) return constants.NGHTTP2_CANCEL
  if (code === Status.RESOURCE_EXHAUSTED) return constants.NGHTTP2_ENHANCE_YOUR_CALM
  if (code === Status.PERMISSION_DENIED) return constants.NGHTTP2_INADEQUATE_SECURITY
  return constants.NGHTTP2_INTERNAL_ERROR
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}
