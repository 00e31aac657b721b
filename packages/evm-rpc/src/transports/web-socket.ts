import { nodeAddress, requireNumber } from '@fairlead/core'
import { callListener } from '../call-listener.ts'
import type { ConnectionEvent, RpcRequest, Transport } from '../transport.ts'
import { parse } from './response.ts'
import type { Backoff } from './backoff.ts'
import { closedByCaller, closedError, type Ending } from './close-code.ts'
import { requireMilliseconds } from './configuration.ts'
import { createConnection } from './connection.ts'
import type { NodeTransportOptions } from './http.ts'
import { isIdempotent } from './idempotent.ts'
import type { KeepAliveOptions, KeepAliveLimits } from './keep-alive.ts'
import { callsOf, type SendAll } from './outcomes.ts'
import { socketOpener, type WebSocketClass } from './socket.ts'
import { createSocketCalls } from './socket-calls.ts'
import { createSocketSubscriptions, type Notification } from './socket-subscriptions.ts'

/** Reconnection after a broken connection, with increasing delays, each a random part of its upper bound. */
export interface ReconnectOptions {
  /**
   * Maximum number of consecutive failed attempts before the transport ends. Default `Infinity`; 0 never reconnects.
   */
  readonly attempts?: number | undefined
  /** Upper bound of the first delay in milliseconds; it doubles with every attempt. Default 250. */
  readonly baseMs?: number | undefined
  /** Upper bound of any delay in milliseconds. Default 30000. */
  readonly maxMs?: number | undefined
}

/** Options for a connection to a node over a WebSocket. */
export interface WebSocketOptions extends NodeTransportOptions {
  /** The WebSocket class. Default: that of the runtime. Node.js before 22 has none: pass the class of `ws`. */
  readonly WebSocket?: WebSocketClass | undefined
  /** Timeout of one call in milliseconds, including the wait for a connection. Default 30000. */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum wait for the first connection in milliseconds; then calls fail with `TRANSPORT_FAILED` until there is a
   * connection. Attempts continue. Default 5000.
   */
  readonly connectTimeoutMs?: number | undefined
  readonly reconnect?: ReconnectOptions | undefined
  /** Detection of dead connections; `false` disables it. */
  readonly keepAlive?: KeepAliveOptions | false | undefined
}

/** Sends calls and subscriptions over one persistent connection. */
export type WebSocketTransport = Required<Transport>

/**
 * Creates a transport over a WebSocket. Calls and subscriptions share one connection, which is opened on first use and
 * opened again when it breaks.
 *
 * While there is no connection, calls wait for one until their timeout; they wait for the first one no longer than
 * `connectTimeoutMs`. A call that was in flight when the connection broke is sent once more if the specification marks
 * it idempotent, and fails with `TRANSPORT_FAILED` otherwise. Subscriptions are renewed on the new connection, and
 * `resumed()` of each listener is called, because notifications may be missing. The transport ends, with
 * `TRANSPORT_CLOSED` for calls and subscriptions, when the server closes with 1008, 1009, 3000, 3003, 4401 (the
 * credential is unknown or no longer valid) or 4403, or rejects the handshake and the class reports it. After any other
 * close code another attempt follows, after 4429 with a longer delay.
 *
 * @param options - URL and credential as for {@link http}; `WebSocket`, `timeoutMs`, `connectTimeoutMs`, `reconnect`
 *   and `keepAlive`. Basic credentials are sent in a header, which no browser can send: use a token there
 * @returns a transport with subscriptions and connection events; `close()` ends it permanently
 * @throws FairleadError `CONFIG_INVALID` when an option is invalid, or the runtime has no usable WebSocket
 * @example
 * ```ts
 * const transport = webSocket({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const heads = await transport.subscribe(['newHeads'], { next: (head) => console.log(head) })
 * await heads.unsubscribe()
 * transport.close()
 * ```
 * @see RFC 6455; specs/evm/openrpc.yaml
 */
export function webSocket(options: WebSocketOptions): WebSocketTransport {
  const { timeoutMs = 30_000, connectTimeoutMs = 5_000 } = options
  const reconnect = reconnectOf(options.reconnect)
  requireMilliseconds('timeoutMs', timeoutMs)
  requireMilliseconds('connectTimeoutMs', connectTimeoutMs)
  const { url, headers, secrets } = nodeAddress('websocket', options.url, options.auth, options.path)
  const listeners = new Set<(event: ConnectionEvent) => void>()

  const connection = createConnection({
    open: socketOpener(url, headers, secrets, options.WebSocket),
    timeoutMs,
    connectTimeoutMs,
    reconnect,
    keepAlive: options.keepAlive !== false && keepAliveOf(options.keepAlive),
    // The outcome is ignored: any received data proves that the connection is alive.
    probe: () => calls.exchange([{ method: 'eth_chainId' }], { resend: false }, () => {}),
    onText: (text) => receive(parse(text)),
    onEvent: (event) => {
      if (event.type === 'connect') {
        subscriptions.resume()
        calls.flush()
      } else {
        calls.lost(`connection ended with ${event.code} ${event.reason}`.trim())
        subscriptions.lost()
        if (!event.willReconnect) end(event)
      }
      for (const listener of listeners) callListener(() => listener(event))
    },
    onUnreachable: (reason) => calls.unreachable(reason),
  })

  const calls = createSocketCalls({
    send: (text) => {
      if (connection.send(text)) return true
      connection.start()
      return false
    },
    unavailableReason: () => connection.unavailableReason,
    isUnreachable: () => connection.isUnreachable,
    ended: (operation) => connection.ended && closedError(operation, connection.ended),
    secrets,
    timeoutMs,
  })
  const subscriptions = createSocketSubscriptions(calls, reconnect)

  function receive(message: unknown): void {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: Notification }
    if (method === undefined) calls.receive(message)
    else if (method === 'eth_subscription' && params) subscriptions.notify(params)
  }

  function end(ending: Ending): void {
    calls.end((operation) => closedError(operation, ending))
    subscriptions.end(closedError('eth_subscribe', ending))
  }

  const send: SendAll = (requests, callOptions) =>
    new Promise((resolve) => {
      if (requests.length === 0) return resolve([])
      const resend = requests.every(({ method }: RpcRequest) => isIdempotent(method))
      calls.exchange(requests, { ...callOptions, resend }, resolve)
    })

  return {
    ...callsOf(send),
    subscribe: (params, listener) => subscriptions.subscribe(params, listener),
    onConnection(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      // Comes first, so that a call in flight is not treated as lost by a broken connection.
      if (!connection.ended) end(closedByCaller)
      connection.close()
    },
  }
}

function reconnectOf({
  attempts = Infinity,
  baseMs = 250,
  maxMs = 30_000,
}: ReconnectOptions = {}): Backoff & {
  readonly attempts: number
} {
  requireNumber('reconnect.attempts', attempts, 0)
  requireMilliseconds('reconnect.baseMs', baseMs)
  requireMilliseconds('reconnect.maxMs', maxMs)
  return { attempts, baseMs, maxMs }
}

function keepAliveOf({ intervalMs = 30_000, timeoutMs = 10_000 }: KeepAliveOptions = {}): KeepAliveLimits {
  requireMilliseconds('keepAlive.intervalMs', intervalMs)
  requireMilliseconds('keepAlive.timeoutMs', timeoutMs)
  return { intervalMs, timeoutMs }
}
