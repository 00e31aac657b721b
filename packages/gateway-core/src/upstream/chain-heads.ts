import { BlockTime } from './block-time.ts'
import { type PoolMember, type ReportedHead, reportedHeads } from './pool-member.ts'

// Without a later announcement, the upstreams have had the time to report the block.
const announcedForMs = 60_000

// Timestamps of blocks do not depend on the upstream that reports them.
const chainClock = {}

/** Compares the chain heads of the upstreams of a node, and measures the block time of their chain. */
export class ChainHeads<member extends PoolMember> {
  readonly #members: readonly member[]
  readonly #knownBlockMs: () => number
  #blockTime: BlockTime
  #announced = { number: -Infinity, at: -Infinity }
  #highest = -Infinity

  /**
   * @param knownBlockMs - returns the block time to use until it is measured
   * @param previous - those of the node before its list of upstreams changed
   */
  constructor(members: readonly member[], knownBlockMs: () => number, previous?: ChainHeads<member>) {
    this.#members = members
    this.#knownBlockMs = knownBlockMs
    this.#blockTime = previous ? previous.#blockTime : new BlockTime()
  }

  /** The highest chain head that was known at the last comparison; -Infinity when none was. */
  get highest(): number {
    return this.#highest
  }

  /** Forgets what was measured, because the upstreams are on another chain now. */
  reset(): void {
    this.#blockTime = new BlockTime()
    this.#announced = { number: -Infinity, at: -Infinity }
  }

  /** Counts the latest block of a subscription from the next comparison on. */
  announce(number: number): void {
    this.#announced = { number, at: performance.now() }
  }

  /**
   * Computes the lag of the upstreams. One that fails or syncs does not count for the highest chain head, and the lag of
   * one that fails does not change.
   *
   * @returns the chain heads that count
   */
  compare(): readonly ReportedHead<member>[] {
    const reported = reportedHeads(this.#members)
    const { number, at } = this.#announced
    const announced = performance.now() - at < announcedForMs ? number : -Infinity
    this.#highest = Math.max(announced, ...reported.map(({ head }) => head))
    const blockMs = this.#blockTime.ms ?? this.#knownBlockMs()
    for (const member of this.#members) {
      const { head, upstream, isOnOtherChain, isChainUnknown } = member
      member.blockMs = blockMs
      if (head === undefined) member.lag = undefined
      else if (upstream.isResponsive && !isOnOtherChain && !isChainUnknown)
        member.lag = Math.max(0, this.#highest - head)
    }
    return reported
  }

  /**
   * Measures the block time by the chain head that an upstream has just reported and that was compared.
   *
   * @param producedAtMs - time of the block by the clock of the chain; undefined to use the time of its arrival
   */
  measure({ head, lag = 0, toleratedLag, upstream }: member, producedAtMs?: number): void {
    if (head === undefined) return
    if (producedAtMs !== undefined) this.#blockTime.observe(chainClock, head, producedAtMs)
    else if (lag > toleratedLag) this.#blockTime.interrupt(upstream)
    else this.#blockTime.observe(upstream, head, performance.now())
  }
}
