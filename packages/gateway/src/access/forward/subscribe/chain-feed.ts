import type { Logger } from 'pino'
import type { UpstreamSocket, UpstreamSubscription } from '../upstream-socket.ts'
import type { Upstream } from '../upstream.ts'
import { ChainFollower } from './chain-follower.ts'
import { LogIndex } from './log-index.ts'
import type { Leave, Subscriber } from './subscriber.ts'
import type { SubscriptionRequest } from './subscription-request.ts'
import type { TimeSlices } from './time-slices.ts'
import { guardedTimeout } from '../../../observe/unexpected-errors.ts'

/** What shared subscriptions of one node run on. */
export interface FeedOptions {
  readonly upstream: Upstream
  /** Without one the node is asked for news. */
  readonly socket: UpstreamSocket | undefined
  readonly pollMs: number
  readonly timeoutMs: number
  readonly log: Logger
  /** Shared by the nodes of a process. */
  readonly slices: TimeSlices
}

// A list of more addresses costs the node more than the logs of all.
const maxAddresses = 256
// Whoever loads a page anew leaves and comes back.
const lingerMs = 5_000

/** The heads and logs of one node: one subscription to its heads for all, and one call for the logs of a block. */
export class ChainFeed {
  readonly #options: FeedOptions
  readonly #heads = new Set<Subscriber>()
  readonly #logs: LogIndex
  #running: Running | undefined
  #linger: NodeJS.Timeout | undefined

  constructor(options: FeedOptions) {
    this.#options = options
    this.#logs = new LogIndex(options.slices)
  }

  /** How many subscriptions at the node this takes. */
  get upstreamSubscriptions(): number {
    return this.#running ? 1 : 0
  }

  /**
   * Joins a subscriber to the heads or to logs.
   *
   * @throws {@link RpcFailure} when the node does not answer
   */
  async join(
    request: Extract<SubscriptionRequest, { kind: 'newHeads' | 'logs' }>,
    subscriber: Subscriber,
  ): Promise<Leave> {
    clearTimeout(this.#linger)
    const running = (this.#running ??= this.#run())
    try {
      await running.started
    } catch (error) {
      if (this.#running === running) this.stop()
      throw error
    }
    // It may have stopped meanwhile, when the last one before had left for long.
    if (this.#running !== running) return this.join(request, subscriber)
    if (request.kind === 'newHeads') this.#heads.add(subscriber)
    else this.#logs.add(request.key, request.filter, subscriber, running.follower.turn)
    clearTimeout(this.#linger)
    return () => {
      if (request.kind === 'newHeads') this.#heads.delete(subscriber)
      else this.#logs.remove(request.key, subscriber)
      this.#stopSoon()
    }
  }

  stop(): void {
    clearTimeout(this.#linger)
    this.#running?.follower.stop()
    this.#running?.subscription?.end()
    this.#running = undefined
  }

  #stopSoon(): void {
    if (this.#heads.size > 0 || this.#logs.filters > 0) return
    clearTimeout(this.#linger)
    this.#linger = guardedTimeout(() => this.stop(), lingerMs).unref()
  }

  #run(): Running {
    const { socket, ...options } = this.#options
    const follower = new ChainFollower({
      ...options,
      wantedLogs: () => this.#logs.wanted(maxAddresses),
      listener: {
        onBlock: async (block) => {
          const { slices } = this.#options
          for (const subscriber of this.#heads) {
            subscriber.deliver(block.head.text)
            if (slices.isOver()) await slices.next()
          }
          await this.#logs.deliver(block, false)
        },
        onDropped: (block) => this.#logs.deliver(block, true),
        onLost: (reason) => {
          for (const subscriber of [...this.#heads, ...this.#logs.subscribers()]) subscriber.lose(reason)
        },
      },
    })
    const subscription = socket?.subscribe(['newHeads'], {
      onLive: () => (follower.isTold = true),
      onResult: (head) => follower.offer(head),
      // Until it is back, or for good when the node refuses, the node is asked.
      onFailure: () => (follower.isTold = false),
    })
    return { follower, subscription, started: follower.start() }
  }
}

interface Running {
  readonly follower: ChainFollower
  readonly subscription: UpstreamSubscription | undefined
  readonly started: Promise<void>
}
