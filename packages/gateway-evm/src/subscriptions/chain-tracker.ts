import type { Logger } from 'pino'
import { type Block, BlockWindow } from './block-window.ts'
import { ChainReader, type ChainReaderOptions, UnsettledError } from './chain-reader.ts'
import { type Head, readHead } from '../chain/head.ts'
import { guardedInterval } from '@fairlead/runtime'

/**
 * Receives chain events in order: each block once, and before another branch the dropped blocks of the previous one. A
 * returned promise is awaited before the next call.
 */
export interface ChainListener {
  onBlock(block: Block): unknown
  /** The block was reorged out. The latest block comes first. */
  onDropped(block: Block): unknown
  /** The chain cannot be continued from the delivered blocks. The tracker then starts again. */
  onLost(reason: string): void
}

/** Account addresses whose logs are wanted, empty for all logs. Undefined when no logs are wanted. */
export type LogAddresses = () => readonly string[] | undefined

/** Options of {@link ChainTracker}. */
export interface TrackerOptions extends ChainReaderOptions {
  /** Interval at which the upstream is polled for its chain head while no notifications arrive, in milliseconds. */
  readonly pollMs: number
  /** Maximum gap that is filled, in blocks. The default is 10,000. */
  readonly maxGap?: number | undefined
  /** How long the upstream may lag behind delivered blocks, in milliseconds. The default is one minute. */
  readonly maxLagMs?: number | undefined
  /**
   * Time without header notifications after which the upstream is polled, in milliseconds. The default is 3 seconds.
   */
  readonly doubtMs?: number | undefined
  /** Whether header notifications arrive, so that polling is not needed. By default, none arrive. */
  readonly hasNotifications?: (() => boolean) | undefined
  /** Tracker to continue from, which must be idle. By default, the upstream's chain head. */
  readonly previous?: ChainTracker | undefined
  readonly logAddresses: LogAddresses
  readonly listener: ChainListener
  readonly log: Logger
}

// The upstream needs minutes for a longer gap. A client that resubscribes starts at the chain head.
const defaultMaxGap = 10_000
// One of several upstreams behind a URL may lag. A chain that was reset stays short.
const defaultMaxLagMs = 60_000

const initialBlocks = 32
const maxParallelLogRequests = 8
const maxInbox = 256
// A header notification may be missed, and a half-open connection is detected only after seconds.
const defaultDoubtMs = 3_000

class ChainLostError extends Error {}

/**
 * Tracks the chain of one upstream by the parent hashes of its headers, and fetches missing blocks to fill every gap.
 *
 * Headers come from {@link offer}, or from polls of the upstream. Their order and number do not matter. Logs are
 * requested by block hash, so the upstream returns the logs of exactly this block or an error.
 */
export class ChainTracker {
  readonly #options: TrackerOptions
  readonly #stopped = new AbortController()
  readonly #reader: ChainReader
  readonly #inbox: unknown[] = []
  #window: BlockWindow | undefined
  #sequence = 0
  #isPollDue = false
  #isRunning = false
  #isFailing = false
  #isReported = false
  /** Time of the last header notification or poll. */
  #lastHeaderAt = performance.now()
  /** A poll found a header that was not notified, so the upstream is polled until the next notification. */
  #hasMissedHeader = false
  /** Time since which the upstream has not even reached the first block of the window. */
  #laggingSince: number | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #idleCallbacks: (() => void)[] = []

  constructor(options: TrackerOptions) {
    // Not retained: it holds the delivered blocks and its own upstream.
    const { previous, ...rest } = options
    this.#options = rest
    this.#reader = new ChainReader(rest, this.#stopped.signal)
    this.#window = previous?.copyOfWindow
    this.#sequence = previous?.sequence ?? 0
  }

  /** Sequence number of the latest delivery. A new subscriber receives the deliveries with a greater number. */
  get sequence(): number {
    return this.#sequence
  }

  /** Hash of the last delivered block that was not dropped; undefined before the start. */
  get tipHash(): string | undefined {
    return this.#window?.tip.hash
  }

  /** The delivered blocks, for a tracker that continues from them; undefined before the start. */
  get copyOfWindow(): BlockWindow | undefined {
    return this.#window?.copy()
  }

  /**
   * Starts at the upstream's chain head, or continues after the last block of the previous tracker.
   *
   * @throws {@link UpstreamError} when the upstream does not respond
   */
  async start(): Promise<void> {
    this.#window ??= await this.#openWindow()
    if (this.#stopped.signal.aborted) return
    const { pollMs, doubtMs = defaultDoubtMs, hasNotifications = () => false } = this.#options
    this.#timer = guardedInterval(() => {
      const isSilent = this.#hasMissedHeader || performance.now() - this.#lastHeaderAt > doubtMs
      if (!hasNotifications() || this.#isFailing || isSilent) this.poll()
    }, pollMs)
  }

  /**
   * Whether the upstream's chain does not reach the first block of the window: the upstream lags, or its chain was
   * reset.
   */
  get isLagging(): boolean {
    return this.#laggingSince !== undefined
  }

  stop(): void {
    this.#stopped.abort()
    clearInterval(this.#timer)
  }

  /** Whether no block is being read, delivered or dropped. */
  get isIdle(): boolean {
    return !this.#isRunning
  }

  /** Calls back as soon as no block is being delivered or dropped. */
  whenIdle(callback: () => void): void {
    if (this.isIdle) callback()
    else this.#idleCallbacks.push(callback)
  }

  /** Receives a new header as the upstream sent it. */
  offer(head: unknown): void {
    this.#lastHeaderAt = performance.now()
    this.#hasMissedHeader = false
    // With a longer queue, it is faster to skip to the latest block.
    if (this.#inbox.length >= maxInbox) {
      this.#inbox.length = 0
      this.#isPollDue = true
    } else this.#inbox.push(head)
    void this.#run()
  }

  /** Polls the upstream for its chain head. */
  poll(): void {
    this.#isPollDue = true
    void this.#run()
  }

  async #run(): Promise<void> {
    if (this.#isRunning || this.#window === undefined) return
    this.#isRunning = true
    while (!this.#stopped.signal.aborted && (this.#inbox.length > 0 || this.#isPollDue)) {
      this.#reportIdle()
      try {
        await this.#next()
        if (this.#isReported) this.#options.log.info('the chain of an upstream is tracked again')
        this.#isFailing = this.#isReported = false
        this.#laggingSince = undefined
      } catch (error) {
        if (this.#stopped.signal.aborted) break
        if (error instanceof ChainLostError) await this.#restart(error.message)
        else {
          this.#backOff(error)
          break
        }
      }
    }
    this.#isRunning = false
    this.#reportIdle()
  }

  #reportIdle(): void {
    for (const callback of this.#idleCallbacks.splice(0)) callback()
  }

  async #next(): Promise<void> {
    const received = this.#inbox.shift()
    if (received !== undefined) return this.#advance(readHead(received))
    this.#isPollDue = false
    this.#lastHeaderAt = performance.now()
    const latest = await this.#reader.latest()
    if (this.#inbox.length === 0 && this.#window?.has(latest.hash) === false) this.#hasMissedHeader = true
    await this.#advance(latest)
  }

  /** Stops for now. The next poll tries again from the upstream's chain head. */
  #backOff(error: unknown): void {
    this.#inbox.length = 0
    this.#isFailing = true
    if (error instanceof UnsettledError || this.#isReported) return
    this.#isReported = true
    this.#options.log.warn({ reason: String(error) }, 'the chain of an upstream cannot be tracked')
  }

  async #restart(reason: string): Promise<void> {
    this.#inbox.length = 0
    this.#options.log.error({ reason }, 'the tracked chain was interrupted; affected subscriptions end')
    this.#options.listener.onLost(reason)
    const window = await this.#openWindow().catch(() => undefined)
    this.#laggingSince = undefined
    if (window) this.#window = window
    else this.#isFailing = true
  }

  /**
   * Returns a window that ends at the upstream's chain head and includes some earlier blocks, because the head itself
   * may be replaced.
   */
  async #openWindow(): Promise<BlockWindow> {
    const latest = await this.#reader.latest()
    const first = Math.max(0, latest.number - initialBlocks)
    const before = await this.#reader.range(first, latest.number - 1).catch(() => [])
    const isLinked = before.at(-1)?.hash === latest.parentHash
    return BlockWindow.startingAt(isLinked ? [...before, latest] : [latest])
  }

  /** Advances to a header through all blocks in between. */
  async #advance(target: Head): Promise<void> {
    const window = this.#window as BlockWindow
    while (!window.has(target.hash)) {
      this.#stopped.signal.throwIfAborted()
      const path = await this.#pathTowards(target, window)
      const [{ parentHash }] = path as [Head]
      for (const block of window.truncateAfter(parentHash)) await this.#options.listener.onDropped(block)
      for (let from = 0; from < path.length; from += maxParallelLogRequests) {
        await this.#deliver(path.slice(from, from + maxParallelLogRequests), window)
      }
    }
  }

  /** Returns headers in order. The first one is a child of a block in the window. */
  async #pathTowards(target: Head, window: BlockWindow): Promise<Head[]> {
    const next = window.tip.number + 1
    const { maxGap = defaultMaxGap } = this.#options
    if (target.number - next > maxGap) throw new ChainLostError('too many blocks were missed')
    const path = target.number <= next ? [target] : await this.#reader.range(next, target.number)
    const last = path.at(-1) as Head
    if (last.number === target.number && last.hash !== target.hash) throw new UnsettledError('another branch')
    for (let [head] = path as [Head]; !window.has(head.parentHash); [head] = path as [Head]) {
      if (head.number <= window.first.number) throw await this.#replaced(window)
      path.unshift(await this.#reader.byHash(head.parentHash))
    }
    return path
  }

  /**
   * Returns the reason why a header does not connect to the window: another chain, or a header from a lagging upstream.
   */
  async #replaced({ first }: BlockWindow): Promise<Error> {
    const now = await this.#reader.byNumber(first.number)
    if (!now) this.#laggingSince ??= performance.now()
    const { maxLagMs = defaultMaxLagMs } = this.#options
    const isLagging = now
      ? now.hash === first.hash
      : performance.now() - (this.#laggingSince as number) <= maxLagMs
    return isLagging
      ? new UnsettledError('the upstream lags')
      : new ChainLostError('the reorganization is too deep')
  }

  async #deliver(heads: readonly Head[], window: BlockWindow): Promise<void> {
    this.#sequence += 1
    const sequence = this.#sequence
    const addresses = this.#options.logAddresses()
    const logs = addresses ? await Promise.all(heads.map((head) => this.#reader.logs(head, addresses))) : []
    for (const [index, head] of heads.entries()) {
      if (this.#stopped.signal.aborted) return
      const block = { head, logs: logs[index] ?? [], sequence }
      window.append(block)
      await this.#options.listener.onBlock(block)
    }
  }
}
