import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { Exchange } from './exchange.ts'
import { ConnectionShares } from './connection-shares.ts'
import { FairQueue, type StartOutcome } from './fair-queue.ts'
import { isTarget } from './header-lines.ts'
import type { ExchangeEnd, Http1Answer, Http1Call, Http1Connections, Http1Options } from './types.ts'
import { Http1Failure } from './http1-error.ts'
import { Line, type LineOwner } from './connection.ts'
import { openSocket } from './open-socket.ts'
import { depthAtLimit, mostWidth, Pace } from './adaptive-pipelining.ts'
import { waitedMs } from './event-loop-idle.ts'
import { guardedImmediate, guardedTimeout } from '../unexpected-errors.ts'

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
  readonly #quick = new FairQueue()
  readonly #slow = new FairQueue()
  readonly #mostExclusive: number
  readonly #shares: ConnectionShares
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
    // Slow calls leave some connections to the quick ones.
    this.#mostExclusive = Math.max(1, options.maxConnections - mostWidth)
    this.#shares = new ConnectionShares(this.#mostExclusive)
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
    for (const exchange of [...this.#quick.all(), ...this.#slow.all()]) exchange.fail(ended)
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
    this.#release(line)
    if (!this.#quick.isEmpty || !this.#slow.isEmpty) this.#serveWaiting()
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
    this.#release(line)
    if (cut > 0) this.#pace.onCut(line.answered)
    // Not at once: the calls of the connection come first.
    if (!this.#quick.isEmpty || !this.#slow.isEmpty) guardedImmediate(() => this.#serveWaiting())
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
    const { call } = exchange
    const queue = isShared(call) ? this.#quick : this.#slow
    // The owner's earlier exchanges come first.
    const isBehind = call.pace !== 'endless' && queue.has(call.owner)
    if (isBehind || this.#startNow(exchange, now) !== 'started') queue.push(exchange)
  }

  #startNow(exchange: Exchange, now: number): StartOutcome {
    const { call, behind } = exchange
    if (isShared(call)) {
      const line = this.#sharedLine(behind, now)
      line?.send(exchange, false)
      return line ? 'started' : 'full'
    }
    if (call.pace === 'endless') {
      this.#open(now, true).send(exchange, true)
      return 'started'
    }
    return this.#startAlone(exchange, now)
  }

  #startAlone(exchange: Exchange, now: number): StartOutcome {
    const { call, behind } = exchange
    const { owner } = call
    const exclusive = this.#exclusive()
    if (exclusive >= this.#mostExclusive) return 'full'
    if (!this.#shares.mayTake(owner, exclusive)) return 'owner full'
    const line = this.#ownLine(call, behind, now)
    if (!line) return 'full'
    if (owner !== undefined) this.#shares.take(owner, now)
    line.holder = owner
    line.send(exchange, true)
    return 'started'
  }

  #exclusive(): number {
    let count = 0
    for (const line of this.#lines) if (line.isExclusive) count++
    return count
  }

  /** Gives up the owner's hold on a connection that is its own no more. */
  #release(line: Line): void {
    const { holder } = line
    if (holder === undefined || (line.isExclusive && !line.isClosed)) return
    line.holder = undefined
    this.#shares.release(holder)
  }

  #ownLine({ isRepeatable }: Http1Call, behind: number, now: number): Line | undefined {
    for (const line of this.#lines) {
      if (line.load > 0 || !line.takesMore || line.serial <= behind) continue
      if (isRepeatable || !line.isReady || now - line.idleSince < freshMs) return line
    }
    return this.#lines.length < this.#options.maxConnections ? this.#open(now, false) : undefined
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
    const start = (exchange: Exchange) => this.#startNow(exchange, now)
    this.#slow.serve(start)
    this.#quick.serve(start)
  }

  #write(): void {
    const lines = this.#unwritten
    this.#unwritten = []
    for (const line of lines) line.flush()
  }

  #open(now: number, isEndless: boolean): Line {
    const address = this.#address
    const socket = openSocket(address, {
      connect: this.#options.connect,
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
    for (const exchange of [...this.#quick.all(), ...this.#slow.all()]) {
      if (before > exchange.deadline)
        exchange.failUnsent('No connection to the upstream became free in time.')
    }
    this.#quick.prune()
    this.#slow.prune()
    this.#shares.prune(now)
    this.#serveWaiting()
    const isBusy =
      !this.#quick.isEmpty ||
      !this.#slow.isEmpty ||
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
