import type { OpenSession } from './open-session.ts'

export interface KeepAliveOptions {
  readonly keepaliveMs: number
  readonly keepaliveTimeoutMs: number
  /** Whether a call is open: a connection without a call needs no PING. */
  readonly isInUse: () => boolean
  /** Called at each interval at whose end no call is open. */
  readonly onIdle: () => void
  /** The server did not respond to the PING in time. */
  readonly onTimeout: () => void
}

/**
 * Sends a PING to a server when nothing was received from it for a while; any received byte counts as activity.
 *
 * @returns a function that sends a PING immediately if the last interval was silent. It is for the first call after an
 *   idle period, in which a connection may have been lost without notice
 * @see https://github.com/grpc/grpc/blob/master/doc/keepalive.md
 */
export function keepAlive({ session, socket }: OpenSession, options: KeepAliveOptions): () => void {
  const { keepaliveMs, keepaliveTimeoutMs, isInUse, onIdle, onTimeout } = options
  if (keepaliveMs === 0) return () => {}
  let lastBytesRead = socket.bytesRead
  let pingTimeout: NodeJS.Timeout | undefined

  function sendPing(): void {
    // A session that is closing sends no more PINGs.
    if (pingTimeout !== undefined || session.closed || session.destroyed) return
    const bytesAtPing = socket.bytesRead
    const isSent = session.ping(() => {
      clearTimeout(pingTimeout)
      pingTimeout = undefined
    })
    if (!isSent) return
    pingTimeout = setTimeout(() => {
      pingTimeout = undefined
      if (socket.bytesRead === bytesAtPing) onTimeout()
    }, keepaliveTimeoutMs)
    pingTimeout.unref()
  }

  const timer = setInterval(() => {
    const isInactive = socket.bytesRead === lastBytesRead
    lastBytesRead = socket.bytesRead
    if (!isInUse()) onIdle()
    else if (isInactive) sendPing()
  }, keepaliveMs)
  timer.unref()

  session.once('close', () => {
    clearInterval(timer)
    clearTimeout(pingTimeout)
  })
  return () => {
    if (socket.bytesRead === lastBytesRead) sendPing()
  }
}
