import type { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'

/** Receives the events of one upstream subscription. */
export interface UpstreamListener {
  /** Called every time the upstream has accepted the subscription, also after a reconnect. */
  onLive(): void
  /** Called with the result of a notification. */
  onResult(result: unknown): void
  /**
   * Called when the upstream rejects the subscription, or cannot be reached. In the latter case, it is retried, unless
   * there is no target with a valid URL. A change of the targets is not a failure.
   */
  onFailure(failure: RpcError, willRetry: boolean): void
}

/** One upstream subscription. */
export interface UpstreamSubscription {
  /** Whether the subscription is currently active on the upstream. */
  readonly isLive: boolean
  end(): void
}

/** Subscription of a {@link UpstreamListener}, which is active after a response of the upstream. */
export class Subscription implements UpstreamSubscription {
  readonly params: readonly unknown[]
  readonly listener: UpstreamListener
  readonly #end: (subscription: Subscription) => void
  /** The upstream's id of the subscription while it is active. */
  id: string | undefined

  constructor(
    params: readonly unknown[],
    listener: UpstreamListener,
    end: (subscription: Subscription) => void,
  ) {
    this.params = params
    this.listener = listener
    this.#end = end
  }

  get isLive(): boolean {
    return this.id !== undefined
  }

  end(): void {
    this.#end(this)
  }
}
