import type { Logger } from 'pino'
import { type RawData, WebSocket } from 'ws'
import { operatorUpstreams, type UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { isRecord, parseObject } from '@fairlead/gateway-core/json'
import { redactJsonDeep } from '@fairlead/gateway-core/redaction/redact-deep'
import { type HandshakeOptions, openTarget, type SocketTarget } from './open-target.ts'
import { Subscription, type UpstreamListener, type UpstreamSubscription } from './upstream-subscription.ts'
import { guarded, guardedTimeout } from '@fairlead/runtime'
import { nextId } from '../response/own-id.ts'
import { type SilenceLimits, watchSilence } from './watch-silence.ts'

/** The WebSocket to one upstream. It is opened on first use, reopened when it is lost, and closed when unused. */
export interface WebSocketUpstream {
  /** Whether there is a target to connect to. */
  readonly hasTargets: boolean
  /** @param params - params of `eth_subscribe` */
  subscribe(params: readonly unknown[], listener: UpstreamListener): UpstreamSubscription
  /**
   * Replaces the targets. A connection to a target that is no longer listed is replaced at once, and so is one that is
   * lost. Subscriptions continue on the new connection.
   */
  change(targets: readonly SocketTarget[]): void
  close(): void
}

/** Options of a WebSocket to an upstream. */
export interface WebSocketUpstreamOptions {
  /** Connection rules. The default is the rules for upstreams that the operator has configured. */
  readonly rules?: UpstreamRules | undefined
  /** `CDN-Loop` entry of each handshake. None by default. */
  readonly loopEntry?: string | undefined
  /** When a connection counts as half-open. The default is within 9 seconds. */
  readonly silence?: SilenceLimits | undefined
}

const firstDelayMs = 100
const maxDelayMs = 10_000
// A half-open connection is replaced within 9 seconds. An upstream that stalls for less time loses no connection.
const defaultSilence: SilenceLimits = { pingMs: 2_000, silentMs: 7_000 }

/**
 * Creates the WebSocket to an upstream.
 *
 * @param targets - used in turn when a connection is lost or fails; may be empty
 * @param timeoutMs - timeout for a connection or a response
 * @param log - receives a message when the connection is lost or restored, never the URL of the upstream
 * @param options - connection rules; when a connection counts as half-open
 */
export function createWebSocketUpstream(
  targets: readonly SocketTarget[],
  timeoutMs: number,
  log: Logger,
  options: WebSocketUpstreamOptions = {},
): WebSocketUpstream {
  return new ReconnectingSocket(targets, timeoutMs, log, options)
}

class ReconnectingSocket implements WebSocketUpstream {
  #targets: readonly SocketTarget[]
  /** URL of the current connection. */
  #address = ''
  readonly #timeoutMs: number
  readonly #log: Logger
  readonly #silence: SilenceLimits
  readonly #handshake: HandshakeOptions
  readonly #subscriptions = new Set<Subscription>()
  /** Subscriptions that wait for a response, by the id of the call. */
  readonly #waiting = new Map<number, Subscription>()
  /** Ids of calls that end subscriptions, and wait for their responses. */
  readonly #ending = new Set<number>()
  readonly #byId = new Map<string, Subscription>()
  #socket: WebSocket | undefined
  /** Texts that errors on the current connection must not contain. */
  #secrets: readonly string[] = []
  /** Number of connection changes, which selects the target. */
  #targetIndex = 0
  #failures = 0
  #isLossLogged = false
  #retry: NodeJS.Timeout | undefined

  constructor(
    targets: readonly SocketTarget[],
    timeoutMs: number,
    log: Logger,
    { rules = operatorUpstreams, loopEntry, silence = defaultSilence }: WebSocketUpstreamOptions,
  ) {
    this.#targets = targets
    this.#timeoutMs = timeoutMs
    this.#log = log
    this.#silence = silence
    this.#handshake = { timeoutMs, rules, loopEntry }
  }

  get hasTargets(): boolean {
    return this.#targets.length > 0
  }

  subscribe(params: readonly unknown[], listener: UpstreamListener): UpstreamSubscription {
    const subscription = new Subscription(params, listener, (ended) => this.#end(ended))
    this.#subscriptions.add(subscription)
    if (this.#socket === undefined) {
      // A subscriber waits now. The delay before the next attempt applies only while none waits.
      clearTimeout(this.#retry)
      this.#connect()
    } else if (this.#socket.readyState === WebSocket.OPEN) this.#sendSubscribe(this.#socket, subscription)
    return subscription
  }

  change(targets: readonly SocketTarget[]): void {
    const index = targets.findIndex(({ address }) => address === this.#address)
    this.#targets = targets
    this.#targetIndex = Math.max(index, 0)
    if (this.#subscriptions.size === 0) return
    // Without a connection, the latest target has failed.
    if (this.#socket === undefined) this.#targetIndex = index + 1
    else if (index >= 0) return
    this.#failures = 0
    this.#detach()?.terminate()
    this.#connect()
  }

  close(): void {
    const socket = this.#detach()
    this.#subscriptions.clear()
    socket?.terminate()
  }

  /** Returns the socket, whose events have no effect from now on. */
  #detach(): WebSocket | undefined {
    clearTimeout(this.#retry)
    for (const subscription of this.#subscriptions) subscription.id = undefined
    this.#byId.clear()
    this.#waiting.clear()
    this.#ending.clear()
    const socket = this.#socket
    this.#socket = undefined
    return socket
  }

  #end(subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription)) return
    const { id } = subscription
    if (this.#subscriptions.size === 0) this.close()
    else if (id !== undefined) {
      this.#byId.delete(id)
      subscription.id = undefined
      this.#sendUnsubscribe(id)
    }
  }

  #connect(): void {
    const socket = this.#openNext()
    if (socket === undefined) return queueMicrotask(() => this.#reportNoTarget())
    this.#socket = socket
    watchSilence(socket, this.#silence)
    socket.on('open', () => {
      for (const subscription of this.#subscriptions) this.#sendSubscribe(socket, subscription)
    })
    const terminate = () => socket.terminate()
    const read = (data: RawData) => {
      if (socket === this.#socket) this.#read(data)
    }
    socket.on('message', guarded('upstream', read, terminate))
    // The `close` event follows. The error itself may contain the URL.
    socket.on('error', () => undefined)
    const closed = () => {
      if (socket === this.#socket) this.#reconnectLater()
    }
    socket.on('close', guarded('upstream', closed))
  }

  /** Opens the connection to the first target, from the current one, whose URL is valid. */
  #openNext(): WebSocket | undefined {
    this.#address = ''
    const end = this.#targetIndex + this.#targets.length
    while (this.#targetIndex < end) {
      const target = this.#targets[this.#targetIndex % this.#targets.length] as SocketTarget
      this.#address = target.address
      const opened = openTarget(target, this.#handshake)
      if (opened) {
        this.#secrets = opened.secrets
        return opened.socket
      }
      this.#targetIndex += 1
    }
    return undefined
  }

  #reportNoTarget(): void {
    // The targets may have changed meanwhile.
    if (this.#socket) return
    const failure = unreachable('The WebSocket URL of this upstream is invalid.')
    for (const { listener } of this.#subscriptions) listener.onFailure(failure, false)
  }

  #reconnectLater(): void {
    this.#detach()
    this.#targetIndex += 1
    if (!this.#isLossLogged) this.#log.warn('the WebSocket to an upstream is disconnected')
    this.#isLossLogged = true
    this.#failures += 1
    const maxDelay = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(this.#failures, 10))
    this.#retry = guardedTimeout(() => this.#connect(), maxDelay * (0.5 + Math.random() / 2)).unref()
    const failure = unreachable('The upstream is unreachable.')
    for (const { listener } of this.#subscriptions) listener.onFailure(failure, true)
  }

  #sendSubscribe(socket: WebSocket, subscription: Subscription): void {
    const call = nextId()
    this.#waiting.set(call, subscription)
    socket.send(callOf(call, 'eth_subscribe', subscription.params))
    guardedTimeout(() => {
      if (this.#waiting.get(call) === subscription && socket === this.#socket) socket.terminate()
    }, this.#timeoutMs).unref()
  }

  #sendUnsubscribe(id: string): void {
    const call = nextId()
    this.#ending.add(call)
    this.#socket?.send(callOf(call, 'eth_unsubscribe', [id]))
  }

  #read(data: RawData): void {
    const message: Message = parseObject((data as Buffer).toString())
    if (message.method === 'eth_subscription') {
      const { subscription, result } = message.params ?? {}
      if (typeof subscription === 'string') this.#byId.get(subscription)?.listener.onResult(result)
      return
    }
    if (message.result === undefined && message.error === undefined) return
    const call = this.#callOf(message)
    const subscription = this.#waiting.get(call)
    this.#waiting.delete(call)
    if (subscription) this.#onSubscribeResponse(subscription, message)
    else if (!this.#ending.delete(call)) {
      this.#log.warn('an upstream has sent the response to another call over a WebSocket')
      this.#socket?.terminate()
    }
  }

  /** Returns the id of the call of a response. An error without an id belongs to the only call. */
  #callOf({ id = null, error }: Message): number {
    const [only = 0, ...others] = [...this.#waiting.keys(), ...this.#ending]
    if (id === null && error !== undefined && others.length === 0) return only
    return Number(id)
  }

  #onSubscribeResponse(subscription: Subscription, { result, error }: Message): void {
    if (typeof result !== 'string') {
      if (this.#subscriptions.has(subscription))
        subscription.listener.onFailure(rejection(error, this.#secrets), false)
      return
    }
    if (!this.#subscriptions.has(subscription)) {
      // The subscription was ended meanwhile.
      this.#sendUnsubscribe(result)
      return
    }
    if (this.#isLossLogged) this.#log.info('the WebSocket to an upstream is connected again')
    this.#isLossLogged = false
    this.#failures = 0
    subscription.id = result
    this.#byId.set(result, subscription)
    subscription.listener.onLive()
  }
}

function callOf(id: number, method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly result?: unknown
  readonly error?: unknown
  readonly params?: { readonly subscription?: unknown; readonly result?: unknown }
}

function rejection(error: unknown, secrets: readonly string[]): RpcError {
  const { code, message, data }: Readonly<Record<string, unknown>> = redactJsonDeep(
    isRecord(error) ? error : {},
    secrets,
  )
  return new RpcError(
    typeof code === 'number' ? code : rpcCodes.internalError,
    typeof message === 'string' ? message : 'The upstream rejected the subscription.',
    { data },
  )
}

function unreachable(message: string): RpcError {
  return new RpcError(rpcCodes.internalError, message, { status: 502 })
}
