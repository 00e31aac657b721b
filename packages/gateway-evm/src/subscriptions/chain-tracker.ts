import type { Logger } from 'pino'
import type { Upstream } from '../upstream/types.ts'
import { malformed } from '../upstream/rpc-errors.ts'
import { type Block, BlockWindow, type LogEntry } from './block-window.ts'
import { type Head, readHead } from '../chain/head.ts'
import type { Log } from './log-filter.ts'
import { guardedInterval } from '@fairlead/http1'

/**
 * Hears what the chain does, in order: each block once, and before another branch what is left of the last one. A promise is
 * waited for before the next call.
 */
export interface ChainListener {
  onBlock(block: Block): unknown
  /** The block is no longer part of the chain; the latest comes first. */
  onDropped(block: Block): unknown
  /** The chain cannot be followed on from what was told before; after this the follower begins anew. */
  onLost(reason: string): void
}

/** Addresses whose logs are wanted, empty for those of all; undefined when nobody wants logs. */
export type WantedLogs = () => readonly string[] | undefined

/** How to follow a chain. */
export interface FollowOptions {
  readonly upstream: Upstream
  /** How often the node is asked for its head while nobody else tells. */
  readonly pollMs: number
  readonly timeoutMs: number
  /** Longest gap that is filled; 10,000 blocks when left out. */
  readonly maxGap?: number | undefined
  /** How long the node may be behind what it has told before; a minute when left out. */
  readonly maxBehindMs?: number | undefined
  /** Silence of who tells of heads after which the node is asked; 3 seconds when left out. */
  readonly doubtMs?: number | undefined
  readonly wantedLogs: WantedLogs
  readonly listener: ChainListener
  readonly log: Logger
}

// A longer gap takes the node minutes to tell of; whoever subscribes again begins at its head.
const defaultMaxGap = 10_000
// One of several nodes at an address may be late; a chain that was made anew stays short.
const defaultMaxBehindMs = 60_000

const knownAtStart = 32
const headsPerRequest = 50
const logRequestsAtOnce = 8
const maxInbox = 256
// A head that others tell of may be missed, and a half-open connection is noticed after seconds only.
const defaultDoubtMs = 3_000

/** The node has changed its mind meanwhile: what it says next will fit together again. */
class Unsettled extends Error {}

class Lost extends Error {}

/**
 * Follows the chain of one node by the parent hashes of its heads, and fills every gap by asking for the blocks between.
 *
 * Heads come from {@link offer}, or from the node's answers to a poll; the order and number in which they come is of no
 * importance. Logs are asked for by the hash of their block, so that they are those of this block or an error, and
 * never those of another one.
 */
export class ChainTracker {
  readonly #options: FollowOptions
  readonly #stopped = new AbortController()
  readonly #inbox: unknown[] = []
  #window: BlockWindow | undefined
  #turn = 0
  #isTold = false
  #wantsLatest = false
  #isRunning = false
  #isFailing = false
  #isReported = false
  /** When a head was told of or asked for. */
  #lastNews = performance.now()
  /** The node was found to have a head that nobody told of, so it is asked until somebody tells of one. */
  #isMissing = false
  /** Since when the node does not even reach the first block of the window. */
  #behindSince: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: FollowOptions) {
    this.#options = options
  }

  /** Number of the latest telling: whoever joins now hears of what has a greater one. */
  get turn(): number {
    return this.#turn
  }

  /**
   * Begins at the node's head.
   *
   * @throws {@link UpstreamError} when the node does not answer
   */
  async start(): Promise<void> {
    this.#window = await this.#begin()
    if (this.#stopped.signal.aborted) return
    const { pollMs, doubtMs = defaultDoubtMs } = this.#options
    this.#timer = guardedInterval(() => {
      const isInDoubt = this.#isMissing || performance.now() - this.#lastNews > doubtMs
      if (!this.#isTold || this.#isFailing || isInDoubt) this.look()
    }, pollMs)
  }

  /** Whether the node's chain does not reach the first block that is known: it is late, or was made anew. */
  get isBehind(): boolean {
    return this.#behindSince !== undefined
  }

  stop(): void {
    this.#stopped.abort()
    clearInterval(this.#timer)
  }

  /** Says whether somebody tells of new heads, so that the node need not be asked. */
  set isTold(value: boolean) {
    this.#isTold = value
    if (value) this.look()
  }

  /** Takes a new head as the node has sent it. */
  offer(head: unknown): void {
    this.#lastNews = performance.now()
    this.#isMissing = false
    // After this many the way to the latest one is shorter.
    if (this.#inbox.length >= maxInbox) {
      this.#inbox.length = 0
      this.#wantsLatest = true
    } else this.#inbox.push(head)
    void this.#run()
  }

  /** Asks the node for its head. */
  look(): void {
    this.#wantsLatest = true
    void this.#run()
  }

  async #run(): Promise<void> {
    if (this.#isRunning || this.#window === undefined) return
    this.#isRunning = true
    while (!this.#stopped.signal.aborted && (this.#inbox.length > 0 || this.#wantsLatest)) {
      try {
        await this.#next()
        if (this.#isReported) this.#options.log.info('a node can be followed again')
        this.#isFailing = this.#isReported = false
        this.#behindSince = undefined
      } catch (error) {
        if (this.#stopped.signal.aborted) break
        if (error instanceof Lost) await this.#beginAnew(error.message)
        else {
          this.#giveWay(error)
          break
        }
      }
    }
    this.#isRunning = false
  }

  async #next(): Promise<void> {
    const told = this.#inbox.shift()
    if (told !== undefined) return this.#advance(readHead(told))
    this.#wantsLatest = false
    this.#lastNews = performance.now()
    const latest = await this.#latest()
    if (this.#inbox.length === 0 && this.#window?.has(latest.hash) === false) this.#isMissing = true
    await this.#advance(latest)
  }

  /** Leaves it for now: the next poll tries again, from the node's head. */
  #giveWay(error: unknown): void {
    this.#inbox.length = 0
    this.#isFailing = true
    if (error instanceof Unsettled || this.#isReported) return
    this.#isReported = true
    this.#options.log.warn({ reason: String(error) }, 'a node cannot be followed')
  }

  async #beginAnew(reason: string): Promise<void> {
    this.#inbox.length = 0
    this.#options.log.error({ reason }, 'a chain is lost')
    this.#options.listener.onLost(reason)
    const window = await this.#begin().catch(() => undefined)
    this.#behindSince = undefined
    if (window) this.#window = window
    else this.#isFailing = true
  }

  /** A window that ends at the node's head, with some blocks before it: the head itself may be replaced. */
  async #begin(): Promise<BlockWindow> {
    const latest = await this.#latest()
    const first = Math.max(0, latest.number - knownAtStart)
    const before = await this.#heads(first, latest.number - 1).catch(() => [])
    const isChain = before.at(-1)?.hash === latest.parentHash
    return new BlockWindow(isChain ? [...before, latest] : [latest])
  }

  /** Goes on to a head, by way of all blocks between. */
  async #advance(target: Head): Promise<void> {
    const window = this.#window as BlockWindow
    while (!window.has(target.hash)) {
      const path = await this.#pathTowards(target, window)
      const [{ parentHash }] = path as [Head]
      for (const block of window.cutAfter(parentHash)) await this.#options.listener.onDropped(block)
      for (let from = 0; from < path.length; from += logRequestsAtOnce) {
        await this.#tell(path.slice(from, from + logRequestsAtOnce), window)
      }
    }
  }

  /** Heads in order, the first of them a child of a block in the window. */
  async #pathTowards(target: Head, window: BlockWindow): Promise<Head[]> {
    const next = window.tip.number + 1
    const { maxGap = defaultMaxGap } = this.#options
    if (target.number - next > maxGap) throw new Lost('too many blocks were missed')
    const path = target.number <= next ? [target] : await this.#heads(next, target.number)
    const last = path.at(-1) as Head
    if (last.number === target.number && last.hash !== target.hash) throw new Unsettled('another branch')
    for (let [head] = path as [Head]; !window.has(head.parentHash); [head] = path as [Head]) {
      if (head.number <= window.first.number) throw await this.#replaced(window)
      const parent = await this.#call('eth_getBlockByHash', [head.parentHash, false])
      if (parent === null) throw new Unsettled('a parent is not known')
      path.unshift(readHead(parent))
    }
    return path
  }

  /** Why a head stands where the window does not reach: the chain is another one, or the head is a late one. */
  async #replaced({ first }: BlockWindow): Promise<Error> {
    const now = await this.#call('eth_getBlockByNumber', [hex(first.number), false])
    if (now === null) this.#behindSince ??= performance.now()
    const { maxBehindMs = defaultMaxBehindMs } = this.#options
    const isLate =
      now === null
        ? performance.now() - (this.#behindSince as number) <= maxBehindMs
        : readHead(now).hash === first.hash
    return isLate ? new Unsettled('a head is late') : new Lost('the chain was replaced too far back')
  }

  async #heads(from: number, to: number): Promise<Head[]> {
    if (to < from) return []
    const numbers = Array.from(
      { length: Math.min(headsPerRequest, to - from + 1) },
      (_, index) => from + index,
    )
    const calls = numbers.map((number) => ['eth_getBlockByNumber', [hex(number), false]] as const)
    const blocks = await this.#options.upstream.batch(calls, this.#signal())
    if (blocks.length !== calls.length || blocks.includes(null)) throw new Unsettled('a block is not known')
    const heads = blocks.map(readHead)
    const isChain = heads.every((head, at) => at === 0 || head.parentHash === heads[at - 1]?.hash)
    if (!isChain) throw new Unsettled('another branch')
    return heads
  }

  async #tell(heads: readonly Head[], window: BlockWindow): Promise<void> {
    this.#turn += 1
    const turn = this.#turn
    const wanted = this.#options.wantedLogs()
    const logs = wanted ? await Promise.all(heads.map((head) => this.#logs(head, wanted))) : []
    for (const [index, head] of heads.entries()) {
      if (this.#stopped.signal.aborted) return
      const block = { head, logs: logs[index] ?? [], turn }
      window.append(block)
      await this.#options.listener.onBlock(block)
    }
  }

  async #logs({ hash }: Head, addresses: readonly string[]): Promise<LogEntry[]> {
    const filter = { blockHash: hash, ...(addresses.length > 0 && { address: addresses }) }
    const logs = await this.#call('eth_getLogs', [filter])
    if (!Array.isArray(logs)) throw malformed()
    return logs.map((log: unknown) => ({ log: readLog(log, hash), text: JSON.stringify(log) }))
  }

  async #latest(): Promise<Head> {
    return readHead(await this.#call('eth_getBlockByNumber', ['latest', false]))
  }

  #call(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#options.upstream.call(method, params, this.#signal())
  }

  #signal(): AbortSignal {
    return AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(this.#options.timeoutMs)])
  }
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}

function readLog(value: unknown, hash: string): Log {
  const log = value as Log | null
  const isLog = typeof log?.address === 'string' && Array.isArray(log.topics) && log.blockHash === hash
  if (!isLog) throw malformed()
  return log
}
