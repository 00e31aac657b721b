import { GrpcError, Status, type StatusCode } from '@fairlead/grpc-transport/wire'
import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { type CallEnd, endOfError, endOfHttp, endOfNode, ownEnd, withoutSecrets } from './call-status.ts'
import type { Downstream } from './downstream.ts'
import { headersForClient, type ReceivedHeaders, trailersForClient } from './metadata.ts'
import { isUnprocessed } from '../upstream/grpc-connections.ts'
import type { GrpcPool } from '../upstream/grpc-pool.ts'
import { guarded, guardedTimeout } from '@fairlead/http1'

/** Hears what passes through a call. */
export interface CallObserver {
  /** Bytes of framed messages on their way to the node. */
  onRequest(bytes: Uint8Array): void
  /** Bytes of framed messages on their way to the client. */
  onAnswer(bytes: Uint8Array): void
  /** The client does not take what waits for it. */
  onStall(): void
  /** It takes more again. */
  onFlow(): void
  /** The end of the call, told once. */
  onEnd(code: StatusCode): void
}

// What is kept of a request until the node has answered, to send it again when the node has not even begun with it.
const maxKeptBytes = 65_536

// How long a client that is told of the end may take to read it.
const endMs = 500

/** One call between a client and a node: bytes pass in both directions as fast as the slower side takes them. */
export class ProxiedCall {
  readonly #client: Downstream
  readonly #upstreams: Pick<GrpcPool, 'open'>
  readonly #headers: OutgoingHttpHeaders
  readonly #observer: CallObserver
  /** The node's side; none before it is open, and while it is opened again. */
  #stream: ClientHttp2Stream | undefined
  /** Request bytes that were sent; undefined when they are too many, or it is too late to send them again. */
  #kept: Uint8Array[] | undefined = []
  #keptBytes = 0
  /** Texts of the upstream that its client may not see. */
  #secrets: readonly string[] = []
  #trailers: OutgoingHttpHeaders | undefined
  /** Set once the node will send no more. */
  #isAnswered = false
  #isSecondTry = false
  #isOver = false

  constructor(
    client: Downstream,
    upstreams: Pick<GrpcPool, 'open'>,
    headers: OutgoingHttpHeaders,
    observer: CallObserver,
  ) {
    this.#client = client
    this.#upstreams = upstreams
    this.#headers = headers
    this.#observer = observer
  }

  /** Begins the call at the node. */
  begin(): void {
    const { requests, answer } = this.#client
    const cancel = this.#guard(() => this.#settle(Status.CANCELLED))
    answer.once('close', cancel)
    answer.on('error', cancel)
    const flow = () => {
      this.#observer.onFlow()
      this.#stream?.resume()
    }
    answer.on('drain', this.#guard(flow))
    const fail = (error: unknown) => {
      if (error instanceof GrpcError) this.#finish(endOfError(error))
    }
    requests.on('error', this.#guard(fail))
    if (answer.destroyed) cancel()
    else void this.#open()
  }

  /** Ends the call from this service's side, soon also for a client that does not read. */
  terminate(code: StatusCode, detail: string): void {
    if (this.#isOver) return
    const { answer } = this.#client
    const impatience = guardedTimeout(() => this.#client.destroy(), endMs)
    answer.once('close', () => clearTimeout(impatience))
    this.#finish(ownEnd(code, detail))
  }

  async #open(): Promise<void> {
    try {
      const { stream, secrets } = await this.#upstreams.open(this.#headers)
      this.#secrets = secrets
      if (this.#isOver) stream.on('error', () => undefined).close(constants.NGHTTP2_CANCEL)
      else this.#connect(stream)
    } catch (error) {
      const known = error instanceof GrpcError ? error : new GrpcError(Status.INTERNAL, 'Internal error.')
      this.#finish(endOfError(known))
    }
  }

  #connect(stream: ClientHttp2Stream): void {
    this.#stream = stream
    const { requests } = this.#client
    const onResponse = (headers: IncomingHttpHeaders, flags: number, raw: readonly string[]) => {
      this.#isAnswered = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
      this.#answer({ headers, raw })
    }
    const onData = (bytes: Buffer) => {
      if (this.#isOver) return
      this.#observer.onAnswer(bytes)
      if (this.#client.write(bytes)) return
      stream.pause()
      this.#observer.onStall()
    }
    const onTrailers = (headers: IncomingHttpHeaders, _: number, raw: readonly string[] = []) => {
      this.#trailers = trailersForClient({ headers, raw })
    }
    const onEnd = () => {
      if (!this.#trailers) return
      this.#isAnswered = true
      this.#finish(this.#endOf(this.#trailers))
    }
    stream.on('response', this.#guard(onResponse))
    stream.on('data', this.#guard(onData))
    stream.on('trailers', this.#guard(onTrailers))
    stream.on('end', this.#guard(onEnd))
    stream.on('drain', () => requests.resume())
    // What the error says shows in the code of the closed stream.
    stream.on('error', () => undefined)
    stream.once(
      'close',
      this.#guard(() => this.#broken(stream)),
    )
    this.#sendRequests(stream)
  }

  /** An error that a handler throws ends this call alone. */
  #guard<args extends readonly unknown[]>(handle: (...args: args) => void): (...args: args) => void {
    return guarded('grpc', handle, () => {
      this.#client.destroy()
      this.#settle(Status.INTERNAL)
    })
  }

  #sendRequests(stream: ClientHttp2Stream): void {
    const { requests } = this.#client
    for (const bytes of this.#kept ?? []) stream.write(bytes)
    if (requests.readableEnded) stream.end()
    else if (this.#isSecondTry) requests.resume()
    else {
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
    if (this.#isOver) return
    this.#observer.onRequest(bytes)
    this.#keptBytes += bytes.length
    if (this.#keptBytes > maxKeptBytes) this.#kept = undefined
    this.#kept?.push(bytes)
    if (this.#stream?.write(bytes) === false) this.#client.requests.pause()
  }

  #answer(received: ReceivedHeaders): void {
    this.#kept = undefined
    const { ':status': status = 200, 'content-type': type } = received.headers
    const headers = withoutSecrets(headersForClient(received), this.#secrets)
    if (headers['grpc-status'] !== undefined) this.#finish(this.#endOf(headers))
    else if (Number(status) !== 200 || !type?.startsWith('application/grpc')) {
      this.#finish(endOfHttp(Number(status)))
    } else if (!this.#isOver) this.#client.begin(headers)
  }

  #endOf(trailers: OutgoingHttpHeaders): CallEnd {
    return endOfNode(trailers, this.#secrets)
  }

  /** The node's side is closed; unless the call was over before, it was broken off. */
  #broken(stream: ClientHttp2Stream): void {
    if (this.#isOver) return
    // Once only: a node that refuses again refuses.
    if (this.#kept && !this.#isSecondTry && isUnprocessed(stream)) {
      this.#isSecondTry = true
      this.#stream = undefined
      this.#client.requests.pause()
      void this.#open()
      return
    }
    const isWhole = stream.rstCode === constants.NGHTTP2_NO_ERROR && stream.readableEnded
    if (isWhole) this.#finish(ownEnd(Status.UNKNOWN, 'The node ended the call without a status.'))
    else if (stream.rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM) {
      this.#finish(ownEnd(Status.RESOURCE_EXHAUSTED, 'The call exceeds a limit of the node.'))
    } else this.#finish(ownEnd(Status.UNAVAILABLE, 'The node broke the call off.'))
  }

  #finish({ code, trailers }: CallEnd): void {
    if (this.#isOver) return
    this.#client.end(trailers)
    this.#settle(code)
  }

  #settle(code: StatusCode): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#kept = undefined
    if (this.#stream) leave(this.#stream, this.#isAnswered)
    // What the client still sends has nowhere to go.
    this.#client.requests.resume()
    this.#observer.onEnd(code)
  }
}

/** Lets go of the node's side; a node that has answered in full is told so by an end, not by a reset. */
function leave(stream: ClientHttp2Stream, isAnswered: boolean): void {
  if (stream.closed) return
  if (!isAnswered || stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL)
  else {
    stream.resume()
    if (!stream.writableEnded) stream.end()
  }
}
