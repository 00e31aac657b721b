import { ChainSource } from './chain-source.ts'
import { DirectSource, type StartPoll } from './direct-source.ts'
import { PendingPoll } from './pending-poll.ts'
import type { SourceOptions } from './source-options.ts'
import type { Subscriber } from './subscriber.ts'
import type { Upstream } from '../upstream/types.ts'
import type { SocketTarget } from '../upstream/open-target.ts'
import type { SubscriptionRequest } from './subscription-request.ts'

/** A subscriber's place in the subscriptions of a node. */
export interface Membership {
  /** Ends the subscription. Delivery stops immediately. */
  leave(): void
  /**
   * Continues the subscription in another multiplexer. Headers and logs have no gap and no duplicate; other
   * notifications may be missed meanwhile.
   */
  moveTo(multiplexer: SubscriptionMultiplexer): void
}

/**
 * Multiplexes the subscriptions of all clients of one node: equal subscriptions share one upstream subscription, and
 * all header and log subscriptions share the subscription to headers.
 */
export class SubscriptionMultiplexer {
  readonly #options: SourceOptions
  readonly #chain: ChainSource
  readonly #directSources = new Map<string, DirectSource>()

  constructor(options: SourceOptions) {
    this.#options = options
    this.#chain = new ChainSource(options)
  }

  /** Number of upstream subscriptions, including polls in their place. */
  get upstreamSubscriptions(): number {
    return this.#chain.upstreamSubscriptions + this.#directSources.size
  }

  /**
   * Adds a subscriber to the requested subscription. Delivery may begin before the promise resolves.
   *
   * @throws {@link RpcError} with the upstream's error, or when it cannot be reached
   */
  async join(request: SubscriptionRequest, subscriber: Subscriber): Promise<Membership> {
    if ('params' in request) {
      const { key, params } = request
      const membership = await this.#sourceOf(key, params).join(subscriber)
      return {
        leave: () => membership.leave(),
        moveTo: (multiplexer) => membership.moveTo(multiplexer.#sourceOf(key, params)),
      }
    }
    const membership = await this.#chain.join(request, subscriber)
    return {
      leave: () => membership.leave(),
      moveTo: (multiplexer) => membership.moveTo(multiplexer.#chain),
    }
  }

  /**
   * Applies changed WebSocket targets. Subscriptions continue, by polls while there is no target.
   *
   * @param upstream - upstream of the node
   * @returns false when the node needs another multiplexer; nothing has changed then
   */
  change(upstream: Upstream, targets: readonly SocketTarget[]): boolean {
    if (upstream !== this.#options.upstream) return false
    this.#options.socket.change(targets)
    return true
  }

  close(): void {
    this.#chain.stop()
    for (const source of this.#directSources.values()) source.stop()
    this.#directSources.clear()
    this.#options.socket.close()
  }

  #sourceOf(key: string, params: readonly unknown[]): DirectSource {
    const existing = this.#directSources.get(key)
    if (existing) return existing
    const onEnd = () => {
      if (this.#directSources.get(key) === source) this.#directSources.delete(key)
    }
    const source: DirectSource = new DirectSource(this.#options.socket, params, onEnd, this.#pollOf(params))
    this.#directSources.set(key, source)
    return source
  }

  #pollOf([kind, ...options]: readonly unknown[]): StartPoll | undefined {
    if (kind !== 'newPendingTransactions') return undefined
    return (onResult) => new PendingPoll(this.#options, options, onResult)
  }
}
