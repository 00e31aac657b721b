import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { ChainSource } from './chain-source.ts'
import { DirectSource } from './direct-source.ts'
import { PendingPoll } from './pending-poll.ts'
import type { SourceOptions } from './source-options.ts'
import type { Leave, Subscriber } from './subscriber.ts'
import type { SubscriptionRequest } from './subscription-request.ts'

/**
 * Multiplexes the subscriptions of all clients of one node: equal subscriptions share one upstream subscription, and
 * all header and log subscriptions share the subscription to headers.
 */
export class SubscriptionMultiplexer {
  readonly #options: SourceOptions
  readonly #chain: ChainSource
  readonly #others = new Map<string, DirectSource | PendingPoll>()

  constructor(options: SourceOptions) {
    this.#options = options
    this.#chain = new ChainSource(options)
  }

  /** Number of upstream subscriptions, including polls in their place. */
  get upstreamSubscriptions(): number {
    return this.#chain.upstreamSubscriptions + this.#others.size
  }

  /**
   * Adds a subscriber to the requested subscription. Delivery may begin before the promise resolves.
   *
   * @throws {@link RpcError} with the upstream's error, or when it cannot be reached
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

  #feed(key: string, params: readonly unknown[]): DirectSource | PendingPoll {
    const known = this.#others.get(key)
    if (known) return known
    const ended = () => {
      if (this.#others.get(key) === feed) this.#others.delete(key)
    }
    const feed: DirectSource | PendingPoll = this.#opened(params, ended)
    this.#others.set(key, feed)
    return feed
  }

  #opened(params: readonly unknown[], ended: () => void): DirectSource | PendingPoll {
    const { socket } = this.#options
    if (socket) return new DirectSource(socket, params, ended)
    const [kind, ...options] = params
    if (kind === 'newPendingTransactions') return new PendingPoll(this.#options, options, ended)
    throw new RpcError(
      rpcCodes.methodNotFound,
      `This node has no WebSocket upstream, which a subscription to ${String(kind)} needs.`,
    )
  }
}
