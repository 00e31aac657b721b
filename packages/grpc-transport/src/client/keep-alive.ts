import type { OpenSession } from './open-session.ts'

export interface KeepAliveOptions {
  readonly keepaliveMs: number
  readonly keepaliveTimeoutMs: number
  /** Asked at each turn: a connection without a call needs no sign of life. */
  readonly isInUse: () => boolean
  /** Nothing came for a while, and no call is there. */
  readonly onIdle: () => void
  /** The server gave no sign of life in time. */
  readonly onSilence: () => void
}

/**
 * Asks a server for a sign of life by PING when nothing came from it for a while; any byte counts as one.
 *
 * @returns asks at once where the last turn was silent: for the first call after a rest, in which a connection may have been
 *   lost without a word
 * @see https://github.com/grpc/grpc/blob/master/doc/keepalive.md
 */
export function keepAlive({ session, socket }: OpenSession, options: KeepAliveOptions): () => void {
  const { keepaliveMs, keepaliveTimeoutMs, isInUse, onIdle, onSilence } = options
  if (keepaliveMs === 0) return () => {}
  let seenBytes = socket.bytesRead
  let limit: NodeJS.Timeout | undefined

  function ask(): void {
    // A session that is closing sends no PING any more.
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
