import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { Exchange } from './exchange.ts'
import { isTarget } from './header-lines.ts'
import type { ExchangeEnd, ReceivedResponse, Http1Call, Http1Connections, Http1Options } from './types.ts'
import { Http1Error } from './http1-error.ts'
import { Connection, type ConnectionObserver } from './connection.ts'
import { openSocket } from './open-socket.ts'
import { pipelineDepthAtLimit, maxSharedConnections, AdaptivePipelining } from './adaptive-pipelining.ts'
import { eventLoopIdleMs } from './event-loop-idle.ts'
import { FairQueue, FairShares, guardedImmediate, guardedTimeout, type StartOutcome } from '@fairlead/runtime'

const tickMs = 50
const idleTickMs = 1_000
// The upstream may be about to close an older connection, so non-idempotent calls do not use it.
const freshMs = 1_000
// Number of exclusive connections that a tenant may use although others use more.
const alwaysGranted = 4
// Each read is processed before the next one begins, so all connections of the process can share this buffer.
const readBuffer = Buffer.allocUnsafeSlow(65_536)

/**
 * Opens keep-alive connections to an upstream on demand. Short calls share a few connections and are pipelined; the
 * depth depends on how fast the upstream responds. A longer call has a connection to itself, so that no other call
 * waits behind it.
 *
 * @param address - `http:` or `https:`; its path and credentials are not used
 * @throws TypeError for another protocol, and a file system error such as `ENOENT` when the CA file cannot be read
 */
export function createHttp1Connections(address: URL, options: Http1Options): Http1Connections {
  return new ConnectionPool(address, options)
}

class ConnectionPool implements Http1Connections, ConnectionObserver {
  lastBytesAt = -Infinity
  mismatchedResponses = 0
  readonly #address: URL
  readonly #options: Http1Options
  readonly #authority: Buffer | undefined
  readonly #pipelining = new AdaptivePipelining()
  #connections: Connection[] = []
  readonly #streaming = new Set<Connection>()
  readonly #short = new FairQueue<Exchange>()
  readonly #long = new FairQueue<Exchange>()
  /** The connections that calls have to themselves. */
  readonly #exclusive: FairShares
  #unwritten: Connection[] = []
  #serial = 0
  // Nearly all calls have the same target.
  #lastTarget: string | undefined
  #timer: NodeJS.Timeout | undefined
  #isTimerIdle = false
  #lastTick = 0
  #session: Buffer | undefined
  #isClosed = false

  constructor(address: URL, options: Http1Options) {
    if (address.protocol !== 'http:' && address.protocol !== 'https:') {
      throw new TypeError('The URL of an upstream must begin with http:// or https://.')
    }
    this.#address = address
    this.#options = options
    // Long calls leave some connections to the short ones.
    const capacity = Math.max(1, options.maxConnections - maxSharedConnections)
    this.#exclusive = new FairShares({ capacity, alwaysGranted })
    const { certificateAuthorityFile: file } = options
    this.#authority = file === undefined ? undefined : readFileSync(file)
  }

  exchange(call: Http1Call, done: ExchangeEnd): void {
    const failure = this.#rejectionOf(call)
    if (failure) {
      done(failure)
      return
    }
    const now = performance.now()
    const deadline = call.latencyClass === 'streaming' ? Infinity : now + this.#options.headTimeoutMs
    this.#watch(now)
    this.#start(new Exchange(call, deadline, done), now)
  }

  request(call: Http1Call): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      this.exchange(call, (error, response) => {
        if (response) resolve(response)
        else reject(error)
      })
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const ended = new Http1Error('aborted', 'The connections were closed.')
    for (const exchange of [...this.#short, ...this.#long]) exchange.fail(ended)
    const all = [...this.#connections, ...this.#streaming]
    await Promise.all(all.map((connection) => connection.end(ended)))
  }

  onPendingWrite(connection: Connection): void {
    if (this.#unwritten.length === 0) guardedImmediate(() => this.#write())
    this.#unwritten.push(connection)
  }

  onResponse(connection: Connection, durationMs: number | undefined): void {
    if (this.#streaming.has(connection)) {
      connection.close(new Http1Error('reset', 'The stream has ended.'))
      return
    }
    if (durationMs !== undefined) this.#pipelining.onResponse(durationMs, connection.wasFirstWhenSent)
    this.#release(connection)
    if (!this.#short.isEmpty || !this.#long.isEmpty) this.#startQueued()
  }

  onReassigned(exchange: Exchange, connection: Connection): void {
    exchange.connection = undefined
    // Connections of the same age or older may be closed by now as well.
    if (connection.isClosed) exchange.closedSerial = connection.serial
    if (!exchange.isOver) this.#start(exchange, performance.now())
  }

  onClosed(connection: Connection, reset: number, { kind }: Http1Error): void {
    if (kind === 'mismatched') this.mismatchedResponses += 1
    if (this.#streaming.delete(connection)) return
    this.#connections = this.#connections.filter((other) => other !== connection)
    this.#release(connection)
    if (reset > 0) this.#pipelining.onReset(connection.responseCount)
    // Deferred: the calls of the closed connection come first.
    if (!this.#short.isEmpty || !this.#long.isEmpty) guardedImmediate(() => this.#startQueued())
  }

  #rejectionOf(call: Http1Call): Error | undefined {
    if (call.signal?.aborted) return new Http1Error('aborted', 'The call was aborted.')
    if (this.#isClosed) return new Http1Error('connect_failed', 'The connections were closed.')
    if (call.target === this.#lastTarget) return undefined
    if (!isTarget(call.target)) return new TypeError('The request target contains an invalid character.')
    this.#lastTarget = call.target
    return undefined
  }

  #start(exchange: Exchange, now: number): void {
    if (this.#isClosed) {
      exchange.fail(new Http1Error('connect_failed', 'The connections were closed.'))
      return
    }
    const { call } = exchange
    const queue = isShared(exchange) ? this.#short : this.#long
    // Earlier exchanges of the same credential come first.
    const isQueued = call.latencyClass !== 'streaming' && queue.has(call.tenant)
    if (isQueued || this.#startNow(exchange, now) !== 'started')
      exchange.queued = queue.push(call.tenant, exchange)
  }

  #startNow(exchange: Exchange, now: number): StartOutcome {
    const { call, closedSerial } = exchange
    if (isShared(exchange)) {
      const connection = this.#sharedConnection(closedSerial, now)
      connection?.send(exchange, false)
      return connection ? 'started' : 'resource'
    }
    if (call.latencyClass === 'streaming') {
      this.#open(now, true).send(exchange, true)
      return 'started'
    }
    return this.#startExclusive(exchange, now)
  }

  #startExclusive(exchange: Exchange, now: number): StartOutcome {
    const { call, closedSerial } = exchange
    const exceeded = this.#exclusive.exceeded(call.tenant, 1)
    if (exceeded !== undefined) return exceeded
    const connection = this.#dedicatedConnection(call, closedSerial, now)
    if (!connection) return 'resource'
    connection.share = this.#exclusive.take(call.tenant, 1)
    connection.send(exchange, true)
    return 'started'
  }

  /** Gives the share of a connection back that is no longer exclusive to its tenant. */
  #release(connection: Connection): void {
    const { share } = connection
    if (share === undefined || (connection.isExclusive && !connection.isClosed)) return
    connection.share = undefined
    this.#exclusive.give(share, 1)
  }

  #dedicatedConnection(
    { isRepeatable }: Http1Call,
    closedSerial: number,
    now: number,
  ): Connection | undefined {
    for (const connection of this.#connections) {
      if (connection.load > 0 || !connection.canPipeline || connection.serial <= closedSerial) continue
      if (isRepeatable || !connection.isReady || now - connection.idleSince < freshMs) return connection
    }
    return this.#connections.length < this.#options.maxConnections ? this.#open(now, false) : undefined
  }

  #sharedConnection(closedSerial: number, now: number): Connection | undefined {
    let best: Connection | undefined
    let shared = 0
    let loopIdleMs: number | undefined
    for (const connection of this.#connections) {
      if (!connection.canPipeline || connection.serial <= closedSerial) continue
      if (connection.isReady && connection.load > 0) {
        loopIdleMs ??= eventLoopIdleMs()
        if (this.#pipelining.isStalled(connection.firstSince, loopIdleMs)) continue
      }
      if (
        this.#connections.length > maxSharedConnections &&
        connection.load === 1 &&
        this.#pipelining.shouldTest(now)
      )
        return connection
      if (!best || connection.load < best.load) best = connection
      // A few busy connections are cheaper than many quiet ones.
      if (++shared >= maxSharedConnections && best.load < this.#pipelining.pipelineDepth) break
      if (best.load === 0) break
    }
    const mayOpen = this.#connections.length < this.#options.maxConnections
    if (
      best &&
      (best.load === 0 || (shared >= maxSharedConnections && best.load < this.#pipelining.pipelineDepth))
    )
      return best
    if (mayOpen) return this.#open(now, false)
    return best && best.load < pipelineDepthAtLimit ? best : undefined
  }

  #startQueued(): void {
    const now = performance.now()
    const start = (exchange: Exchange) => this.#startNow(exchange, now)
    this.#long.serve(start)
    this.#short.serve(start)
  }

  #write(): void {
    const connections = this.#unwritten
    this.#unwritten = []
    for (const connection of connections) connection.flush()
  }

  #open(now: number, isStreaming: boolean): Connection {
    const address = this.#address
    const socket = openSocket(address, {
      connect: this.#options.connect,
      authority: this.#authority,
      session: this.#session,
      buffer: readBuffer,
      onBytes: (bytes) => connection.onBytes(bytes),
      onReady: () => connection.onReady(),
      onSession: (session) => (this.#session = session),
    })
    const connection = new Connection(socket, address.host, this, {
      serial: ++this.#serial,
      connectBy: now + this.#options.connectTimeoutMs,
      bodyTimeoutMs: isStreaming ? Infinity : this.#options.bodyTimeoutMs,
    })
    if (isStreaming) this.#streaming.add(connection)
    else this.#connections.push(connection)
    return connection
  }

  /** Starts the timer, or shortens its interval when it is in idle mode. */
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
    for (const connection of this.#streaming) connection.tick(before)
    for (const connection of this.#connections) {
      connection.tick(before)
      if (connection.load === 0 && connection.isReady && now - connection.idleSince > connection.idleMs)
        connection.close(new Http1Error('reset', 'The connection was idle.'))
    }
    for (const exchange of [...this.#short, ...this.#long]) {
      if (before > exchange.deadline)
        exchange.failUnsent('No connection to the upstream became free in time.')
    }
    this.#startQueued()
    const isBusy =
      !this.#short.isEmpty ||
      !this.#long.isEmpty ||
      this.#connections.some((connection) => connection.load > 0 || !connection.isReady) ||
      [...this.#streaming].some((connection) => !connection.isReady)
    this.#isTimerIdle = !isBusy
    this.#timer =
      isBusy || this.#connections.length > 0
        ? guardedTimeout(() => this.#tick(), isBusy ? tickMs : idleTickMs).unref()
        : undefined
  }
}

function isShared({ call, isRestarted }: Exchange): boolean {
  return call.latencyClass === 'short' && call.isRepeatable && !isRestarted
}
