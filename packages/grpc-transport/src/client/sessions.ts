import type { ClientHttp2Session } from 'node:http2'
import { setTimeout as wait } from 'node:timers/promises'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import { type Connection, watchSession } from './connection.ts'
import { keepAlive } from './keep-alive.ts'
import { openSession } from './open-session.ts'
import { longestMs, type SessionsOptions, sessionsSettings } from './options.ts'
import { readTarget } from './target.ts'

/** A pool of connections to one server. */
export interface Sessions {
  /**
   * Returns a session that can open one more stream, which must be opened immediately; connects if there is none.
   *
   * @throws GrpcError UNAVAILABLE when no connection can be opened, CANCELLED after `close`
   */
  acquire(): Promise<ClientHttp2Session>
  /**
   * Number of simultaneous streams on all connections together that the server allows; Infinity when it sets no limit,
   * or none is known without a connection.
   */
  readonly maxStreams: number
  /**
   * Closes the connections and their open streams.
   *
   * @param graceMs - milliseconds that open streams have to end by themselves; default none
   */
  close(graceMs?: number): Promise<void>
}

/** The interface of the transport: connections instead of only their sessions. */
export interface Connections {
  /** An open connection that can open one more stream. */
  ready(): Connection | undefined
  maxStreams(): number
  acquire(): Promise<Connection>
  close(graceMs?: number): Promise<void>
}

const firstPauseMs = 50
const longestPauseMs = 5000
/** PING interval for a server that limits the PING rate: five minutes, the default minimum of common gRPC servers. */
const reducedPingMs = 300_000

/**
 * Creates a connection pool to one server. A connection is opened on demand, and again after a loss (with a delay that
 * doubles up to 5 s). Another one is opened when the server accepts no more streams on the existing ones. Connections
 * are checked by PING while streams are open. Of several idle connections, one remains open, by default without a time
 * limit. An idle connection does not keep the process alive.
 *
 * @param url - `https://host[:port]`, or `http://host:port` for HTTP/2 without TLS
 * @param options - timeouts in milliseconds, windows in bytes, TLS options
 * @returns the pool; it connects on first use
 * @throws TypeError for another form of URL, RangeError for a number out of its range
 * @example
 * ```ts
 * const sessions = createSessions('http://127.0.0.1:10000')
 * const session = await sessions.acquire()
 * const stream = session.request({ ':method': 'POST', ':path': '/geyser.Geyser/GetVersion' }, { endStream: false })
 * ```
 * @see RFC 9113
 */
export function createSessions(url: string, options: SessionsOptions = {}): Sessions {
  const { acquire, maxStreams, close } = createConnections(url, options)
  return {
    acquire: async () => (await acquire()).session,
    get maxStreams() {
      return maxStreams()
    },
    close,
  }
}

export function createConnections(url: string, options: SessionsOptions): Connections {
  const target = readTarget(url)
  const settings = sessionsSettings(options)
  const connections = new Set<Connection>()
  const closing = new AbortController()
  let { keepaliveMs } = settings
  let connecting: Promise<void> | undefined
  // Attempts since the server last spoke HTTP/2, and when the next one may begin.
  let failures = 0
  let notBefore = 0
  let failure: unknown

  function ready(): Connection | undefined {
    let least: Connection | undefined
    let full = 0
    for (const connection of connections) {
      if (connection.isClosed) continue
      if (connection.hasCapacity) return reserve(connection)
      full++
      if (least === undefined || connection.load < least.load) least = connection
    }
    // With all connections full, the stream waits on the least busy one until the server allows another stream.
    return full >= settings.maxConnections && least ? reserve(least) : undefined
  }

  function reserve(connection: Connection): Connection {
    connection.reserve()
    return connection
  }

  function maxStreams(): number {
    let perConnection = Infinity
    for (const { isClosed, maxStreams: max } of connections)
      if (!isClosed && max < perConnection) perConnection = max
    return perConnection * settings.maxConnections
  }

  async function acquire(): Promise<Connection> {
    for (;;) {
      if (closing.signal.aborted) throw closing.signal.reason
      const connection = ready()
      if (connection !== undefined) return connection
      connecting ??= connect().finally(() => (connecting = undefined))
      await (failure === undefined ? connecting : waitForReady(connecting))
    }
  }

  // A server that was unreachable may remain so for a long time: the attempt continues, but the caller does not wait
  // for it.
  function waitForReady(attempt: Promise<void>): Promise<void> {
    const { waitForReadyMs } = settings
    if (waitForReadyMs > longestMs) return attempt
    const waitMs = notBefore - performance.now() > waitForReadyMs ? 0 : waitForReadyMs
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(failure), waitMs)
      void attempt.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }

  async function connect(): Promise<void> {
    const pauseMs = notBefore - performance.now()
    // The error is ignored: `acquire` reports why the pool is closing.
    if (pauseMs > 0) await wait(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
    if (closing.signal.aborted) return
    notBefore =
      performance.now() + Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.5 + Math.random() / 2)
    failures++
    const open = await openSession(target, settings, closing.signal).catch((error: unknown) => {
      failure = error
      throw error
    })
    failures = notBefore = 0
    failure = undefined
    if (closing.signal.aborted) open.session.destroy()
    const connection = watchSession(
      open,
      () => checkConnection(),
      () => (keepaliveMs = Math.max(settings.keepaliveMs, Math.min(keepaliveMs * 2, reducedPingMs))),
    )
    connections.add(connection)
    open.session.once('close', () => connections.delete(connection))
    const intervalMs = keepaliveMs
    const checkConnection = keepAlive(open, {
      keepaliveMs: intervalMs,
      keepaliveTimeoutMs: settings.keepaliveTimeoutMs,
      isInUse: () => connection.load > 0,
      onIdle: () => {
        const idleIntervals = connection.countIdleInterval()
        const isSpare =
          idleIntervals > 0 && [...connections].some((other) => other !== connection && !other.isClosed)
        if (isSpare || idleIntervals * intervalMs >= settings.idleTimeoutMs) open.session.close()
      },
      onTimeout: () =>
        connection.destroy(new GrpcError(Status.UNAVAILABLE, 'the server gave no sign of life')),
    })
  }

  async function close(graceMs = 0): Promise<void> {
    closing.abort(new GrpcError(Status.CANCELLED, 'the transport was closed'))
    await Promise.all(
      [...connections].map(async (connection) => {
        const { session } = connection
        const closed = new Promise((resolve) => session.once('close', resolve))
        const timer = setTimeout(() => connection.destroy(closing.signal.reason), graceMs)
        if (graceMs > 0) session.close()
        await closed
        clearTimeout(timer)
      }),
    )
  }

  return { ready, maxStreams, acquire, close }
}
