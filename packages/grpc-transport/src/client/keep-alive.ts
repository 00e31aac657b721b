import type { OpenSession } from './open-session.ts'

export interface KeepAliveOptions {
  readonly keepaliveMs: number
  readonly keepaliveTimeoutMs: number
  /** Called at each interval: a connection without a call needs no PING. */
  readonly isInUse: () => boolean
  /** Nothing was received for a while, and no call is open. */
  readonly onIdle: () => void
  /** The server did not respond to the PING in time. */
  readonly onSilence: () => void
}

/**
 * Sends a PING to a server when nothing was received from it for a while; any received byte counts as activity.
 *
 * @returns a function that sends a PING immediately if the last interval was silent. It is for the first call after an
 *   idle period, in which a connection may have been lost without notice
 * @see https://github.com/grpc/grpc/blob/master/doc/keepalive.md
 */
export function keepAlive({ session, socket }: OpenSession, options: KeepAliveOptions): () => void {
  const { keepaliveMs, keepaliveTimeoutMs, isInUse, onIdle, onSilence } = options
  if (keepaliveMs === 0) return () => {}
  let seenBytes = socket.bytesRead
  let limit: NodeJS.Timeout | undefined

  function ask(): void {
    // A session that is closing sends no more PINGs.
    if (limit !== undefined || session.closed || session.destroyed) return
    const askedAt = socket.bytesRead
    const isSent = session.ping(() => {
      clearTimeout(limit)
      limit = undefined
    })
    if (!isSent) return
    limit = setTimeout(() => {
      limit = undefined
      if (socket.bytesRead === askedAt) onSilence()
    }, keepaliveTimeoutMs)
    limit.unref()
  }

  const timer = setInterval(() => {
    const isSilent = socket.bytesRead === seenBytes
    seenBytes = socket.bytesRead
    if (!isSilent) return
    if (isInUse()) ask()
    else onIdle()
  }, keepaliveMs)
  timer.unref()

  session.once('close', () => {
    clearInterval(timer)
    clearTimeout(limit)
  })
  return () => {
    if (socket.bytesRead === seenBytes) ask()
  }
}
