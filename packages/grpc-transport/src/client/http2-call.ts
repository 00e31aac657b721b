import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { decompressorOf, framerOf } from '../compression.ts'
import type { Call, CallStart } from '../wire/call.ts'
import { createFrameReader } from '../wire/frame-reader.ts'
import { GrpcError } from '../wire/grpc-error.ts'
import { headersToMetadata, metadataToHeaders } from '../wire/metadata-headers.ts'
import type { Metadata } from '../wire/metadata.ts'
import { Status } from '../wire/status.ts'
import { formatTimeout } from '../wire/timeout.ts'
import { errorOfTrailers } from '../wire/trailers.ts'
import { errorOfResponse } from './response-error.ts'
import type { Connection } from './connection.ts'
import { createReceiveQueue, type Failure, type ReceiveQueue } from './receive-queue.ts'
import { onAbort } from './on-abort.ts'
import { codeOf } from './open-session.ts'
import { type CallSettings, longestMs } from './options.ts'
import { createSendQueue, type SendQueue } from './send-queue.ts'
import { errorOfReset } from './reset-error.ts'
import type { Connections } from './sessions.ts'
import { type Waiter, waiter } from './waiter.ts'

const timerResolutionMs = 1

/** A call over one HTTP/2 stream, or over a second one if the server has certainly not processed the first. */
export class Http2Call implements Call {
  readonly #start: CallStart
  readonly #settings: CallSettings
  readonly #connections: Connections
  readonly #startedAt: number
  readonly #sendQueue: SendQueue
  readonly #receiveQueue: ReceiveQueue
  #requestHeaders: Readonly<Record<string, string | string[]>> = {}
  #stream: ClientHttp2Stream | undefined
  #isRetried = false

  #responseHeaders: IncomingHttpHeaders | undefined
  #responseTrailers: IncomingHttpHeaders | undefined
  #headers: Waiter<Metadata> | undefined
  #trailers: Metadata | undefined

  #hasEnded = false
  /** The failure that ended the call; undefined for OK. */
  #failure: Failure | undefined
  #timer: NodeJS.Timeout | undefined
  #removeAbortListener: (() => void) | undefined

  constructor(start: CallStart, settings: CallSettings, connections: Connections) {
    this.#start = start
    this.#settings = settings
    this.#connections = connections
    this.#startedAt = performance.now()
    this.#sendQueue = createSendQueue(framerOf(settings.compression))
    this.#receiveQueue = createReceiveQueue(settings.queueBytes, (error) => this.#abandon(error))
    try {
      this.#requestHeaders = {
        ...settings.headers,
        ...metadataToHeaders(start.metadata ?? {}),
        ':path': start.path,
      }
    } catch (error) {
      this.#finish({ reason: error })
      return
    }
    this.#limit()
    if (!this.#hasEnded) this.#connect()
  }

  get headers(): Promise<Metadata> {
    if (this.#headers === undefined) {
      this.#headers = waiter()
      // A caller that does not await the headers gets the failure from the call.
      this.#headers.promise.catch(() => {})
      this.#settleHeaders()
    }
    return this.#headers.promise
  }

  get trailers(): Metadata | undefined {
    if (this.#hasEnded && this.#responseTrailers) this.#trailers ??= headersToMetadata(this.#responseTrailers)
    return this.#trailers
  }

  read(): Uint8Array | undefined {
    return this.#receiveQueue.read()
  }

  readable(): Promise<boolean> {
    return this.#receiveQueue.readable()
  }

  send(message: Uint8Array): Promise<void> {
    return this.#sendQueue.send(message)
  }

  end(): void {
    this.#sendQueue.end()
  }

  cancel(reason: unknown = new GrpcError(Status.CANCELLED, 'the call was cancelled')): void {
    this.#abandon(reason)
  }

  #limit(): void {
    const { signal, timeoutMs } = this.#start
    if (signal?.aborted) {
      this.#finish({ reason: signal.reason })
      return
    }
    if (signal) this.#removeAbortListener = onAbort(signal, () => this.#abandon(signal.reason))
    if (timeoutMs === undefined) return
    const onTimeout = () => this.#abandon(deadlineExceeded(timeoutMs))
    if (timeoutMs <= 0) onTimeout()
    else if (timeoutMs <= longestMs) this.#timer = setTimeout(onTimeout, timeoutMs)
  }

  #connect(): void {
    const connection = this.#connections.ready()
    if (connection) {
      this.#open(connection)
      return
    }
    void this.#wait()
  }

  async #wait(): Promise<void> {
    try {
      const connection = await this.#connections.acquire()
      if (!this.#hasEnded) this.#open(connection)
    } catch (error) {
      this.#finish({ reason: error })
    }
  }

  #open(connection: Connection): void {
    const { timeoutMs } = this.#start
    const headers =
      timeoutMs === undefined
        ? this.#requestHeaders
        : {
            ...this.#requestHeaders,
            'grpc-timeout': formatTimeout(timeoutMs + this.#startedAt - performance.now()),
          }
    const stream = this.#request(connection, headers)
    if (stream === undefined) return
    let failure: unknown
    this.#stream = stream
    stream.on('response', (response) => this.#onResponse(stream, response))
    stream.on('trailers', (trailers) => (this.#responseTrailers = trailers))
    stream.on('end', () => this.#onEnd(stream))
    stream.on('error', (error) => (failure = error))
    stream.on('close', () => {
      // A replaced stream has no further effect.
      if (this.#hasEnded || stream !== this.#stream) return
      const loss = connection.lossOf(stream, failure)
      this.#retryOrFail(loss ?? this.#errorOfReset(stream.rstCode ?? 0))
    })
    this.#sendQueue.open(stream)
  }

  // A server that enforces the deadline resets the stream when it has passed, possibly before the local timer fires.
  #errorOfReset(code: number): GrpcError {
    const { timeoutMs = Infinity } = this.#start
    const isCancelled = code === constants.NGHTTP2_CANCEL
    const isPast = performance.now() - this.#startedAt > timeoutMs - timerResolutionMs
    return isCancelled && isPast ? deadlineExceeded(timeoutMs) : errorOfReset(code)
  }

  #request(connection: Connection, headers: OutgoingHttpHeaders): ClientHttp2Stream | undefined {
    try {
      return connection.session.request(headers, { endStream: false })
    } catch (error) {
      // Node.js 20 throws where later versions return a stream that fails.
      const isUnprocessed = connection.isClosed
      const code = isUnprocessed ? Status.UNAVAILABLE : Status.INTERNAL
      this.#retryOrFail(
        new GrpcError(code, `could not open a stream: ${codeOf(error)}`, {}, { isUnprocessed }),
      )
      return undefined
    }
  }

  #onResponse(stream: ClientHttp2Stream, response: IncomingHttpHeaders): void {
    if (this.#hasEnded) return
    this.#sendQueue.stopBuffering()
    const failure = errorOfResponse(response)
    if (failure) {
      this.#abandon(failure)
      return
    }
    if (response['grpc-status'] !== undefined) {
      // A trailers-only response: the same frame, or an empty one after it, ends the stream.
      this.#responseTrailers = response
      stream.resume()
      return
    }
    try {
      const { maxMessageBytes } = this.#settings
      const decompress = decompressorOf(single(response['grpc-encoding']), maxMessageBytes, Status.INTERNAL)
      this.#receiveQueue.open(stream, createFrameReader({ maxMessageBytes, decompress }))
    } catch (error) {
      this.#abandon(error)
      return
    }
    this.#responseHeaders = response
    this.#settleHeaders()
  }

  /** The server has sent the complete response. */
  #onEnd(stream: ClientHttp2Stream): void {
    const trailers = this.#responseTrailers
    // A stream that was reset also ends before it closes; the close event has the reason.
    if (this.#hasEnded || (trailers === undefined && stream.rstCode !== constants.NGHTTP2_NO_ERROR)) return
    const failure = trailers
      ? errorOfTrailers(trailers)
      : new GrpcError(Status.INTERNAL, 'the server ended the stream without trailers')
    this.#finish(failure && { reason: failure })
    // Data that the server has not received by now is not needed. If nothing is left, both sides end normally.
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL)
    else if (!stream.writableEnded) stream.end()
  }

  /**
   * Ends the call with its stream, unless the server has certainly not processed it and all messages can be sent again.
   */
  #retryOrFail(failure: GrpcError): void {
    if (failure.isUnprocessed && !this.#isRetried && this.#sendQueue.rewind()) {
      this.#isRetried = true
      this.#connect()
    } else this.#finish({ reason: failure })
  }

  /** Ends the call while the server is still working; the received data is dropped. */
  #abandon(reason: unknown): void {
    if (this.#hasEnded) return
    this.#receiveQueue.drop()
    this.#finish({ reason })
    this.#stream?.close(constants.NGHTTP2_CANCEL)
  }

  #finish(failure: Failure | undefined): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#failure = failure
    clearTimeout(this.#timer)
    this.#removeAbortListener?.()
    this.#sendQueue.close()
    this.#settleHeaders()
    this.#receiveQueue.close(failure)
  }

  #settleHeaders(): void {
    const waiting = this.#headers
    if (waiting === undefined) return
    if (this.#responseHeaders) waiting.resolve(headersToMetadata(this.#responseHeaders))
    else if (this.#failure) waiting.reject(this.#failure.reason)
    else if (this.#hasEnded) waiting.resolve({})
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}

function deadlineExceeded(timeoutMs: number): GrpcError {
  return new GrpcError(Status.DEADLINE_EXCEEDED, `no answer within ${timeoutMs} ms`)
}
