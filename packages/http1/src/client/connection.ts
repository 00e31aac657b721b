import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { type ResponseReceiver, ResponseReader } from './response-reader.ts'
import type { ResponseHead } from './response-head.ts'
import { Exchange, type ExchangeConnection } from './exchange.ts'
import { Http1Error } from './http1-error.ts'
import { RequestWriter } from './request-writer.ts'
import { reportUnexpected } from '../unexpected-errors.ts'
import { eventLoopIdleMs } from './event-loop-idle.ts'

/** What a connection tells those who hand out calls. */
export interface ConnectionObserver {
  /** When a byte came over any connection, on the clock of `performance.now()`. */
  lastBytesAt: number
  /** The connection has something to write in this turn of the event loop. */
  onPendingWrite(connection: Connection): void
  /**
   * An answer has come to its end.
   *
   * @param tookMs - since the call was the first on the connection; undefined when that says nothing about the upstream's speed
   */
  onAnswered(connection: Connection, tookMs: number | undefined): void
  /** A call that the upstream has not begun to answer has to go to another connection. */
  onReassigned(exchange: Exchange, connection: Connection): void
  /** @param reset - how many pipelined calls had been sent behind the first one */
  onClosed(connection: Connection, reset: number): void
}

/** How long a connection waits. */
export interface ConnectionTimeouts {
  /** Grows from connection to connection. */
  readonly serial: number
  /** When the connection has to be there, on the clock of `performance.now()`, as are all times here. */
  readonly connectBy: number
  /** Longest wait for the next bytes of a body, in milliseconds. */
  readonly bodyTimeoutMs: number
}

/** An answer that nobody waits for any more, but which stands before others. */
interface SkippedResponse {
  readonly isForHead: boolean
  readonly deadline: number
  bytes: number
}

// A short answer is cheaper to read than a new connection to make.
const maxSkippedBytes = 131_072
const maxReassignments = 3
// About 150 ms: no hiccup of this process, which would hold up the ticks as well.
const maxTicks = 3
// How long an answer that has begun may pause before its caller is notified.
const stalledMs = 500
const keepAliveMarginMs = 1_000
const longestIdleMs = 30_000

/** One connection: calls go out in turn, and answers come back in the same order. */
export class Connection implements ResponseReceiver, ExchangeConnection {
  /** Grows from connection to connection. */
  readonly serial: number
  /** When the present first call became the first, on the clock of {@link eventLoopIdleMs}. */
  firstSince = 0
  /** How many answers have come to their end. */
  answered = 0
  /** Since when nothing has been under way. */
  idleSince = 0
  /** How long it may be idle, in milliseconds. */
  idleMs = longestIdleMs
  /** Whether a call has the connection to itself. */
  isExclusive = false
  /** Owner of the call that has the connection to itself. */
  holder: string | undefined = undefined
  /** Whether nothing stood before the call that was answered last when it was sent. */
  wasFirstWhenSent = false
  isReady = false
  isClosed = false
  readonly #socket: Socket
  readonly #writer: RequestWriter
  readonly #owner: ConnectionObserver
  readonly #times: ConnectionTimeouts
  readonly #reader = new ResponseReader()
  #awaiting: (Exchange | SkippedResponse)[] = []
  #unsent: Exchange[] = []
  #isPersistent = true
  #isPaused = false
  #isLong = false
  // As wasAlone, of the present first call.
  #isFirstWhenSent = false
  #lastBytesAt = 0
  #loopIdleAtBytes = 0
  // How many times the clock ticked since the present first call became the first.
  #ticks = 0

  /**
   * @param socket - about to be connected; what it reads is to be given to {@link onBytes}
   * @param host - value of the `Host` field
   */
  constructor(socket: Socket, host: string, owner: ConnectionObserver, times: ConnectionTimeouts) {
    this.#socket = socket
    this.#writer = new RequestWriter(host)
    this.#owner = owner
    this.serial = times.serial
    this.#times = times
    socket.on('error', () => this.close(this.#ended()))
    socket.on('end', () => this.#onEnd())
    socket.on('close', () => this.close(this.#ended()))
  }

  /** How many calls are under way. */
  get load(): number {
    return this.#awaiting.length + this.#unsent.length
  }

  /** Whether another call may be pipelined here. */
  get takesMore(): boolean {
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

  /** The socket is connected, and the other side is who it should be. */
  onReady(): void {
    this.isReady = true
    this.#becomeFirst(eventLoopIdleMs())
    if (this.load === 0) this.#becomeIdle()
    else this.flush()
  }

  /** Writes all calls of this turn at once. */
  flush(): void {
    if (this.isClosed || !this.isReady || this.#unsent.length === 0) return
    const sent = this.#unsent
    this.#unsent = []
    let text = ''
    for (const exchange of sent) {
      this.#awaiting.push(exchange)
      const { head, body } = this.#writer.textOf(exchange.call)
      text += head
      if (typeof body === 'string') text += body
      else if (body) {
        // All of it leaves together.
        if (this.#socket.writableCorked === 0) this.#socket.cork()
        this.#socket.write(text, 'latin1')
        this.#socket.write(body)
        text = ''
      }
    }
    if (text !== '') this.#socket.write(text, 'latin1')
    if (this.#socket.writableCorked > 0) this.#socket.uncork()
  }

  /** @param bytes - overwritten when the call is over */
  onBytes(bytes: Buffer): void {
    const now = performance.now()
    this.#lastBytesAt = now
    this.#owner.lastBytesAt = now
    this.#loopIdleAtBytes = eventLoopIdleMs()
    try {
      for (let at = 0; at < bytes.length && !this.isClosed;) {
        if (this.#awaiting.length === 0) throw new Http1Error('malformed', 'The upstream speaks unasked.')
        at = this.#reader.read(bytes, at, this)
      }
      const [first] = this.#awaiting
      if (first instanceof Exchange && first.hasHead) first.flush(now)
    } catch (error) {
      if (error instanceof Http1Error) return this.close(error)
      reportUnexpected('upstream', error)
      this.close(new Http1Error('broken', 'The response could not be processed.'))
    }
  }

  get isForHead(): boolean {
    return this.#awaiting[0]?.isForHead === true
  }

  onHead(head: ResponseHead): void {
    this.#noteHead(head)
    const [first] = this.#awaiting
    if (first instanceof Exchange) first.onHead(head)
  }

  onWhole(head: ResponseHead, latin1: string): void {
    this.#noteHead(head)
    const [first] = this.#awaiting
    if (first instanceof Exchange) first.onWhole(head, latin1)
  }

  onPart(bytes: Buffer): void {
    const [first] = this.#awaiting
    if (first instanceof Exchange) {
      first.onPart(bytes)
      if (first.isDelivered) this.#isLong = true
    } else if (first && (first.bytes += bytes.length) > maxSkippedBytes) {
      this.close(new Http1Error('broken', 'The answer before this one was too long to be skipped.'))
    }
  }

  onEnd(): void {
    const first = this.#awaiting.shift()
    const loopIdleMs = this.#loopIdleAtBytes
    const tookMs = this.isExclusive || this.#isLong ? undefined : loopIdleMs - this.firstSince
    this.wasFirstWhenSent = this.#isFirstWhenSent
    this.#isFirstWhenSent = false
    this.answered++
    this.#isLong = false
    this.resume()
    if (first instanceof Exchange) first.onEnd()
    if (this.isClosed) return
    // Whoever answers before the request is whole may not have read the rest of it.
    if (this.load === 0 && this.#socket.writableLength > 0) this.#isPersistent = false
    if (!this.#isPersistent) {
      this.close(new Http1Error('broken', 'The upstream ended the connection.'))
      return
    }
    this.#becomeFirst(loopIdleMs)
    if (this.load === 0) {
      this.isExclusive = false
      this.idleSince = this.#lastBytesAt
    }
    this.#owner.onAnswered(this, tookMs)
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
      // Nobody else may have the connection of an endless call.
      if (this.load === 0 && this.isExclusive) this.close(aborted())
      return
    }
    this.#forget(exchange)
    // The upstream may stop to work on what nobody waits for.
    if (this.#unsent.length === 0 && this.#awaiting.every((one) => !(one instanceof Exchange))) {
      this.close(aborted())
    } else this.resume()
  }

  skip(exchange: Exchange): void {
    this.#forget(exchange)
    if (exchange.call.pace === 'endless') this.close(aborted())
    else this.resume()
  }

  /**
   * Looks at the clock.
   *
   * @param before - what was due by then is late; earlier than now, so that a process that stood still for a while does
   * not take its own delay for that of the upstream
   */
  tick(before: number): void {
    if (!this.isReady) {
      if (before > this.#times.connectBy) this.close(this.#ended())
      return
    }
    const [first] = this.#awaiting
    if (first === undefined) return
    this.#ticks++
    const isInBody = this.#reader.isInBody
    if (
      isInBody
        ? !this.#isPaused && before - this.#lastBytesAt > this.#times.bodyTimeoutMs
        : before > first.deadline
    ) {
      this.close(new Http1Error('late', 'The upstream did not answer in time.'))
      return
    }
    if (this.#reader.isInResponse && !this.#isPaused && before - this.#lastBytesAt > stalledMs) this.#stall()
    if (first instanceof Exchange && isInBody) first.flush(before)
    if (this.#ticks >= maxTicks && this.#awaiting.length > 1) this.#reassignWaiting()
  }

  /** Notifies the callers of the stalled answer and of those behind it. */
  #stall(): void {
    for (const exchange of this.#awaiting) if (exchange instanceof Exchange) exchange.stall()
  }

  close(failure: Http1Error): void {
    if (this.isClosed) return
    this.isClosed = true
    const awaiting = this.#awaiting
    const unsent = this.#unsent
    this.#awaiting = []
    this.#unsent = []
    this.#socket.destroy()
    this.#owner.onClosed(this, awaiting.length - 1)
    // A connection that has served others may have been closed by the upstream before the call arrived.
    const isStale = failure.kind === 'broken' && this.answered > 0 && !this.#reader.isInResponse
    for (const [place, exchange] of awaiting.entries()) {
      if (!(exchange instanceof Exchange)) continue
      if (failure.kind !== 'aborted' && (place > 0 || isStale))
        this.#reassign(exchange, place === 0 ? failure : behind())
      else exchange.fail(failure)
    }
    for (const exchange of unsent) {
      if (this.isReady && failure.kind !== 'aborted') this.#owner.onReassigned(exchange, this)
      else exchange.failUnsent('The upstream cannot be reached.')
    }
  }

  /** Closes the connection, and waits until it is. */
  end(failure: Http1Error): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.closed) resolve()
      else this.#socket.once('close', () => resolve())
      this.close(failure)
    })
  }

  #onEnd(): void {
    try {
      const isWaiting = this.#awaiting.length > 0
      this.#isPersistent = false
      this.#reader.finish(isWaiting ? this : undefined)
    } catch (error) {
      if (!(error instanceof Http1Error)) throw error
    }
    this.close(this.#ended())
  }

  #ended(): Http1Error {
    return this.isReady
      ? new Http1Error('broken', 'The upstream ended the connection.')
      : new Http1Error('unconnected', 'The upstream cannot be reached.')
  }

  #noteHead({ isPersistent, framing, idleMs }: ResponseHead): void {
    if (!isPersistent || framing === 'close') this.#isPersistent = false
    if (idleMs !== undefined) {
      this.idleMs = Math.min(longestIdleMs, Math.max(0, idleMs - keepAliveMarginMs))
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

  /** What stands behind a call that takes long is sent elsewhere, as all of it may be sent twice. */
  #reassignWaiting(): void {
    for (const exchange of this.#awaiting.slice(1)) {
      if (!(exchange instanceof Exchange) || exchange.reassignments > 0) continue
      this.#forget(exchange)
      this.#reassign(exchange, behind())
    }
  }

  #reassign(exchange: Exchange, failure: Http1Error): void {
    if (!exchange.call.isRepeatable || ++exchange.reassignments > maxReassignments) exchange.fail(failure)
    else this.#owner.onReassigned(exchange, this)
  }

  #forget(exchange: Exchange): void {
    const at = this.#awaiting.indexOf(exchange)
    const { isForHead, deadline } = exchange
    if (at >= 0) this.#awaiting[at] = { isForHead, deadline, bytes: 0 }
  }
}

function aborted(): Http1Error {
  return new Http1Error('aborted', 'The call was aborted.')
}

function behind(): Http1Error {
  return new Http1Error('broken', 'The connection ended before its turn.')
}
