import { nodeAddress, requireNumber } from '@fairlead/core'
import { tell } from '../tell.ts'
import type { ConnectionEvent, RpcRequest, Transport } from '../transport.ts'
import { parse } from './answer.ts'
import type { Backoff } from './backoff.ts'
import { closedByCaller, closedError, type Ending } from './close-code.ts'
import { requireMilliseconds } from './configuration.ts'
import { createConnection } from './connection.ts'
import type { NodeTransportOptions } from './http.ts'
import { isIdempotent } from './idempotent.ts'
import type { KeepAliveOptions, SilenceLimits } from './keep-alive.ts'
import { callsOf, type SendAll } from './outcomes.ts'
import { socketOpener, type WebSocketClass } from './socket.ts'
import { createSocketCalls } from './socket-calls.ts'
import { createSocketSubscriptions, type Notification } from './socket-subscriptions.ts'

/** How to come back after a broken connection: with pauses that grow, each a random part of its upper end. */
export interface ReconnectOptions {
  /** How many attempts in a row may fail before the transport ends. Default `Infinity`; 0 never reconnects. */
  readonly attempts?: number | undefined
  /** Upper end of the first pause in milliseconds; it doubles with every attempt. Default 250. */
  readonly baseMs?: number | undefined
  /** Upper end of any pause in milliseconds. Default 30000. */
  readonly maxMs?: number | undefined
}

/** How to reach a node over a WebSocket. */
export interface WebSocketOptions extends NodeTransportOptions {
  /** The class to connect with; without it that of the runtime. Node before 22 has none: pass the class of `ws`. */
  readonly WebSocket?: WebSocketClass | undefined
  /** Limit of one call in milliseconds, the wait for a connection included. Default 30000. */
  readonly timeoutMs?: number | undefined
  /**
   * Limit of the wait for the first connection in milliseconds; then calls fail with `TRANSPORT_FAILED` until there is one.
   * Attempts continue. Default 5000.
   */
  readonly connectTimeoutMs?: number | undefined
  readonly reconnect?: ReconnectOptions | undefined
  /** Watches a silent connection; `false` does not. */
  readonly keepAlive?: KeepAliveOptions | false | undefined
}

/** Calls and subscriptions over one lasting connection. */
export type WebSocketTransport = Required<Transport>

/**
 * Makes a transport over a WebSocket: calls and subscriptions share one connection, which is opened when it is first
 * needed and opened again when it breaks.
 *
 * While there is no connection, calls wait for one as long as their timeout allows; for the first one they wait no longer
 * than `connectTimeoutMs`. A call that was on its way when the connection broke is sent once more if the specification marks
 * it idempotent, and fails with `TRANSPORT_FAILED` if not. Subscriptions run again on the new connection; each listener hears
 * `resumed()`, as something may be missing. The transport ends, with `TRANSPORT_CLOSED` for calls and subscriptions, when the
 * server closes with 1008, 1009, 3000, 3003, 4401 (the credential is unknown or no longer valid) or 4403, or refuses the
 * handshake where the class tells so; any other end is followed by another attempt, after 4429 by a late one.
 *
 * @param options - address and credential as for {@link http}; `WebSocket`, `timeoutMs`, `connectTimeoutMs`, `reconnect` and
 *   `keepAlive`. Basic credentials travel in a header, which no browser can send: use a token there
 * @returns a transport with subscriptions and connection events; `close()` ends it for good
 * @throws FairleadError `CONFIG_INVALID` when an option cannot work, or the runtime has no usable WebSocket
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
    // Nobody waits for the outcome: that something arrives is all.
    ask: () => calls.exchange([{ method: 'eth_chainId' }], { resend: false }, () => {}),
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
      for (const listener of listeners) tell(() => listener(event))
    },
    onUnreachable: (reason) => calls.unreachable(reason),
  })

  const calls = createSocketCalls({
    send: (text) => {
      if (connection.send(text)) return true
      connection.start()
      return false
    },
    absence: () => connection.absence,
    isUnreachable: () => connection.isUnreachable,
    ended: (operation) => connection.ended && closedError(operation, connection.ended),
    secrets,
    timeoutMs,
  })
  const subscriptions = createSocketSubscriptions(calls, reconnect)

  function receive(message: unknown): void {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: Notification }
    if (method === undefined) calls.answer(message)
    else if (method === 'eth_subscription' && params) subscriptions.notify(params)
  }

  function end(how: Ending): void {
    calls.end((operation) => closedError(operation, how))
    subscriptions.end(closedError('eth_subscribe', how))
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
      // First, so that a call that was on its way is not taken for one that a broken connection lost.
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

function keepAliveOf({ intervalMs = 30_000, timeoutMs = 10_000 }: KeepAliveOptions = {}): SilenceLimits {
  requireMilliseconds('keepAlive.intervalMs', intervalMs)
  requireMilliseconds('keepAlive.timeoutMs', timeoutMs)
  return { intervalMs, timeoutMs }
}
