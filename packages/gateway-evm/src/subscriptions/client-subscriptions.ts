import { randomBytes } from 'node:crypto'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Subscriber } from './subscriber.ts'
import type { Membership, SubscriptionMultiplexer } from './multiplexer.ts'
import {
  readSubscriptionRequest,
  type SubscriptionKind,
  type SubscriptionRequest,
} from './subscription-request.ts'

/** Dependencies of the subscriptions of one connection. */
export interface ClientOptions {
  /** @throws {@link RpcError} with status 503 when the node has no usable upstream */
  multiplexer(): SubscriptionMultiplexer
  /** @throws {@link RpcError} -32601 when the node does not offer a method that a subscription needs */
  needs(method: string): void
  readonly maxSubscriptions: number
  /**
   * Counts a subscription of the credential until the returned function is called.
   *
   * @throws {@link RpcError} -32005 when the credential has reached its limit
   */
  countSubscription(request: SubscriptionRequest): () => void
  /** Maximum size of notifications that are queued until the client has its subscription id, in bytes. */
  readonly maxWaitingBytes: number
  notify(text: string): void
  /** Called when the subscription cannot continue without a gap. */
  onGap(reason: string): void
  /** Changes the number of active subscriptions. */
  count(kind: SubscriptionKind, change: 1 | -1): void
}

/** A new subscription. `activate` releases its notifications after the client has received the id. */
export interface NewSubscription {
  readonly id: string
  activate(): void
}

interface ActiveSubscription {
  readonly request: SubscriptionRequest
  readonly membership: Membership
  /** Ends the count of the subscription for its credential. */
  readonly release: () => void
}

// Filters are stored in memory, and checked for every log.
const maxFilterItems = 16_384

/** The subscriptions of one connection. Their ids are not valid on another connection. */
export class ClientSubscriptions {
  readonly #options: ClientOptions
  readonly #active = new Map<string, ActiveSubscription>()
  #pending = 0
  /** Number of account addresses, topics and hashes in all subscriptions. */
  #filterItems = 0
  /** How often the upstreams of the node have changed. */
  #moves = 0
  #isEnded = false

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /**
   * Handles `eth_subscribe`.
   *
   * @throws {@link RpcError} -32602 for invalid params, -32005 when there are too many subscriptions, else the
   * upstream's own error
   */
  async subscribe(params: unknown): Promise<NewSubscription> {
    const request = readSubscriptionRequest(params)
    const { multiplexer, maxSubscriptions, count } = this.#options
    if (this.#active.size + this.#pending >= maxSubscriptions) {
      throw new RpcError(
        rpcCodes.limitExceeded,
        `A connection can have at most ${maxSubscriptions} subscriptions.`,
        { data: { max_subscriptions: maxSubscriptions } },
      )
    }
    if (this.#filterItems + request.size > maxFilterItems) {
      throw new RpcError(
        rpcCodes.limitExceeded,
        `The subscriptions of a connection can contain at most ${maxFilterItems} addresses, topics and hashes.`,
        { data: { max_filter_items: maxFilterItems } },
      )
    }
    if (request.kind === 'logs') this.#options.needs('eth_getLogs')
    const id = `0x${randomBytes(16).toString('hex')}`
    const subscriber = new ClientSubscription(id, this.#options)
    const release = this.#options.countSubscription(request)
    this.#pending += 1
    this.#filterItems += request.size
    let hasJoined = false
    try {
      const moves = this.#moves
      const membership = await multiplexer().join(request, subscriber)
      if (this.#isEnded) {
        membership.leave()
        throw new RpcError(rpcCodes.internalError, 'The connection is closed.')
      }
      count(request.kind, 1)
      hasJoined = true
      this.#active.set(id, { membership, release, request })
      // The upstreams of the node may have changed meanwhile.
      if (this.#moves > moves) membership.moveTo(multiplexer())
    } finally {
      this.#pending -= 1
      if (!hasJoined) {
        this.#filterItems -= request.size
        release()
      }
    }
    return { id, activate: () => subscriber.activate() }
  }

  /**
   * Handles `eth_unsubscribe`. Delivery stops immediately.
   *
   * @throws {@link RpcError} -32000 for an id that is not of this connection, as upstreams do
   */
  unsubscribe(params: unknown): true {
    const [id, ...rest] = Array.isArray(params) ? (params as unknown[]) : []
    if (typeof id !== 'string' || rest.length > 0) {
      throw new RpcError(rpcCodes.invalidParams, 'eth_unsubscribe requires one param, a subscription id.')
    }
    const subscription = this.#active.get(id)
    if (!subscription) throw new RpcError(subscriptionNotFound, 'subscription not found')
    this.#active.delete(id)
    this.#leave(subscription)
    return true
  }

  /** Continues all subscriptions in another multiplexer, because the upstreams of the node have changed. */
  moveTo(multiplexer: SubscriptionMultiplexer): void {
    this.#moves += 1
    for (const { membership } of this.#active.values()) membership.moveTo(multiplexer)
  }

  /** Ends all subscriptions. */
  end(): void {
    this.#isEnded = true
    for (const subscription of this.#active.values()) this.#leave(subscription)
    this.#active.clear()
  }

  #leave({ membership, release, request }: ActiveSubscription): void {
    this.#filterItems -= request.size
    release()
    this.#options.count(request.kind, -1)
    membership.leave()
  }
}

const subscriptionNotFound = -32_000

class ClientSubscription implements Subscriber {
  readonly #options: ClientOptions
  readonly #before: string
  /** Notifications that arrived before the client received the id. Undefined afterwards. */
  #waiting: string[] | undefined = []
  #waitingBytes = 0

  constructor(id: string, options: ClientOptions) {
    this.#options = options
    this.#before = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`
  }

  deliver(result: string): void {
    const text = `${this.#before}${result}}}`
    if (this.#waiting === undefined) {
      this.#options.notify(text)
      return
    }
    this.#waitingBytes += text.length
    this.#waiting.push(text)
    if (this.#waitingBytes > this.#options.maxWaitingBytes)
      this.overflow('too much data before the subscription id was sent')
  }

  overflow(reason: string): void {
    this.#options.onGap(reason)
  }

  activate(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const text of waiting) this.#options.notify(text)
  }
}
