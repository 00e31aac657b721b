import { GrpcError, Status, type StatusCode } from '@fairlead/grpc-transport/wire'
import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import {
  type CallEnd,
  endOfError,
  endOfHttp,
  endOfUpstream,
  gatewayEnd,
  withoutSecrets,
} from './call-status.ts'
import type { Downstream } from './downstream.ts'
import { headersForClient, type ReceivedHeaders, trailersForClient } from './metadata.ts'
import { isUnprocessed, releaseStream, type StreamRequest } from '../upstream/grpc-connections.ts'
import type { CallObserver } from './call-observer.ts'
import type { ResumableStream } from '../geyser/resumable-stream.ts'
import type { UpstreamStream } from '../upstream/grpc-pool.ts'
import type { CallPool } from '../upstream/grpc-upstreams.ts'
import { type EventArguments, guarded, guardedTimeout } from '@fairlead/runtime'
import { SentRequests } from './sent-requests.ts'

// How long a client may take to read the end of the call.
const endTimeoutMs = 500

/** One call between a client and an upstream. Bytes pass in both directions as fast as the slower side accepts them. */
export class ProxiedCall {
  /** The upstreams that the call may use from now on. */
  upstreams: CallPool
  readonly #client: Downstream
  readonly #request: StreamRequest
  readonly #observer: CallObserver
  readonly #resumable: ResumableStream | undefined
  /** The upstream that serves the call. */
  #member: UpstreamStream['member'] | undefined
  readonly #sent: SentRequests
  /** Whether the call has moved to another upstream that has sent nothing yet. */
  #isFailingOver = false
  #hasSentHeaders = false
  /** The upstream's side; undefined before it is open, and while it is reopened. */
  #stream: ClientHttp2Stream | undefined
  /** Strings of the upstream that must not reach the client. */
  #secrets: readonly string[] = []
  #trailers: OutgoingHttpHeaders | undefined
  /** Set once the upstream sends no more. */
  #isResponseComplete = false
  /** Whether the client's requests are being read. */
  #isReading = false
  /** The first bytes for the next upstream. */
  #firstBytes: readonly Uint8Array[] = []
  #isSettled = false

  constructor(
    client: Downstream,
    upstreams: CallPool,
    request: StreamRequest,
    observer: CallObserver,
    resumable?: ResumableStream,
  ) {
    this.#client = client
    this.upstreams = upstreams
    this.#request = request
    this.#observer = observer
    this.#resumable = resumable
    this.#sent = new SentRequests(resumable)
  }

  /** Begins the call at the upstream. */
  begin(): void {
    const { requests, response } = this.#client
    const onClose = this.#guard(() => this.#settle(Status.CANCELLED))
    response.once('close', onClose)
    response.on('error', onClose)
    const onDrain = () => {
      this.#observer.onResume()
      this.#stream?.resume()
    }
    response.on('drain', this.#guard(onDrain))
    const onRequestError = (error: unknown) => {
      if (error instanceof GrpcError) this.#finish(endOfError(error))
    }
    requests.on('error', this.#guard(onRequestError))
    if (response.destroyed) onClose()
    else void this.#open()
  }

  /** Whether its upstream is one of the node's. A call that is being opened checks its upstream afterwards. */
  get isUpstreamListed(): boolean {
    const member = this.#stream && this.#member
    return member === undefined || this.upstreams.current.find(member) !== undefined
  }

  /**
   * Continues the call at another upstream, or begins it again there when its upstream has not responded.
   *
   * @returns false when it cannot continue
   */
  move(): boolean {
    if (this.#hasSentHeaders) return this.#failOver()
    const first = this.#isSettled ? undefined : this.#sent.afterMove()
    if (!first) return false
    this.#reopen(first)
    return true
  }

  /** Ends the call from the gateway's side, after a short time also for a client that does not read. */
  terminate(code: StatusCode, detail: string): void {
    if (this.#isSettled) return
    const { response } = this.#client
    const endTimer = guardedTimeout(() => this.#client.destroy(), endTimeoutMs)
    response.once('close', () => clearTimeout(endTimer))
    this.#finish(gatewayEnd(code, detail))
  }

  async #open(): Promise<void> {
    const pool = this.upstreams.current
    try {
      const last = this.#member && pool.find(this.#member)
      const { stream, member, secrets } = await pool.open(this.#request, last)
      this.#member = member
      this.#secrets = secrets
      const isListed = this.upstreams.current.find(member) !== undefined
      if (!this.#isSettled && isListed) return this.#connect(stream)
      stream.on('error', () => undefined).close(constants.NGHTTP2_CANCEL)
      // resend: upstreams changed while opening
      if (!this.#isSettled) await this.#open()
    } catch (error) {
      // None of the upstreams could be reached, and they have changed meanwhile.
      if (!this.#isSettled && pool !== this.upstreams.current) return this.#open()
      const grpcError = error instanceof GrpcError ? error : new GrpcError(Status.INTERNAL, 'Internal error.')
      this.#finish(endOfError(grpcError))
    }
  }

  #connect(stream: ClientHttp2Stream): void {
    this.#stream = stream
    const { requests } = this.#client
    const onResponse = (headers: IncomingHttpHeaders, flags: number, raw: readonly string[]) => {
      if (stream !== this.#stream) return
      this.#isResponseComplete = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
      this.#onResponseHeaders({ headers, raw })
    }
    const onData = (bytes: Buffer) => {
      if (this.#isSettled || stream !== this.#stream) return
      const updates = this.#resumable ? this.#transform('transformUpdates', bytes) : bytes
      if (!updates) return
      this.#isFailingOver = false
      this.#observer.onResponse(updates)
      // A limit on messages may have ended the call.
      if (this.#isSettled || this.#client.write(updates)) return
      stream.pause()
      this.#observer.onStall()
    }
    const onTrailers = (headers: IncomingHttpHeaders, _: number, raw: readonly string[] = []) => {
      if (stream === this.#stream) this.#trailers = trailersForClient({ headers, raw })
    }
    const onEnd = () => {
      if (!this.#trailers || stream !== this.#stream) return
      this.#isResponseComplete = true
      this.#finishOrFailOver(this.#endOf(this.#trailers))
    }
    stream.on('response', this.#guard(onResponse))
    stream.on('data', this.#guard(onData))
    stream.on('trailers', this.#guard(onTrailers))
    stream.on('end', this.#guard(onEnd))
    stream.on('drain', () => requests.resume())
    // The code of the closed stream reports the same error.
    stream.on('error', () => undefined)
    stream.once(
      'close',
      this.#guard(() => this.#onUpstreamClose(stream)),
    )
    this.#sendRequests(stream)
  }

  /** An error that a handler throws ends only this call. */
  #guard<args extends EventArguments>(handle: (...args: args) => void): (...args: args) => void {
    return guarded('grpc', handle, () => {
      this.#client.destroy()
      this.#settle(Status.INTERNAL)
    })
  }

  #sendRequests(stream: ClientHttp2Stream): void {
    const { requests } = this.#client
    for (const bytes of this.#firstBytes) stream.write(bytes)
    this.#firstBytes = []
    if (requests.readableEnded) stream.end()
    else if (this.#isReading) requests.resume()
    else {
      this.#isReading = true
      requests.on(
        'data',
        this.#guard((bytes: Buffer) => this.#send(bytes)),
      )
      requests.once(
        'end',
        this.#guard(() => this.#stream?.end()),
      )
    }
  }

  #send(bytes: Uint8Array): void {
    if (this.#isSettled) return
    this.#observer.onRequest(bytes)
    const requests = this.#resumable ? this.#transform('transformRequests', bytes) : bytes
    if (!requests) return
    this.#sent.add(requests)
    if (this.#stream?.write(requests) === false) this.#client.requests.pause()
  }

  #onResponseHeaders(received: ReceivedHeaders): void {
    this.#sent.drop()
    const { ':status': status = 200, 'content-type': type } = received.headers
    const headers = withoutSecrets(headersForClient(received), this.#secrets)
    if (headers['grpc-status'] !== undefined) this.#finishOrFailOver(this.#endOf(headers))
    else if (Number(status) !== 200 || !type?.startsWith('application/grpc')) {
      this.#finishOrFailOver(endOfHttp(Number(status)))
    } else if (!this.#isSettled && !this.#hasSentHeaders) {
      this.#hasSentHeaders = true
      this.#client.sendHeaders(headers)
    }
  }

  /** @returns undefined when there is nothing to pass on; bytes that are not messages end the call */
  #transform(method: 'transformRequests' | 'transformUpdates', bytes: Uint8Array): Uint8Array | undefined {
    try {
      const output = this.#resumable?.[method](bytes)
      return output?.length === 0 ? undefined : output
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error
      this.#finish(endOfError(error))
      return undefined
    }
  }

  /** Replaces an upstream that cannot continue a stream with the next one. */
  #finishOrFailOver(end: CallEnd): void {
    // The status of the next upstream for a call that it did not begin is of no use to the client.
    const wasFailingOver = this.#isFailingOver
    if ((end.code === Status.UNAVAILABLE || wasFailingOver) && this.#failOver()) return
    this.#finish(wasFailingOver ? resetByUpstream : end)
  }

  /** @returns whether the call resumes at another upstream */
  #failOver(): boolean {
    if (this.#isSettled || !this.#hasSentHeaders) return false
    const first = this.#sent.afterFailure()
    if (!first) return false
    this.#isFailingOver = true
    this.#reopen(first)
    return true
  }

  /**
   * Opens the call at the next upstream. The client's requests wait in the meantime.
   *
   * @param first - first bytes
   */
  #reopen(first: readonly Uint8Array[]): void {
    this.#firstBytes = first
    this.#trailers = undefined
    this.#isResponseComplete = false
    const stream = this.#stream
    this.#stream = undefined
    stream?.close(constants.NGHTTP2_CANCEL)
    this.#client.requests.pause()
    void this.#open()
  }

  #endOf(trailers: OutgoingHttpHeaders): CallEnd {
    return endOfUpstream(trailers, this.#secrets)
  }

  /** Handles the close of the upstream's side. Unless the call had ended before, the upstream broke it off. */
  #onUpstreamClose(stream: ClientHttp2Stream): void {
    if (this.#isSettled || stream !== this.#stream) return
    const first = isUnprocessed(stream) ? this.#sent.afterRefusal() : undefined
    if (first) return this.#reopen(first)
    const isComplete = stream.rstCode === constants.NGHTTP2_NO_ERROR && stream.readableEnded
    if (isComplete) this.#finish(gatewayEnd(Status.UNKNOWN, 'The upstream ended the call without a status.'))
    else if (stream.rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM) {
      this.#finish(gatewayEnd(Status.RESOURCE_EXHAUSTED, 'The call exceeds a limit of the upstream.'))
    } else this.#finishOrFailOver(resetByUpstream)
  }

  #finish({ code, trailers }: CallEnd): void {
    if (this.#isSettled) return
    this.#client.end(trailers)
    this.#settle(code)
  }

  #settle(code: StatusCode): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#sent.drop()
    if (this.#stream) releaseStream(this.#stream, this.#isResponseComplete)
    // Discards what the client still sends.
    this.#client.requests.resume()
    this.#observer.onEnd(code)
  }
}

const resetByUpstream = gatewayEnd(Status.UNAVAILABLE, 'The upstream ended the call unexpectedly.')
