import { WebSocket } from 'ws'
import { guardedInterval } from '@fairlead/runtime'

/** Limits for the silence of a connection. */
export interface SilenceLimits {
  /** Interval of the checks and, during silence, of the pings, in milliseconds. */
  readonly pingMs: number
  /** Silence after which the connection is ended, in milliseconds. */
  readonly silentMs: number
}

/**
 * Terminates a WebSocket to an upstream from which no data arrives, not even a response to a ping. A half-open
 * connection cannot be detected in another way.
 */
export function watchSilence(socket: WebSocket, { pingMs, silentMs }: SilenceLimits): void {
  let lastReceivedAt = performance.now()
  const onReceived = () => (lastReceivedAt = performance.now())
  const pings = guardedInterval(() => {
    // During the handshake, the handshake timeout applies.
    if (socket.readyState === WebSocket.CONNECTING) return
    const silence = performance.now() - lastReceivedAt
    if (silence >= silentMs) socket.terminate()
    else if (socket.readyState === WebSocket.OPEN && silence >= pingMs / 2) socket.ping()
  }, pingMs)
  socket.on('open', onReceived)
  socket.on('pong', onReceived)
  socket.on('ping', onReceived)
  socket.on('message', onReceived)
  socket.on('close', () => clearInterval(pings))
}
