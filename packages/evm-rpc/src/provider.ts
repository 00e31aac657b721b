import { createEmitter } from './emitter.ts'
import { ProviderRpcError, providerErrorCodes, providerErrorOf } from './provider-error.ts'
import { type StreamSource, transportOf } from './streams/source.ts'
import type { Subscription } from './transport.ts'

/** The events of a provider, by name. */
export interface ProviderEvents {
  /** The node is reachable. `chainId` is a hex quantity. */
  readonly connect: { readonly chainId: string }
  /** The connection is lost; `code` is the close code of the WebSocket. */
  readonly disconnect: ProviderRpcError
  /** After a reconnect the node is on another chain; the value is a hex quantity. */
  readonly chainChanged: string
  /** Never emitted: a node has no accounts. */
  readonly accountsChanged: readonly string[]
  /** A notification of a subscription created by `eth_subscribe`. */
  readonly message: {
    readonly type: 'eth_subscription'
    readonly data: { readonly subscription: string; readonly result: unknown }
  }
}

type EventName = keyof ProviderEvents

/** A provider as in EIP-1193. */
export interface Eip1193Provider {
  /**
   * Calls a method; `params` is an array.
   *
   * @throws ProviderRpcError with the code of the node, 4900 without a response, 4200 for methods that no node supports
   */
  request(request: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  /** Adds a listener. A listener for `connect` or `chainChanged` makes the provider connect if it is not connected. */
  on<name extends EventName>(name: name, listener: (event: ProviderEvents[name]) => void): this
  /** Adds a listener that is called once. */
  once<name extends EventName>(name: name, listener: (event: ProviderEvents[name]) => void): this
  removeListener<name extends EventName>(name: name, listener: (event: ProviderEvents[name]) => void): this
}

/**
 * Creates an EIP-1193 provider of a node, for libraries that accept one: `custom(provider)` of viem, `BrowserProvider`
 * of ethers.
 *
 * It holds no keys: `wallet_*` methods and `eth_requestAccounts` fail with 4200, and `accountsChanged` is never
 * emitted. It does not announce itself (EIP-6963). `eth_subscribe` works if the transport supports subscriptions; the
 * provider assigns the id, so that it stays valid after a reconnect. `connect`, `disconnect` and `chainChanged` follow
 * the connection of a WebSocket. Over HTTP there is one `connect`, after the first response of the node.
 *
 * @param source - a client or a transport; closing it ends the provider
 * @returns the provider
 * @example
 * ```ts
 * const provider = createProvider(webSocket({ url, auth }))
 * provider.on('chainChanged', (chainId) => console.log(Number(chainId)))
 * const chainId = await provider.request({ method: 'eth_chainId' })
 * ```
 * @see EIP-1193
 */
export function createProvider(source: StreamSource): Eip1193Provider {
  const transport = transportOf(source)
  const emitter = createEmitter<ProviderEvents>()
  const subscriptions = new Map<string, Subscription>()
  let count = 0
  let chainId: string | undefined
  let connection = 0
  let hasConnectListener = false
  let isAnnounced = false

  async function announce(): Promise<void> {
    const announcedConnection = connection
    const currentChainId = await transport.request({ method: 'eth_chainId' }).catch(() => undefined)
    // Another connection was opened in the meantime, and is announced separately.
    if (announcedConnection !== connection) return
    isAnnounced = currentChainId !== undefined
    if (currentChainId === undefined) return
    const before = chainId
    chainId = currentChainId as string
    emitter.emit('connect', { chainId })
    if (before !== undefined && before !== chainId) emitter.emit('chainChanged', chainId)
  }

  transport.onConnection?.((event) => {
    connection++
    isAnnounced = true
    if (event.type === 'connect') {
      void announce()
    } else {
      const reason = event.reason || `the connection ended with code ${event.code}`
      emitter.emit('disconnect', new ProviderRpcError(event.code, reason))
    }
  })

  // Any call opens a persistent connection. An existing connection is announced to the first listener.
  function onListenerAdded(name: EventName): void {
    hasConnectListener ||= name === 'connect' || name === 'chainChanged'
    announceOnce()
  }

  function announceOnce(): void {
    if (isAnnounced || !hasConnectListener) return
    isAnnounced = true
    void announce()
  }

  async function subscribe(params: readonly unknown[]): Promise<string> {
    const id = `0x${(++count).toString(16)}`
    const emit = (result: unknown): void => {
      emitter.emit('message', { type: 'eth_subscription', data: { subscription: id, result } })
    }
    // The caller cannot know the id before it is returned, so earlier notifications are buffered for one event-loop
    // tick.
    let buffered: unknown[] | undefined = []
    const subscription = await transport.subscribe?.(params, {
      next: (result) => (buffered ? buffered.push(result) : emit(result)),
      error: () => subscriptions.delete(id),
    })
    if (!subscription) throw unsupported('eth_subscribe')
    subscriptions.set(id, subscription)
    setTimeout(() => {
      const pending = buffered ?? []
      buffered = undefined
      for (const result of pending) emit(result)
    })
    return id
  }

  async function unsubscribe(id: unknown): Promise<boolean> {
    const subscription = subscriptions.get(String(id))
    if (!subscription) return false
    subscriptions.delete(String(id))
    await subscription.unsubscribe()
    return true
  }

  async function dispatch(method: string, params: readonly unknown[]): Promise<unknown> {
    if (/^wallet_|^eth_requestAccounts$/.test(method)) throw unsupported(method)
    if (method === 'eth_subscribe') return subscribe(params)
    if (method === 'eth_unsubscribe') return unsubscribe(params[0])
    return transport.request({ method, params })
  }

  return {
    async request({ method, params = [] }) {
      if (typeof method !== 'string' || method === '') {
        throw new ProviderRpcError(-32600, 'method must be a text that is not empty')
      }
      if (!Array.isArray(params)) throw new ProviderRpcError(-32602, 'params must be an array')
      try {
        const result = await dispatch(method, params)
        // The node now responds, although the request for its chain id failed before.
        announceOnce()
        return result
      } catch (error) {
        throw providerErrorOf(error)
      }
    },
    on(name, listener) {
      emitter.add(name, listener, false)
      onListenerAdded(name)
      return this
    },
    once(name, listener) {
      emitter.add(name, listener, true)
      onListenerAdded(name)
      return this
    },
    removeListener(name, listener) {
      emitter.remove(name, listener)
      return this
    },
  }
}

function unsupported(method: string): ProviderRpcError {
  const message = `${method} is not supported: this provider is a node without keys, or without subscriptions`
  return new ProviderRpcError(providerErrorCodes.unsupportedMethod, message)
}
