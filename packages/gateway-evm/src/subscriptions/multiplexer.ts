import { RpcFailure } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { ChainFeed } from './chain-source.ts'
import { DirectFeed } from './direct-source.ts'
import { PendingPoll } from './pending-poll.ts'
import type { FeedOptions } from './source-options.ts'
import type { Leave, Subscriber } from './subscriber.ts'
import type { SubscriptionRequest } from './subscription-request.ts'

/**
 * The subscriptions of all clients at one node: those that ask the same share one, and all heads and logs share the
 * subscription to the heads.
 */
export class SubscriptionHub {
  readonly #options: FeedOptions
  readonly #chain: ChainFeed
  readonly #others = new Map<string, DirectFeed | PendingPoll>()

  constructor(options: FeedOptions) {
    this.#options = options
    this.#chain = new ChainFeed(options)
  }

  /** How many subscriptions, or polls in their place, there are at the node. */
  get upstreamSubscriptions(): number {
    return this.#chain.upstreamSubscriptions + this.#others.size
  }

  /**
   * Joins a subscriber to what it asks for. Delivery may begin before this resolves.
   *
   * @throws {@link RpcFailure} with the node's refusal, or when it cannot be reached
   */
  join(request: SubscriptionRequest, subscriber: Subscriber): Promise<Leave> {
    if ('params' in request) return this.#feed(request.key, request.params).join(subscriber)
    return this.#chain.join(request, subscriber)
  }

  close(): void {
    this.#chain.stop()
    for (const feed of this.#others.values()) feed.stop()
    this.#others.clear()
    this.#options.socket?.close()
  }

  #feed(key: string, params: readonly unknown[]): DirectFeed | PendingPoll {
    const known = this.#others.get(key)
    if (known) return known
    const ended = () => {
      if (this.#others.get(key) === feed) this.#others.delete(key)
    }
    const feed: DirectFeed | PendingPoll = this.#opened(params, ended)
    this.#others.set(key, feed)
    return feed
  }

  #opened(params: readonly unknown[], ended: () => void): DirectFeed | PendingPoll {
    const { socket } = this.#options
    if (socket) return new DirectFeed(socket, params, ended)
    const [kind, ...options] = params
    if (kind === 'newPendingTransactions') return new PendingPoll(this.#options, options, ended)
    throw new RpcFailure(
      rpcCodes.methodNotFound,
      `This node has no WebSocket upstream, which a subscription to ${String(kind)} needs.`,
    )
  }
}
