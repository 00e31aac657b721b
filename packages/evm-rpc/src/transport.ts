import type { CallOptions } from '@fairlead/core'

/** One call as a transport carries it. */
export interface RpcRequest {
  readonly method: string
  /** By position; left out when there are none. */
  readonly params?: readonly unknown[] | undefined
}

/** Hears what one subscription brings. */
export interface SubscriptionListener {
  /** The `result` of one notification. */
  next(result: unknown): void
  /** The connection broke and the same subscription runs again; what was sent in between is missing. */
  resumed?(): void
  /** Nothing more will come. */
  error?(error: unknown): void
}

/** A subscription that is running. */
export interface Subscription {
  /** Ends it, and resolves when nothing more will be delivered. */
  unsubscribe(): Promise<void>
}

/**
 * Carries JSON-RPC calls to a node. Transports wrap one another: a fallback over rate limits over HTTP is a transport too.
 *
 * @example
 * ```ts
 * const counted: Transport = { request: (call, options) => (calls++, inner.request(call, options)) }
 * ```
 */
export interface Transport {
  /**
   * Carries one call and answers with its result in the form of the wire.
   *
   * @throws FairleadError as {@link EvmClient.request}
   */
  request(request: RpcRequest, options?: CallOptions): Promise<unknown>
  /**
   * Carries several calls in one exchange. Outcomes stand in the order of the calls; one may fail without the others.
   *
   * It does not reject: what fails the exchange fails every call in it.
   */
  batch?(
    requests: readonly RpcRequest[],
    options?: CallOptions,
  ): Promise<readonly PromiseSettledResult<unknown>[]>
  /** Subscribes to what the node pushes; only on connections that stay open. */
  subscribe?(params: readonly unknown[], listener: SubscriptionListener): Promise<Subscription>
  /** Hears about a lasting connection coming and going; returns a function that ends it. */
  onConnection?(listener: (event: ConnectionEvent) => void): () => void
  /** Ends connections, timers and whatever else would keep a process alive. */
  close?(): void
}

/** What happened to a lasting connection. */
export type ConnectionEvent =
  | { readonly type: 'connect' }
  /** `willReconnect` is false when the node said that another attempt is pointless, or after {@link Transport.close}. */
  | {
      readonly type: 'disconnect'
      readonly code: number
      readonly reason: string
      readonly willReconnect: boolean
    }
