import { BlockTime } from './block-time.ts'
import { type PoolMember, type ReportedHead, reportedHeads } from './pool-member.ts'

// Timestamps of blocks do not depend on the upstream that reports them.
const chainClock = {}

/** Compares the chain heads of the upstreams of a node, and measures the block time of their chain. */
export class ChainHeads<member extends PoolMember> {
  readonly #members: readonly member[]
  readonly #knownBlockMs: () => number
  #blockTime: BlockTime

  /**
   * @param knownBlockMs - returns the block time to use until it is measured
   * @param previous - those of the node before its list of upstreams changed
   */
  constructor(members: readonly member[], knownBlockMs: () => number, previous?: ChainHeads<member>) {
    this.#members = members
    this.#knownBlockMs = knownBlockMs
    this.#blockTime = previous ? previous.#blockTime : new BlockTime()
  }

  /** Forgets what was measured, because the upstreams are on another chain now. */
  reset(): void {
    this.#blockTime = new BlockTime()
  }

  /**
   * Computes the lag of the upstreams. One that fails or syncs does not count for the highest chain head, and the lag of
   * one that fails does not change.
   *
   * @returns the chain heads that count
   */
  compare(): readonly ReportedHead<member>[] {
    const reported = reportedHeads(this.#members)
    const highest = Math.max(...reported.map(({ head }) => head))
    const blockMs = this.#blockTime.ms ?? this.#knownBlockMs()
    for (const member of this.#members) {
      const { head, upstream, isOnOtherChain, isChainUnknown } = member
      member.blockMs = blockMs
      if (head === undefined) member.lag = undefined
      else if (upstream.isResponsive && !isOnOtherChain && !isChainUnknown)
        member.lag = Math.max(0, highest - head)
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
