import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { Exchange } from './exchange.ts'
import { isTarget } from './field-lines.ts'
import type {
  ExchangeEnd,
  Http1Answer,
  Http1Call,
  Http1Connections,
  Http1Options,
} from './http1-connections.ts'
import { Http1Failure } from './http1-failure.ts'
import { Line } from './line.ts'
import type { LineOwner } from './line-owner.ts'
import { openSocket } from './open-socket.ts'
import { operatorRules } from '../../../egress/connect-checked.ts'
import { depthAtLimit, mostWidth, Pace } from './pace.ts'
import { waitedMs } from './waited.ts'
import { guardedImmediate, guardedTimeout } from '../../../observe/unexpected-errors.ts'

const tickMs = 50
const idleTickMs = 1_000
// What must not be sent twice is not trusted to a connection that the upstream may just be closing.
const freshMs = 1_000
// Reads are over before the next one begins, so that all connections of the process can share it.
const readBuffer = Buffer.allocUnsafeSlow(65_536)

/**
 * Opens kept-alive connections to an upstream when they are needed. Quick calls share a few of them, pipelined; how deep
 * depends on how fast they are answered. Whatever takes longer has a connection to itself, so that nothing waits behind
 * it.
 *
 * @param address - `http:` or `https:`; its path and credentials are not used
 * @throws TypeError for another protocol, and an `ENOENT` or the like when the certificate authority cannot be read
 */
export function createHttp1Connections(address: URL, options: Http1Options): Http1Connections {
  return new ConnectionPool(address, options)
}

class ConnectionPool implements Http1Connections, LineOwner {
  lastBytesAt = -Infinity
  readonly #address: URL
  readonly #options: Http1Options
  readonly #authority: Buffer | undefined
  readonly #pace = new Pace()
  #lines: Line[] = []
  readonly #endless = new Set<Line>()
  #quick: Exchange[] = []
  #slow: Exchange[] = []
  #unwritten: Line[] = []
  #serial = 0
  // Nearly all calls have the same one.
  #lastTarget: string | undefined
  #timer: NodeJS.Timeout | undefined
  #isTimerIdle = false
  #lastTick = 0
  #session: Buffer | undefined
  #isClosed = false

  constructor(address: URL, options: Http1Options) {
    if (address.protocol !== 'http:' && address.protocol !== 'https:') {
      throw new TypeError('The address of an upstream must begin with http:// or https://.')
    }
    this.#address = address
    this.#options = options
    const { certificateAuthorityFile: file } = options
    this.#authority = file === undefined ? undefined : readFileSync(file)
  }

  exchange(call: Http1Call, done: ExchangeEnd): void {
    const failure = this.#refusalOf(call)
    if (failure) {
      done(failure)
      return
    }
    const now = performance.now()
    const deadline = call.pace === 'endless' ? Infinity : now + this.#options.headTimeoutMs
    this.#watch(now)
    this.#start(new Exchange(call, deadline, done), now)
  }

  request(call: Http1Call): Promise<Http1Answer> {
    return new Promise((resolve, reject) => {
      this.exchange(call, (error, answer) => {
        if (answer) resolve(answer)
        else reject(error)
      })
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const ended = new Http1Failure('aborted', 'The connections were closed.')
    for (const exchange of [...this.#quick, ...this.#slow]) exchange.fail(ended)
    const all = [...this.#lines, ...this.#endless]
    await Promise.all(all.map((line) => line.end(ended)))
  }

  onUnwritten(line: Line): void {
    if (this.#unwritten.length === 0) guardedImmediate(() => this.#write())
    this.#unwritten.push(line)
  }

  onAnswered(line: Line, tookMs: number | undefined): void {
    if (this.#endless.has(line)) {
      line.close(new Http1Failure('broken', 'The stream has ended.'))
      return
    }
    if (tookMs !== undefined) this.#pace.onAnswered(tookMs, line.wasAlone)
    if (this.#quick.length > 0 || this.#slow.length > 0) this.#serveWaiting()
  }

  onMoved(exchange: Exchange, line: Line): void {
    exchange.line = undefined
    // Connections that are as old may be closed by now as well.
    if (line.isClosed) exchange.behind = line.serial
    if (!exchange.isOver) this.#start(exchange, performance.now())
  }

  onClosed(line: Line, cut: number): void {
    if (this.#endless.delete(line)) return
    this.#lines = this.#lines.filter((other) => other !== line)
    if (cut > 0) this.#pace.onCut(line.answered)
    // Not at once: the calls of the connection come first.
    if (this.#quick.length > 0 || this.#slow.length > 0) guardedImmediate(() => this.#serveWaiting())
  }

  #refusalOf(call: Http1Call): Error | undefined {
    if (call.signal?.aborted) return new Http1Failure('aborted', 'The call was aborted.')
    if (this.#isClosed) return new Http1Failure('unconnected', 'The connections were closed.')
    if (call.target === this.#lastTarget) return undefined
    if (!isTarget(call.target)) return new TypeError('The target of a request cannot be sent.')
    this.#lastTarget = call.target
    return undefined
  }

  #start(exchange: Exchange, now: number): void {
    if (this.#isClosed) {
      exchange.fail(new Http1Failure('unconnected', 'The connections were closed.'))
      return
    }
    const line = this.#lineFor(exchange, now)
    if (line) line.send(exchange, !isShared(exchange.call))
    else (isShared(exchange.call) ? this.#quick : this.#slow).push(exchange)
  }

  #lineFor(exchange: Exchange, now: number): Line | undefined {
    const { call, behind } = exchange
    if (call.pace === 'endless') return this.#open(now, true)
    return isShared(call) ? this.#sharedLine(behind, now) : this.#ownLine(call, behind, now)
  }

  #ownLine({ isRepeatable }: Http1Call, behind: number, now: number): Line | undefined {
    let exclusive = 0
    let idle: Line | undefined
    for (const line of this.#lines) {
      if (line.isExclusive) exclusive++
      else if (line.load === 0 && line.takesMore && line.serial > behind) {
        if (isRepeatable || !line.isReady || now - line.idleSince < freshMs) idle ??= line
      }
    }
    const { maxConnections } = this.#options
    // Slow calls leave some connections to the quick ones.
    if (exclusive >= Math.max(1, maxConnections - mostWidth)) return undefined
    return idle ?? (this.#lines.length < maxConnections ? this.#open(now, false) : undefined)
  }

  #sharedLine(behind: number, now: number): Line | undefined {
    let best: Line | undefined
    let shared = 0
    let waited: number | undefined
    for (const line of this.#lines) {
      if (!line.takesMore || line.serial <= behind) continue
      if (line.isReady && line.load > 0) {
        waited ??= waitedMs()
        if (this.#pace.isStalled(line.firstSince, waited)) continue
      }
      if (this.#lines.length > mostWidth && line.load === 1 && this.#pace.tries(now)) return line
      if (!best || line.load < best.load) best = line
      // A few busy connections are cheaper than many quiet ones.
      if (++shared >= mostWidth && best.load < this.#pace.depth) break
      if (best.load === 0) break
    }
    const mayOpen = this.#lines.length < this.#options.maxConnections
    if (best && (best.load === 0 || (shared >= mostWidth && best.load < this.#pace.depth))) return best
    if (mayOpen) return this.#open(now, false)
    return best && best.load < depthAtLimit ? best : undefined
  }

  #serveWaiting(): void {
    const now = performance.now()
    this.#slow = this.#servedFrom(this.#slow, now)
    this.#quick = this.#servedFrom(this.#quick, now)
  }

  #servedFrom(queue: Exchange[], now: number): Exchange[] {
    let served = 0
    for (const exchange of queue) {
      if (!exchange.isOver) {
        const line = this.#lineFor(exchange, now)
        if (!line) break
        line.send(exchange, !isShared(exchange.call))
      }
      served++
    }
    return served === 0 ? queue : queue.slice(served)
  }

  #write(): void {
    const lines = this.#unwritten
    this.#unwritten = []
    for (const line of lines) line.flush()
  }

  #open(now: number, isEndless: boolean): Line {
    const address = this.#address
    const socket = openSocket(address, {
      rules: this.#options.rules ?? operatorRules,
      authority: this.#authority,
      session: this.#session,
      buffer: readBuffer,
      onBytes: (bytes) => line.onBytes(bytes),
      onReady: () => line.onReady(),
      onSession: (session) => (this.#session = session),
    })
    const line = new Line(socket, address.host, this, {
      serial: ++this.#serial,
      connectBy: now + this.#options.connectTimeoutMs,
      bodyTimeoutMs: isEndless ? Infinity : this.#options.bodyTimeoutMs,
    })
    if (isEndless) this.#endless.add(line)
    else this.#lines.push(line)
    return line
  }

  /** Sees to it that the clock ticks, and often enough. */
  #watch(now: number): void {
    if (this.#timer && !this.#isTimerIdle) return
    clearTimeout(this.#timer)
    this.#lastTick = now
    this.#isTimerIdle = false
    this.#timer = guardedTimeout(() => this.#tick(), tickMs).unref()
  }

  #tick(): void {
    const before = this.#lastTick
    const now = performance.now()
    this.#lastTick = now
    for (const line of this.#endless) line.tick(before)
    for (const line of this.#lines) {
      line.tick(before)
      if (line.load === 0 && line.isReady && now - line.idleSince > line.idleMs)
        line.close(new Http1Failure('broken', 'The connection was idle.'))
    }
    for (const exchange of [...this.#quick, ...this.#slow]) {
      if (before > exchange.deadline)
        exchange.failUnsent('No connection to the upstream became free in time.')
    }
    this.#serveWaiting()
    const isBusy =
      this.#quick.length + this.#slow.length > 0 ||
      this.#lines.some((line) => line.load > 0 || !line.isReady) ||
      [...this.#endless].some((line) => !line.isReady)
    this.#isTimerIdle = !isBusy
    this.#timer =
      isBusy || this.#lines.length > 0
        ? guardedTimeout(() => this.#tick(), isBusy ? tickMs : idleTickMs).unref()
        : undefined
  }
}

function isShared({ pace, isRepeatable }: Http1Call): boolean {
  return pace === 'quick' && isRepeatable
}
