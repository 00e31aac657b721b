import { WebSocket } from 'ws'
import { guardedInterval } from '@fairlead/http1'

/** How long a connection may be silent. */
export interface SilenceLimits {
  /** Interval of the checks and, while nothing comes, of the pings, in milliseconds. */
  readonly pingMs: number
  /** Silence after which the connection is ended, in milliseconds. */
  readonly silentMs: number
}

/**
 * Ends a WebSocket to a node from which nothing comes any more, not even an answer to a ping: a half-open connection tells of
 * its end by nothing else.
 */
export function watchSilence(socket: WebSocket, { pingMs, silentMs }: SilenceLimits): void {
  let lastHeard = performance.now()
  const heard = () => (lastHeard = performance.now())
  const pings = guardedInterval(() => {
    // Before that, the time limit of the handshake holds.
    if (socket.readyState === WebSocket.CONNECTING) return
    const silence = performance.now() - lastHeard
    if (silence >= silentMs) socket.terminate()
    else if (socket.readyState === WebSocket.OPEN && silence >= pingMs / 2) socket.ping()
  }, pingMs)
  socket.on('open', heard)
  socket.on('pong', heard)
  socket.on('ping', heard)
  socket.on('message', heard)
  socket.on('close', () => clearInterval(pings))
}
