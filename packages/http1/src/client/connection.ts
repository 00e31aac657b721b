import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { type ResponseReceiver, ResponseReader } from './response-reader.ts'
import type { ResponseHead } from './response-head.ts'
import { Exchange, type ExchangeConnection } from './exchange.ts'
import { Http1Error } from './http1-error.ts'
import { RequestWriter } from './request-writer.ts'
import { attributeTick, reportUnexpected, type Share } from '@fairlead/runtime'
import { eventLoopIdleMs } from './event-loop-idle.ts'

/** Receives the events of a connection. */
export interface ConnectionObserver {
  /** When the last byte arrived on any connection, as a time of `performance.now()`. */
  lastBytesAt: number
  /** The connection has data to write in this event-loop tick. */
  onPendingWrite(connection: Connection): void
  /**
   * A response is complete.
   *
   * @param durationMs - time since the call became the first on the connection; undefined when it does not indicate the
   * speed of the upstream
   */
  onResponse(connection: Connection, durationMs: number | undefined): void
  /** A call whose response has not begun has to move to another connection. */
  onReassigned(exchange: Exchange, connection: Connection): void
  /** @param reset - number of pipelined calls that were sent behind the first one */
  onClosed(connection: Connection, reset: number, failure: Http1Error): void
}

/** Serial number and timeouts of a connection. */
export interface ConnectionTimeouts {
  /** Increases with every connection. */
  readonly serial: number
  /** Deadline for the connection to be established, as a time of `performance.now()`, as are all times here. */
  readonly connectBy: number
  /** Maximum time between two chunks of a body, in milliseconds. */
  readonly bodyTimeoutMs: number
}

/** A response that no caller waits for, but that precedes others on the connection. */
interface SkippedResponse {
  readonly isForHead: boolean
  readonly deadline: number
  bytes: number
}

// Reading a short response is cheaper than opening a new connection.
const maxSkippedBytes = 131_072
const maxReassignments = 3
// About 150 ms. A delay of this process does not count, because it delays the ticks as well.
const maxTicks = 3
// How long a response may pause after its start before the caller is notified.
const stalledMs = 500
const keepAliveMarginMs = 1_000
const maxIdleMs = 30_000

/** One connection. It sends calls in order and receives the responses in the same order. */
export class Connection implements ResponseReceiver, ExchangeConnection {
  /** Increases with every connection. */
  readonly serial: number
  /** When the current first call became the first, as a time of {@link eventLoopIdleMs}. */
  firstSince = 0
  /** Number of complete responses. */
  responseCount = 0
  /** When the connection became idle. */
  idleSince = 0
  /** Idle timeout of the connection, in milliseconds. */
  idleMs = maxIdleMs
  /** Whether a call has the connection to itself. */
  isExclusive = false
  /** Share of the tenant whose call has the connection to itself. */
  share: Share | undefined = undefined
  /** Whether the call whose response was last completed had no other call before it when it was sent. */
  wasFirstWhenSent = false
  isReady = false
  isClosed = false
  readonly #socket: Socket
  readonly #writer: RequestWriter
  readonly #owner: ConnectionObserver
  readonly #timeouts: ConnectionTimeouts
  readonly #reader = new ResponseReader()
  #pending: (Exchange | SkippedResponse)[] = []
  #unsent: Exchange[] = []
  #isPersistent = true
  #isPaused = false
  #isLong = false
  // Same as `wasFirstWhenSent`, for the current first call.
  #isFirstWhenSent = false
  #lastBytesAt = 0
  #loopIdleAtBytes = 0
  // Number of timer ticks since the current first call became the first.
  #ticks = 0

  /**
   * @param socket - not connected yet; the caller passes the bytes that it reads to {@link onBytes}
   * @param host - value of the `Host` field
   */
  constructor(socket: Socket, host: string, owner: ConnectionObserver, timeouts: ConnectionTimeouts) {
    this.#socket = socket
    this.#writer = new RequestWriter(host)
    this.#owner = owner
    this.serial = timeouts.serial
    this.#timeouts = timeouts
    socket.on('error', () => this.close(this.#ended()))
    socket.on('end', () => this.#onEnd())
    socket.on('close', () => this.close(this.#ended()))
  }

  /** Number of calls on this connection. */
  get load(): number {
    return this.#pending.length + this.#unsent.length
  }

  /** Whether another call may be pipelined on this connection. */
  get canPipeline(): boolean {
    return this.#isPersistent && !this.isExclusive && !this.#isLong && !this.isClosed
  }

  send(exchange: Exchange, isExclusive: boolean): void {
    exchange.connection = this
    this.isExclusive = isExclusive
    if (this.load === 0) {
      this.#becomeFirst(eventLoopIdleMs())
      this.#isFirstWhenSent = true
    }
    this.#unsent.push(exchange)
    if (this.isReady && this.#unsent.length === 1) this.#owner.onPendingWrite(this)
  }

  /** The socket is connected, including the TLS handshake. */
  onReady(): void {
    this.isReady = true
    this.#becomeFirst(eventLoopIdleMs())
    if (this.load === 0) this.#becomeIdle()
    else this.flush()
  }

  /** Writes all calls of this event-loop tick at once. */
  flush(): void {
    if (this.isClosed || !this.isReady || this.#unsent.length === 0) return
    const sent = this.#unsent
    this.#unsent = []
    let text = ''
    for (const exchange of sent) {
      this.#pending.push(exchange)
      const { head, body } = this.#writer.textOf(exchange.call)
      text += head
      if (typeof body === 'string') text += body
      else if (body) {
        // Corked, so that all of it is sent together.
        if (this.#socket.writableCorked === 0) this.#socket.cork()
        this.#socket.write(text, 'latin1')
        this.#socket.write(body)
        text = ''
      }
    }
    if (text !== '') this.#socket.write(text, 'latin1')
    if (this.#socket.writableCorked > 0) this.#socket.uncork()
  }

  /** @param bytes - overwritten after this call returns */
  onBytes(bytes: Buffer): void {
    attributeTick('upstream')
    const now = performance.now()
    this.#lastBytesAt = now
    this.#owner.lastBytesAt = now
    this.#loopIdleAtBytes = eventLoopIdleMs()
    try {
      for (let at = 0; at < bytes.length && !this.isClosed;) {
        if (this.#pending.length === 0)
          throw new Http1Error('mismatched', 'The upstream sent data without a request.')
        at = this.#reader.read(bytes, at, this)
      }
      const [first] = this.#pending
      if (first instanceof Exchange && first.hasHead) first.flush(now)
    } catch (error) {
      if (error instanceof Http1Error) return this.close(error)
      reportUnexpected('upstream', error)
      this.close(new Http1Error('reset', 'The response could not be processed.'))
    }
  }

  get isForHead(): boolean {
    return this.#pending[0]?.isForHead === true
  }

  onHead(head: ResponseHead): void {
    this.#applyHead(head)
    const [first] = this.#pending
    if (first instanceof Exchange) first.onHead(head, this.#isAlone)
  }

  onFullResponse(head: ResponseHead, latin1: string): void {
    this.#applyHead(head)
    const [first] = this.#pending
    if (first instanceof Exchange) first.onFullResponse(head, latin1, this.#isAlone)
  }

  /** Whether the first call has had the connection to itself since it was sent. */
  get #isAlone(): boolean {
    return this.#isFirstWhenSent && this.#pending.length === 1
  }

  onData(bytes: Buffer): void {
    const [first] = this.#pending
    if (first instanceof Exchange) {
      first.onData(bytes)
      if (first.isDelivered) this.#isLong = true
    } else if (first && (first.bytes += bytes.length) > maxSkippedBytes) {
      this.close(new Http1Error('reset', 'The previous response was too long to be skipped.'))
    }
  }

  onEnd(): void {
    const [first] = this.#pending
    if (first instanceof Exchange) first.checkBody()
    this.#pending.shift()
    const loopIdleMs = this.#loopIdleAtBytes
    const durationMs = this.isExclusive || this.#isLong ? undefined : loopIdleMs - this.firstSince
    this.wasFirstWhenSent = this.#isFirstWhenSent
    this.#isFirstWhenSent = false
    this.responseCount++
    this.#isLong = false
    this.resume()
    if (first instanceof Exchange) first.onEnd()
    if (this.isClosed) return
    // An upstream that responds before it has received the whole request may not read the rest of it.
    if (this.load === 0 && this.#socket.writableLength > 0) this.#isPersistent = false
    if (!this.#isPersistent) {
      this.close(new Http1Error('reset', 'The upstream ended the connection.'))
      return
    }
    this.#becomeFirst(loopIdleMs)
    if (this.load === 0) {
      this.isExclusive = false
      this.idleSince = this.#lastBytesAt
    }
    this.#owner.onResponse(this, durationMs)
  }

  pause(): void {
    if (this.#isPaused || this.isClosed) return
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    if (!this.#isPaused || this.isClosed) return
    this.#isPaused = false
    this.#lastBytesAt = performance.now()
    this.#socket.resume()
  }

  abandon(exchange: Exchange): void {
    const at = this.#unsent.indexOf(exchange)
    if (at >= 0) {
      this.#unsent.splice(at, 1)
      // No other call may use the connection of a streaming call.
      if (this.load === 0 && this.isExclusive) this.close(aborted())
      return
    }
    this.#markSkipped(exchange)
    // Closing the connection lets the upstream stop work on responses that no caller waits for.
    if (this.#unsent.length === 0 && this.#pending.every((item) => !(item instanceof Exchange))) {
      this.close(aborted())
    } else this.resume()
  }

  skip(exchange: Exchange): void {
    this.#markSkipped(exchange)
    if (exchange.call.latencyClass === 'streaming') this.close(aborted())
    else this.resume()
  }

  /**
   * Checks the timeouts.
   *
   * @param before - deadlines before this time have expired. It is earlier than now, so that a delay of this process
   * does not count as a delay of the upstream.
   */
  tick(before: number): void {
    if (!this.isReady) {
      if (before > this.#timeouts.connectBy) this.close(this.#ended())
      return
    }
    const [first] = this.#pending
    if (first === undefined) return
    this.#ticks++
    const isInBody = this.#reader.isInBody
    if (
      isInBody
        ? !this.#isPaused && before - this.#lastBytesAt > this.#timeouts.bodyTimeoutMs
        : before > first.deadline
    ) {
      this.close(new Http1Error('timeout', 'The upstream did not respond in time.'))
      return
    }
    if (this.#reader.isInResponse && !this.#isPaused && before - this.#lastBytesAt > stalledMs) this.#stall()
    if (first instanceof Exchange && isInBody) first.flush(before)
    if (this.#ticks >= maxTicks && this.#pending.length > 1) this.#reassignPipelined()
  }

  /** Notifies the callers of the stalled response and of the responses behind it. */
  #stall(): void {
    for (const exchange of this.#pending) if (exchange instanceof Exchange) exchange.stall()
  }

  close(failure: Http1Error): void {
    if (this.isClosed) return
    this.isClosed = true
    const pending = this.#pending
    const unsent = this.#unsent
    this.#pending = []
    this.#unsent = []
    this.#socket.destroy()
    this.#owner.onClosed(this, pending.length - 1, failure)
    // The upstream may have closed a connection that was used before, before the call arrived.
    const isStale = failure.kind === 'reset' && this.responseCount > 0 && !this.#reader.isInResponse
    const isUnusable = isInvalid(failure) || (failure.kind === 'reset' && this.#reader.isInResponse)
    for (const [index, exchange] of pending.entries()) {
      if (!(exchange instanceof Exchange)) continue
      // resend: closed connection
      if (failure.kind !== 'aborted' && (index > 0 || isStale))
        this.#reassign(exchange, index === 0 ? failure : notProcessed())
      // resend: unusable response
      else if (isUnusable && exchange.restart()) this.#reassign(exchange, failure)
      else exchange.fail(failure)
    }
    for (const exchange of unsent) {
      if (this.isReady && failure.kind !== 'aborted') this.#owner.onReassigned(exchange, this)
      else exchange.failUnsent('The upstream is unreachable.')
    }
  }

  /** Closes the connection, and waits until the socket is closed. */
  end(failure: Http1Error): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.closed) resolve()
      else this.#socket.once('close', () => resolve())
      this.close(failure)
    })
  }

  #onEnd(): void {
    let failure = this.#ended()
    try {
      const isWaiting = this.#pending.length > 0
      this.#isPersistent = false
      this.#reader.finish(isWaiting ? this : undefined)
    } catch (error) {
      if (!(error instanceof Http1Error)) throw error
      failure = error
    }
    this.close(failure)
  }

  #ended(): Http1Error {
    return this.isReady
      ? new Http1Error('reset', 'The upstream ended the connection.')
      : new Http1Error('connect_failed', 'The upstream is unreachable.')
  }

  #applyHead({ isPersistent, framing, idleMs }: ResponseHead): void {
    if (!isPersistent || framing === 'close') this.#isPersistent = false
    if (idleMs !== undefined) {
      this.idleMs = Math.min(maxIdleMs, Math.max(0, idleMs - keepAliveMarginMs))
    }
  }

  #becomeFirst(loopIdleMs: number): void {
    this.firstSince = loopIdleMs
    this.#ticks = 0
  }

  #becomeIdle(): void {
    this.isExclusive = false
    this.idleSince = performance.now()
  }

  /** Moves the calls behind a call that takes long to other connections. All of them are repeatable. */
  #reassignPipelined(): void {
    for (const exchange of this.#pending.slice(1)) {
      if (!(exchange instanceof Exchange) || exchange.reassignments > 0) continue
      this.#markSkipped(exchange)
      // resend: blocked pipeline
      this.#reassign(exchange, notProcessed())
    }
  }

  #reassign(exchange: Exchange, failure: Http1Error): void {
    if (!exchange.call.isRepeatable || ++exchange.reassignments > maxReassignments) exchange.fail(failure)
    else this.#owner.onReassigned(exchange, this)
  }

  #markSkipped(exchange: Exchange): void {
    const at = this.#pending.indexOf(exchange)
    const { isForHead, deadline } = exchange
    if (at >= 0) this.#pending[at] = { isForHead, deadline, bytes: 0 }
  }
}

/** Whether a response was received that belongs to another call, or is not valid. */
function isInvalid({ kind }: Http1Error): boolean {
  return kind === 'mismatched' || kind === 'malformed'
}

function aborted(): Http1Error {
  return new Http1Error('aborted', 'The call was aborted.')
}

function notProcessed(): Http1Error {
  return new Http1Error('reset', 'The connection closed before the request was processed.')
}
