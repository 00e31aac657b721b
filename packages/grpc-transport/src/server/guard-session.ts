import { constants, type ServerHttp2Session } from 'node:http2'

/** Limits of one connection in addition to those of node:http2. */
export interface SessionLimits {
  /** Flow-control window for request bodies in bytes, over all streams (default 16 MiB). */
  readonly connectionWindowBytes: number
  /** Timeout in milliseconds for the acknowledgement of the server's settings (default 10 s). */
  readonly handshakeTimeoutMs: number
  /** Milliseconds after which a connection without a stream is closed gracefully (default 5 minutes). */
  readonly idleMs: number
  /** Milliseconds without received data after which a PING is sent (default 30 s). */
  readonly keepaliveMs: number
  /** Timeout in milliseconds for the response to the PING (default 20 s). */
  readonly keepaliveTimeoutMs: number
  /**
   * Maximum number of PING and SETTINGS frames from a peer per second (default 10 000): clients that measure the
   * bandwidth-delay product send a PING per round trip.
   */
  readonly maxControlFramesPerSecond: number
  /**
   * Streams that may end with an error in a burst, whichever side detected it, including cancelled calls (default
   * 1000).
   */
  readonly streamResetBurst: number
  /** Streams per second that may do so once the burst is used up (default 200). */
  readonly streamResetRate: number
  /**
   * Called with each event that costs the server more than the peer, for limits over several connections; false closes
   * the connection (default: no further limit).
   */
  readonly onPeerEvent: (event: PeerEvent, session: ServerHttp2Session) => boolean
}

/**
 * An event of a connection: a stream that ended with an error, a PING or SETTINGS frame, or a connection that was closed
 * because it violates the protocol or a limit.
 */
export type PeerEvent = 'reset' | 'control' | 'violation'

/** Sets the window of a connection, and closes the connection when it exceeds one of the limits. */
export function guardSession(session: ServerHttp2Session, limits: SessionLimits): void {
  session.setLocalWindowSize(limits.connectionWindowBytes)
  closeOnFlood(session, limits)
  closeWhenUnresponsive(session, limits)
  closeWhenIdle(session, limits)
}

function closeOnFlood(session: ServerHttp2Session, limits: SessionLimits): void {
  const { maxControlFramesPerSecond, streamResetBurst, streamResetRate, onPeerEvent } = limits
  const reject = () => rejectSession(session)
  const countFrame = createRateCounter(maxControlFramesPerSecond, maxControlFramesPerSecond, reject)
  const countStream = createRateCounter(streamResetBurst, streamResetRate, reject)
  const countControlFrame = () => {
    countFrame()
    if (!onPeerEvent('control', session)) reject()
  }
  const countReset = () => {
    countStream()
    if (!onPeerEvent('reset', session)) reject()
  }
  session.once('error', ({ code }: NodeJS.ErrnoException) => {
    // A lost connection has the code of the operating system.
    if (code === undefined || code.startsWith('ERR_HTTP2')) onPeerEvent('violation', session)
  })
  session.on('ping', countControlFrame)
  session.on('remoteSettings', countControlFrame)
  session.on('stream', (stream) => {
    // The listener of the server is added after this one; until then an error needs a listener.
    stream.on('error', () => undefined)
    stream.once('close', () => {
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) countReset()
    })
  })
}

/** A token bucket: allows `burst` events at once, and `perSecond` events per second after that. */
function createRateCounter(burst: number, perSecond: number, onExceeded: () => void): () => void {
  let tokens = burst
  let refilledAt = performance.now()
  return () => {
    const now = performance.now()
    tokens = Math.min(burst, tokens + ((now - refilledAt) * perSecond) / 1_000) - 1
    refilledAt = now
    if (tokens < 0) onExceeded()
  }
}

function rejectSession(session: ServerHttp2Session): void {
  if (session.destroyed) return
  session.destroy(
    new Error('the peer exceeds a rate limit of the connection'),
    constants.NGHTTP2_ENHANCE_YOUR_CALM,
  )
}

function closeWhenUnresponsive(
  session: ServerHttp2Session,
  { handshakeTimeoutMs, keepaliveMs, keepaliveTimeoutMs }: SessionLimits,
): void {
  const { socket } = session
  const end = (): void => session.destroy()
  const handshake = after(handshakeTimeoutMs, end)
  session.once('localSettings', () => clearTimeout(handshake))
  let lastBytesRead = 0
  let pingTimeout: NodeJS.Timeout | undefined
  const keepaliveTimer = setInterval(() => {
    // The socket of a destroyed session throws on access.
    if (session.destroyed || pingTimeout !== undefined) return
    const { bytesRead } = socket
    if (bytesRead !== lastBytesRead) {
      lastBytesRead = bytesRead
      return
    }
    pingTimeout = after(keepaliveTimeoutMs, end)
    session.ping((error) => {
      // An error means that the connection has ended.
      if (error !== null) return
      clearTimeout(pingTimeout)
      pingTimeout = undefined
    })
  }, keepaliveMs).unref()
  session.once('close', () => {
    clearInterval(keepaliveTimer)
    clearTimeout(handshake)
    clearTimeout(pingTimeout)
  })
}

function closeWhenIdle(session: ServerHttp2Session, { idleMs }: SessionLimits): void {
  let open = 0
  const idleTimer = after(idleMs, () => {
    if (open === 0) session.close()
  })
  session.on('stream', (stream) => {
    open++
    stream.once('close', () => {
      if (--open === 0) idleTimer.refresh()
    })
  })
  session.once('close', () => clearTimeout(idleTimer))
}

function after(milliseconds: number, action: () => void): NodeJS.Timeout {
  return setTimeout(action, milliseconds).unref()
}
