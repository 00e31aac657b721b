import { randomBytes } from 'node:crypto'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Leave, Subscriber } from './subscriber.ts'
import type { SubscriptionMultiplexer } from './multiplexer.ts'
import {
  readSubscriptionRequest,
  type SubscriptionKind,
  type SubscriptionRequest,
} from './subscription-request.ts'

/** What the subscriptions of one connection need. */
export interface ClientOptions {
  multiplexer(): SubscriptionMultiplexer
  /** @throws {@link RpcError} -32601 when the node does not offer a method that a subscription is made of */
  needs(method: string): void
  readonly maxSubscriptions: number
  /**
   * Counts a subscription of the credential until the function that it returns is called.
   *
   * @throws {@link RpcError} -32005 when the credential has as many as it may
   */
  hold(request: SubscriptionRequest): () => void
  /** Most bytes that wait until the client knows its subscription. */
  readonly maxWaitingBytes: number
  notify(text: string): void
  /** The subscription cannot go on without a gap. */
  lose(reason: string): void
  /** Counts the subscriptions in force. */
  count(kind: SubscriptionKind, change: 1 | -1): void
}

/** A new subscription, and how to let its notifications go once the client has been told its id. */
export interface Subscribed {
  readonly id: string
  activate(): void
}

// Filters are kept, and looked at for every log.
const maxFilterItems = 16_384

/** The subscriptions of one connection; their ids mean nothing on another one. */
export class ClientSubscriptions {
  readonly #options: ClientOptions
  readonly #leaves = new Map<string, Leave>()
  #asked = 0
  /** Addresses, topics and hashes that they name. */
  #filterItems = 0
  #isEnded = false

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /**
   * Answers `eth_subscribe`.
   *
   * @throws {@link RpcError} -32602 for a wish that cannot be, -32005 when there are too many, else the node's own
   */
  async subscribe(params: unknown): Promise<Subscribed> {
    const request = readSubscriptionRequest(params)
    const { multiplexer, maxSubscriptions, count } = this.#options
    if (this.#leaves.size + this.#asked >= maxSubscriptions) {
      throw new RpcError(
        rpcCodes.limitExceeded,
        `A connection may hold at most ${maxSubscriptions} subscriptions.`,
        { data: { max_subscriptions: maxSubscriptions } },
      )
    }
    if (this.#filterItems + request.size > maxFilterItems) {
      throw new RpcError(
        rpcCodes.limitExceeded,
        `The subscriptions of a connection may name at most ${maxFilterItems} addresses, topics and hashes.`,
        { data: { max_filter_items: maxFilterItems } },
      )
    }
    if (request.kind === 'logs') this.#options.needs('eth_getLogs')
    const id = `0x${randomBytes(16).toString('hex')}`
    const subscriber = new ClientSubscription(id, this.#options)
    const release = this.#options.hold(request)
    this.#asked += 1
    this.#filterItems += request.size
    let isJoined = false
    try {
      const leave = await multiplexer().join(request, subscriber)
      if (this.#isEnded) {
        leave()
        throw new RpcError(rpcCodes.internalError, 'The connection is closed.')
      }
      count(request.kind, 1)
      isJoined = true
      this.#leaves.set(id, () => {
        this.#filterItems -= request.size
        release()
        count(request.kind, -1)
        leave()
      })
    } finally {
      this.#asked -= 1
      if (!isJoined) {
        this.#filterItems -= request.size
        release()
      }
    }
    return { id, activate: () => subscriber.activate() }
  }

  /**
   * Answers `eth_unsubscribe`, which ends the delivery at once.
   *
   * @throws {@link RpcError} -32000 for an id that is not one of this connection, as nodes do
   */
  unsubscribe(params: unknown): true {
    const [id, ...rest] = Array.isArray(params) ? (params as unknown[]) : []
    if (typeof id !== 'string' || rest.length > 0) {
      throw new RpcError(rpcCodes.invalidParams, 'eth_unsubscribe takes one param, a subscription id.')
    }
    const leave = this.#leaves.get(id)
    if (!leave) throw new RpcError(subscriptionNotFound, 'subscription not found')
    this.#leaves.delete(id)
    leave()
    return true
  }

  /** Ends all of them. */
  end(): void {
    this.#isEnded = true
    for (const leave of this.#leaves.values()) leave()
    this.#leaves.clear()
  }
}

const subscriptionNotFound = -32_000

class ClientSubscription implements Subscriber {
  readonly #options: ClientOptions
  readonly #before: string
  /** What came before the client was told the id. */
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
    if (this.#waitingBytes > this.#options.maxWaitingBytes) this.overflow('too much came at once')
  }

  overflow(reason: string): void {
    this.#options.lose(reason)
  }

  activate(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const text of waiting) this.#options.notify(text)
  }
}
