import type { UpstreamSubscription } from '../upstream/websocket-upstream.ts'
import { ChainTracker } from './chain-tracker.ts'
import type { SourceOptions } from './source-options.ts'
import { LogIndex } from './log-index.ts'
import type { Leave, Subscriber } from './subscriber.ts'
import type { SubscriptionRequest } from './subscription-request.ts'

/** A subscription to chain events. */
export type ChainRequest = Extract<SubscriptionRequest, { kind: 'newHeads' | 'logs' }>

// A longer list of account addresses costs the upstream more than the logs of all contracts.
const maxAddresses = 256

/** One tracked chain of a node, from the start of tracking, with the subscribers to its headers and logs. */
export class ChainRun {
  /** Rejects with {@link UpstreamError} when the upstream does not respond. */
  readonly started: Promise<void>
  readonly #heads = new Set<Subscriber>()
  readonly #logs: LogIndex
  readonly #follower: ChainTracker
  readonly #subscription: UpstreamSubscription | undefined
  readonly #ended: (run: ChainRun) => void
  #isStopped = false

  /** @param ended - called when the chain is lost, and whenever the last subscriber has left */
  constructor(options: SourceOptions, ended: (run: ChainRun) => void) {
    const { socket, slices } = options
    this.#ended = ended
    this.#logs = new LogIndex(slices)
    const follower = new ChainTracker({
      ...options,
      wantedLogs: () => this.#logs.wanted(maxAddresses),
      listener: {
        onBlock: async (block) => {
          for (const subscriber of this.#heads) {
            subscriber.deliver(block.head.text)
            if (slices.isOver()) await slices.next()
          }
          await this.#logs.deliver(block, false)
        },
        onDropped: (block) => this.#logs.deliver(block, true),
        onLost: (reason) => {
          for (const subscriber of [...this.#heads, ...this.#logs.subscribers()]) subscriber.overflow(reason)
          ended(this)
        },
      },
    })
    this.#follower = follower
    this.#subscription = socket?.subscribe(['newHeads'], {
      onLive: () => (follower.isTold = true),
      onResult: (head) => follower.offer(head),
      // Polls the upstream until the subscription is restored, or permanently if the upstream rejects it.
      onFailure: () => (follower.isTold = false),
    })
    this.started = follower.start()
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  get isEmpty(): boolean {
    return this.#heads.size === 0 && this.#logs.filters === 0
  }

  /**
   * Whether the upstream's chain does not reach the blocks that this run has tracked: the upstream lags, or its chain
   * was reset.
   */
  get isBehind(): boolean {
    return this.#follower.isBehind
  }

  add(request: ChainRequest, subscriber: Subscriber): Leave {
    if (request.kind === 'newHeads') this.#heads.add(subscriber)
    else this.#logs.add(request.key, request.filter, subscriber, this.#follower.turn)
    return () => {
      if (request.kind === 'newHeads') this.#heads.delete(subscriber)
      else this.#logs.remove(request.key, subscriber)
      if (this.isEmpty) this.#ended(this)
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#follower.stop()
    this.#subscription?.end()
  }
}
