import type { ClientHttp2Session } from 'node:http2'
import { setTimeout as wait } from 'node:timers/promises'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import { type Connection, watchSession } from './connection.ts'
import { keepAlive } from './keep-alive.ts'
import { openSession } from './open-session.ts'
import { longestMs, type SessionsOptions, sessionsSettings } from './options.ts'
import { readTarget } from './target.ts'

/** Keeps connections to one server. */
export interface Sessions {
  /**
   * Finds a session with room for one more stream, which is to be opened at once; connects where there is none.
   *
   * @throws GrpcError UNAVAILABLE where no connection can be opened, CANCELLED once this is closed
   */
  acquire(): Promise<ClientHttp2Session>
  /**
   * Ends the connections, and with them the streams that are still open.
   *
   * @param graceMs - milliseconds that open streams have to end by themselves; none when left out
   */
  close(graceMs?: number): Promise<void>
}

/** What the transport uses: connections instead of their sessions alone. */
export interface Connections {
  /** A connection with room that is open already. */
  ready(): Connection | undefined
  acquire(): Promise<Connection>
  close(graceMs?: number): Promise<void>
}

const firstPauseMs = 50
const longestPauseMs = 5000
/** A server that asks to be left in peace takes a PING every five minutes, as the usual servers of gRPC do by default. */
const calmMs = 300_000

/**
 * Keeps connections to one server: opened when one is needed, again after a loss (with a pause that doubles up to 5 s), one
 * more where the server takes no more streams on the others, and watched by PING while streams are open. An idle connection
 * does not keep the process alive.
 *
 * @param url - `https://host[:port]`, or `http://host:port` for HTTP/2 without TLS
 * @param options - limits in milliseconds, windows in bytes, settings of TLS
 * @returns the keeper; nothing is connected yet
 * @throws TypeError for another form of address, RangeError for a number out of its range
 * @example
 * ```ts
 * const sessions = createSessions('http://127.0.0.1:10000')
 * const session = await sessions.acquire()
 * const stream = session.request({ ':method': 'POST', ':path': '/geyser.Geyser/GetVersion' }, { endStream: false })
 * ```
 * @see RFC 9113
 */
export function createSessions(url: string, options: SessionsOptions = {}): Sessions {
  const { acquire, close } = createConnections(url, options)
  return { acquire: async () => (await acquire()).session, close }
}

export function createConnections(url: string, options: SessionsOptions): Connections {
  const target = readTarget(url)
  const settings = sessionsSettings(options)
  const connections = new Set<Connection>()
  const closing = new AbortController()
  let { keepaliveMs } = settings
  let connecting: Promise<void> | undefined
  // Attempts since the server last spoke HTTP/2 to us, and when the next one may begin.
  let failures = 0
  let notBefore = 0
  let failure: unknown

  function ready(): Connection | undefined {
    let least: Connection | undefined
    let full = 0
    for (const connection of connections) {
      if (connection.isOver) continue
      if (connection.hasRoom) return reserve(connection)
      full++
      if (least === undefined || connection.load < least.load) least = connection
    }
    // With all connections full, the stream waits in the least busy one until the server has room for it.
    return full >= settings.maxConnections && least ? reserve(least) : undefined
  }

  function reserve(connection: Connection): Connection {
    connection.reserve()
    return connection
  }

  async function acquire(): Promise<Connection> {
    for (;;) {
      if (closing.signal.aborted) throw closing.signal.reason
      const connection = ready()
      if (connection !== undefined) return connection
      connecting ??= connect().finally(() => (connecting = undefined))
      await (failure === undefined ? connecting : patience(connecting))
    }
  }

  // A server that was away may stay away for long: the attempt goes on, and who asked for it need not wait.
  function patience(attempt: Promise<void>): Promise<void> {
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
    // Only the reason why it is closing is of interest, and `acquire` gives it.
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
      () => askForLife(),
      () => (keepaliveMs = Math.max(settings.keepaliveMs, Math.min(keepaliveMs * 2, calmMs))),
    )
    connections.add(connection)
    open.session.once('close', () => connections.delete(connection))
    const askForLife = keepAlive(open, {
      keepaliveMs,
      keepaliveTimeoutMs: settings.keepaliveTimeoutMs,
      isInUse: () => connection.load > 0,
      onIdle: () => {
        if (connections.size > 1) open.session.close()
      },
      onSilence: () => connection.lose(new GrpcError(Status.UNAVAILABLE, 'the server gave no sign of life')),
    })
  }

  async function close(graceMs = 0): Promise<void> {
    closing.abort(new GrpcError(Status.CANCELLED, 'the transport was closed'))
    await Promise.all(
      [...connections].map(async (connection) => {
        const { session } = connection
        const closed = new Promise((resolve) => session.once('close', resolve))
        const timer = setTimeout(() => connection.lose(closing.signal.reason), graceMs)
        if (graceMs > 0) session.close()
        await closed
        clearTimeout(timer)
      }),
    )
  }

  return { ready, acquire, close }
}
