import type { ConnectionEvent } from '../transport.ts'
import { type Backoff, backoffMs } from './backoff.ts'
import { abnormalClosure, closedByCaller, type Ending, limitExceeded, mayReconnect } from './close-code.ts'
import { type KeepAlive, type KeepAliveLimits, watchInactivity } from './keep-alive.ts'
import type { OpenSocket, Socket } from './socket.ts'

export interface ConnectionOptions {
  readonly open: OpenSocket
  /** Timeout of one connection attempt in milliseconds. */
  readonly timeoutMs: number
  /**
   * How long connecting is attempted before the server counts as unreachable, as long as there was never a connection.
   */
  readonly connectTimeoutMs: number
  readonly reconnect: Backoff & { readonly attempts: number }
  readonly keepAlive: KeepAliveLimits | false
  /** Sends a request that the node responds to. */
  readonly probe: () => void
  readonly onText: (text: string) => void
  /** Called when a connection opens, when it ends, and when the transport ends. */
  readonly onEvent: (event: ConnectionEvent) => void
  /** No connection was established in time. Attempts continue. */
  readonly onUnreachable: (reason: string) => void
}

/** A connection that is opened on first use, and opened again when it breaks. */
export interface Connection {
  /** Opens it, unless it is open. */
  start(): void
  /** Sends immediately; returns false when there is no open connection. */
  send(text: string): boolean
  /** Why there is no connection: the number of attempts and how the last one ended. */
  readonly unavailableReason: string
  /** Whether no connection was established in time, and none since. */
  readonly isUnreachable: boolean
  /** Why there will be no further connection. */
  readonly ended: Ending | undefined
  close(): void
}

export function createConnection(options: ConnectionOptions): Connection {
  const { reconnect } = options
  let socket: Socket | undefined
  let isOpen = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let keepAlive: KeepAlive | undefined
  let ended: Ending | undefined
  // Since data was last received: a server that accepts and closes every connection also counts as failing.
  let failures = 0
  // Since the last connection was established.
  let attempts = 0
  let lastEnding: Ending | undefined
  let isUnreachable = false
  let firstTimer: ReturnType<typeof setTimeout> | undefined

  function open(): void {
    timer = setTimeout(() => drop('no connection'), options.timeoutMs)
    try {
      socket = options.open({ open: onOpen, text: onText, closed: onClose })
    } catch {
      // The error message of the class is dropped: it contains the URL, and with it the token.
      onClose(abnormalClosure, 'WebSocket refused the address')
    }
  }

  function onOpen(): void {
    clearTimeout(timer)
    timer = undefined
    clearTimeout(firstTimer)
    isOpen = true
    isUnreachable = false
    attempts = 0
    if (options.keepAlive) {
      keepAlive = watchInactivity(options.keepAlive, options.probe, () => drop('no answer'))
    }
    options.onEvent({ type: 'connect' })
  }

  function onText(text: string): void {
    failures = 0
    keepAlive?.received()
    options.onText(text)
  }

  function drop(reason: string): void {
    socket?.drop()
    onClose(abnormalClosure, reason)
  }

  function onClose(code: number, reason: string): void {
    const wasOpen = isOpen
    if (!wasOpen) attempts++
    lastEnding = { code, reason }
    reset()
    const willReconnect = mayReconnect(code) && !isHandshakeRejected(reason) && failures < reconnect.attempts
    if (willReconnect) timer = setTimeout(open, pauseMs(code))
    else end(lastEnding)
    failures++
    if (wasOpen || ended) options.onEvent({ type: 'disconnect', code, reason, willReconnect })
  }

  function end(ending: Ending): void {
    clearTimeout(firstTimer)
    ended = ending
  }

  function unavailableReason(): string {
    const attemptsText = attempts === 0 ? '' : ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
    return `no connection${attemptsText}${lastEnding ? `, the last ended with ${lastEnding.code} ${lastEnding.reason}`.trimEnd() : ''}`
  }

  function pauseMs(code: number): number {
    if (code !== limitExceeded) return backoffMs(failures, reconnect)
    return (reconnect.maxMs * (1 + Math.random())) / 2
  }

  function reset(): void {
    clearTimeout(timer)
    keepAlive?.stop()
    socket = timer = keepAlive = undefined
    isOpen = false
  }

  return {
    start() {
      if (socket || timer || ended) return
      firstTimer ??= setTimeout(() => {
        isUnreachable = true
        options.onUnreachable(unavailableReason())
      }, options.connectTimeoutMs)
      open()
    },
    send(text) {
      if (!isOpen) return false
      socket?.send(text)
      return true
    },
    get unavailableReason() {
      return unavailableReason()
    },
    get isUnreachable() {
      return isUnreachable
    },
    get ended() {
      return ended
    },
    close() {
      if (ended) return
      const current = socket
      reset()
      end(closedByCaller)
      current?.close()
      options.onEvent({ type: 'disconnect', ...closedByCaller, willReconnect: false })
    },
  }
}

// The text with which `ws` reports the HTTP status of a rejected handshake; browsers do not expose it.
function isHandshakeRejected(reason: string): boolean {
  return /^Unexpected server response: (400|401|403|404)$/.test(reason)
}
