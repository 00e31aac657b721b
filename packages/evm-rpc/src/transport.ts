import type { CallOptions } from '@fairlead/core'

/** One JSON-RPC call of a transport. */
export interface RpcRequest {
  readonly method: string
  /** By position; omitted when there are none. */
  readonly params?: readonly unknown[] | undefined
}

/** Callbacks of one subscription. */
export interface SubscriptionListener {
  /** The `result` of one notification. */
  next(result: unknown): void
  /** The connection broke and the same subscription is active again; notifications in between are missing. */
  resumed?(): void
  /** The subscription has ended; no more notifications follow. */
  error?(error: unknown): void
}

/** An active subscription. */
export interface Subscription {
  /** Ends it, and resolves when no more notifications will be delivered. */
  unsubscribe(): Promise<void>
}

/**
 * Sends JSON-RPC calls to a node. Transports can wrap one another: a fallback over rate limits over HTTP is a transport
 * too.
 *
 * @example
 * ```ts
 * const counted: Transport = { request: (call, options) => (calls++, inner.request(call, options)) }
 * ```
 */
export interface Transport {
  /**
   * Sends one call and resolves to its result in its JSON-RPC encoding.
   *
   * @throws FairleadError as {@link EvmClient.request}
   */
  request(request: RpcRequest, options?: CallOptions): Promise<unknown>
  /**
   * Sends several calls in one exchange. Outcomes are in the order of the calls; one call can fail without the others.
   *
   * It does not reject: an error of the exchange becomes the outcome of every call in it.
   */
  batch?(
    requests: readonly RpcRequest[],
    options?: CallOptions,
  ): Promise<readonly PromiseSettledResult<unknown>[]>
  /** Subscribes to notifications of the node; only on persistent connections. */
  subscribe?(params: readonly unknown[], listener: SubscriptionListener): Promise<Subscription>
  /** Reports when a persistent connection opens and closes; returns a function that removes the listener. */
  onConnection?(listener: (event: ConnectionEvent) => void): () => void
  /** Closes connections, timers and other resources that keep a process alive. */
  close?(): void
}

/** An event of a persistent connection. */
export type ConnectionEvent =
  | { readonly type: 'connect' }
  /**
   * `willReconnect` is false when the close code of the node rules out another attempt, or after
   * {@link Transport.close}.
   */
  | {
      readonly type: 'disconnect'
      readonly code: number
      readonly reason: string
      readonly willReconnect: boolean
    }
