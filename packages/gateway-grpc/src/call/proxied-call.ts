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
import type { GrpcPool, UpstreamStream } from '../upstream/grpc-pool.ts'
import { guarded, guardedTimeout } from '@fairlead/http1'
import { type BudgetRules, RetryBudget } from '@fairlead/gateway-core/upstream/retry-budget'

/** What passes through a call that can go on at another upstream. */
export interface ResumableStream {
  /** Takes bytes of requests, and gives those that may be sent; throws a GrpcError. */
  takeRequests(bytes: Uint8Array): Uint8Array
  /** Takes bytes of responses, and gives those that the client does not have; throws a GrpcError. */
  takeUpdates(bytes: Uint8Array): Uint8Array
  /** What the next upstream is sent first; undefined when the call cannot go on. */
  resume(): Uint8Array | undefined
}

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

// So often a call moves to another upstream: five times in a row, then once in five seconds.
const moveRules: BudgetRules = { share: 0, perSecond: 0.2, most: 5 }

// How long a client that is told of the end may take to read it.
const endMs = 500

/** One call between a client and a node: bytes pass in both directions as fast as the slower side takes them. */
export class ProxiedCall {
  readonly #client: Downstream
  readonly #upstreams: Pick<GrpcPool, 'open'>
  readonly #headers: OutgoingHttpHeaders
  readonly #observer: CallObserver
  readonly #resumable: ResumableStream | undefined
  /** The upstream that has the call. */
  #member: UpstreamStream['member'] | undefined
  readonly #moves = new RetryBudget(moveRules)
  /** Whether the upstream that it has moved to has brought nothing yet. */
  #isMoving = false
  #isBegun = false
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
  /** What the next upstream is sent first. */
  #first: readonly Uint8Array[] | undefined
  #isOver = false

  constructor(
    client: Downstream,
    upstreams: Pick<GrpcPool, 'open'>,
    headers: OutgoingHttpHeaders,
    observer: CallObserver,
    resumable?: ResumableStream,
  ) {
    this.#client = client
    this.#upstreams = upstreams
    this.#headers = headers
    this.#observer = observer
    this.#resumable = resumable
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
      const { stream, member, secrets } = await this.#upstreams.open(this.#headers, this.#member)
      this.#member = member
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
      if (this.#isOver || stream !== this.#stream) return
      const taken = this.#resumable ? this.#take('takeUpdates', bytes) : bytes
      if (!taken) return
      this.#isMoving = false
      this.#observer.onAnswer(taken)
      if (this.#client.write(taken)) return
      stream.pause()
      this.#observer.onStall()
    }
    const onTrailers = (headers: IncomingHttpHeaders, _: number, raw: readonly string[] = []) => {
      this.#trailers = trailersForClient({ headers, raw })
    }
    const onEnd = () => {
      if (!this.#trailers || stream !== this.#stream) return
      this.#isAnswered = true
      this.#finishOrMove(this.#endOf(this.#trailers))
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
    for (const bytes of this.#first ?? this.#kept ?? []) stream.write(bytes)
    this.#first = undefined
    if (requests.readableEnded) stream.end()
    else if (this.#isSecondTry || this.#isBegun) requests.resume()
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
    const taken = this.#resumable ? this.#take('takeRequests', bytes) : bytes
    if (!taken) return
    this.#keptBytes += taken.length
    if (this.#keptBytes > maxKeptBytes) this.#kept = undefined
    this.#kept?.push(taken)
    if (this.#stream?.write(taken) === false) this.#client.requests.pause()
  }

  #answer(received: ReceivedHeaders): void {
    this.#kept = undefined
    const { ':status': status = 200, 'content-type': type } = received.headers
    const headers = withoutSecrets(headersForClient(received), this.#secrets)
    if (headers['grpc-status'] !== undefined) this.#finishOrMove(this.#endOf(headers))
    else if (Number(status) !== 200 || !type?.startsWith('application/grpc')) {
      this.#finishOrMove(endOfHttp(Number(status)))
    } else if (!this.#isOver && !this.#isBegun) {
      this.#isBegun = true
      this.#client.begin(headers)
    }
  }

  /** @returns undefined when there is nothing to pass on; bytes that are no messages end the call */
  #take(take: 'takeRequests' | 'takeUpdates', bytes: Uint8Array): Uint8Array | undefined {
    try {
      const taken = this.#resumable?.[take](bytes)
      return taken?.length === 0 ? undefined : taken
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error
      this.#finish(endOfError(error))
      return undefined
    }
  }

  /** An upstream that cannot go on with a stream is replaced by the next one. */
  #finishOrMove(end: CallEnd): void {
    // What the next upstream says of a call that it did not begin is no use to the client.
    const isRefused = this.#isMoving
    if ((end.code === Status.UNAVAILABLE || isRefused) && this.#move()) return
    this.#finish(isRefused ? brokenOff : end)
  }

  /** @returns whether the call goes on at another upstream */
  #move(): boolean {
    if (this.#isOver || !this.#isBegun || !this.#resumable || !this.#moves.spend()) return false
    const first = this.#resumable.resume()
    if (!first) return false
    this.#isMoving = true
    this.#first = [first]
    this.#trailers = undefined
    this.#isAnswered = false
    const stream = this.#stream
    this.#stream = undefined
    stream?.close(constants.NGHTTP2_CANCEL)
    this.#client.requests.pause()
    void this.#open()
    return true
  }

  #endOf(trailers: OutgoingHttpHeaders): CallEnd {
    return endOfNode(trailers, this.#secrets)
  }

  /** The node's side is closed; unless the call was over before, it was broken off. */
  #broken(stream: ClientHttp2Stream): void {
    if (this.#isOver || stream !== this.#stream) return
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
    } else this.#finishOrMove(brokenOff)
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

const brokenOff = ownEnd(Status.UNAVAILABLE, 'The node broke the call off.')

/** Lets go of the node's side; a node that has answered in full is told so by an end, not by a reset. */
function leave(stream: ClientHttp2Stream, isAnswered: boolean): void {
  if (stream.closed) return
  if (!isAnswered || stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL)
  else {
    stream.resume()
    if (!stream.writableEnded) stream.end()
  }
}
