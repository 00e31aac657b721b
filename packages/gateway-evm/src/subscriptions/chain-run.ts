import type { UpstreamSubscription } from '../upstream/upstream-subscription.ts'
import { ChainTracker } from './chain-tracker.ts'
import type { SourceOptions } from './source-options.ts'
import { LogIndex } from './log-index.ts'
import type { Subscriber } from './subscriber.ts'
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
  readonly #tracker: ChainTracker
  readonly #subscription: UpstreamSubscription
  readonly #onEnd: (run: ChainRun) => void
  #isStopped = false

  /**
   * @param onEnd - called when the chain is lost, and whenever the last subscriber has left
   * @param previous - run to continue from, which must be idle; by default, the upstream's chain head
   */
  constructor(options: SourceOptions, onEnd: (run: ChainRun) => void, previous?: ChainRun) {
    const { upstream, socket, slices } = options
    this.#onEnd = onEnd
    this.#logs = new LogIndex(slices)
    const tracker = new ChainTracker({
      ...options,
      previous: previous && previous.#tracker,
      // Polls the upstream while the subscription is not active, or permanently if the upstream rejects it.
      hasNotifications: () => this.#subscription.isLive,
      logAddresses: () => this.#logs.logAddresses(maxAddresses),
      listener: {
        onBlock: async (block) => {
          upstream.onHead?.(block.head.number)
          for (const subscriber of this.#heads) {
            subscriber.deliver(block.head.text)
            if (slices.isExhausted()) await slices.next()
          }
          await this.#logs.deliver(block, false)
        },
        onDropped: (block) => this.#logs.deliver(block, true),
        onLost: (reason) => {
          for (const subscriber of [...this.#heads, ...this.#logs.subscribers()]) subscriber.overflow(reason)
          onEnd(this)
        },
      },
    })
    this.#tracker = tracker
    this.#subscription = socket.subscribe(['newHeads'], {
      // A header may have been missed before.
      onLive: () => tracker.poll(),
      onResult: (head) => tracker.offer(head),
      onFailure: () => undefined,
    })
    this.started = tracker.start()
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
  get isLagging(): boolean {
    return this.#tracker.isLagging
  }

  /** Sequence number of the latest delivery. */
  get sequence(): number {
    return this.#tracker.sequence
  }

  /** Whether the run is idle, and its last delivered block is that of another idle run. */
  isLevelWith(other: ChainRun): boolean {
    return this.#tracker.isIdle && this.#tracker.tipHash === other.#tracker.tipHash
  }

  /** Calls back as soon as no block is being delivered or dropped. */
  whenIdle(callback: () => void): void {
    this.#tracker.whenIdle(callback)
  }

  /** @param fromSequence - sequence number of the last delivery before the subscriber joined; the latest by default */
  add(request: ChainRequest, subscriber: Subscriber, fromSequence = this.#tracker.sequence): void {
    if (request.kind === 'newHeads') this.#heads.add(subscriber)
    else this.#logs.add(request.key, request.filter, subscriber, fromSequence)
  }

  /** @returns the sequence number of the last delivery before the subscriber joined, if it has subscribed to logs */
  remove(request: ChainRequest, subscriber: Subscriber): number | undefined {
    const fromSequence = request.kind === 'newHeads' ? undefined : this.#logs.remove(request.key, subscriber)
    this.#heads.delete(subscriber)
    if (this.isEmpty) this.#onEnd(this)
    return fromSequence
  }

  stop(): void {
    this.#isStopped = true
    this.#tracker.stop()
    this.#subscription.end()
  }
}
