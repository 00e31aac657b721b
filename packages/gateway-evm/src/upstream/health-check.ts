import type { Logger } from 'pino'
import { type CheckingPool, checkHealth } from '@fairlead/gateway-core/upstream/check-health'
import { HealthRounds } from '@fairlead/gateway-core/upstream/health-rounds'
import { ChainHeads } from '@fairlead/gateway-core/upstream/chain-heads'
import { hasResponsive } from '@fairlead/gateway-core/upstream/pool-member'
import { knownBlockMs } from '../chain/block-times.ts'
import { ObservedChain } from '../chain/observed-chain.ts'
import { ChainSelection } from './chain-selection.ts'
import {
  type EvmHealth,
  hasReportedHead,
  reportsChain,
  reportsFinalized,
  reportsHead,
} from './health-rules.ts'
import type { ConnectedUpstream, PooledUpstream } from './types.ts'

/** Intervals and timeouts of the health check. */
export interface HealthCheckTimes {
  readonly pollMs: number
  /** Timeout for an upstream's response. */
  readonly timeoutMs: number
  /** How long calls wait for the first round when no recent state is known. */
  readonly firstRoundMs: number
  /** How long the rounds continue after the last use. */
  readonly idleMs: number
  readonly chainIdMs: number
}

const staleRounds = 5
const minStaleMs = 3_000
// The leader may lag by this many blocks without losing its role, so that two branches do not alternate.
const leaderMayLag = 1

/** Polls the upstreams of a node for their chain heads while the node is in use, and classifies them by the result. */
export class HealthCheck implements CheckingPool<ConnectedUpstream, EvmHealth> {
  readonly chain: ObservedChain
  readonly #members: readonly PooledUpstream[]
  readonly #times: HealthCheckTimes
  readonly #log: Logger | undefined
  readonly #rounds: HealthRounds<PooledUpstream>
  readonly #stopped = new AbortController()
  readonly #selection: ChainSelection
  readonly #heads: ChainHeads<PooledUpstream>
  /** Whether chain ids are compared at once. The first ones are compared together. */
  #isComparing = false
  #leader: PooledUpstream | undefined
  #isChainUsed = false

  /** @param previous - health check of the node before its list changed */
  constructor(
    members: readonly PooledUpstream[],
    times: HealthCheckTimes,
    log: Logger | undefined,
    previous?: HealthCheck,
  ) {
    this.#members = members
    this.#selection = new ChainSelection(members, log, previous && previous.#selection)
    this.#heads = new ChainHeads(members, () => knownBlockMs(this.chainId), previous && previous.#heads)
    this.#isComparing = this.#selection.isKnown
    this.#times = times
    this.#log = log
    const rules = [
      reportsChain(times.chainIdMs, (member, hasReported) => this.#onChainChecked(member, hasReported)),
      reportsHead,
      reportsFinalized(() => this.#isChainUsed),
      hasReportedHead(members),
    ]
    const { pollMs: intervalMs, firstRoundMs, idleMs } = times
    this.#rounds = new HealthRounds(
      members,
      { intervalMs, firstRoundMs, idleMs },
      {
        check: (member) => checkHealth(member, { rules }, this),
        // Until the chain id is known, every upstream has a vote.
        enough: (round) =>
          this.#selection.isKnown ? Promise.any(round).catch(() => undefined) : Promise.all(round),
        isCurrent: () => this.#selection.isCurrent(performance.now() - times.chainIdMs),
        onFirstRound: () => {
          this.#isComparing = true
          this.#selectChain()
        },
      },
    )
    const staleMs = Math.max(staleRounds * times.pollMs, minStaleMs)
    this.chain = new ObservedChain(members.length > 1, staleMs, () => {
      this.#isChainUsed = true
      void this.use()
    })
    this.#updateLag()
  }

  /** Number of the highest chain head of the upstreams in use. */
  get head(): number | undefined {
    return this.#leader?.head
  }

  get chainId(): string | undefined {
    return this.#selection.chainId
  }

  /**
   * Continues the rounds.
   *
   * @returns a promise to wait for when no recent state is known; it never rejects
   */
  use(): Promise<unknown> | undefined {
    return this.#rounds.use()
  }

  /** Checks all upstreams now, because one of them is silent. */
  checkSoon(): void {
    this.#rounds.checkSoon()
  }

  /** Starts no further rounds. Calls still wait for the first round. */
  retire(): void {
    this.#rounds.retire()
  }

  stop(): void {
    this.#stopped.abort()
    this.#rounds.stop()
  }

  hasResponsive(): boolean {
    return hasResponsive(this.#members)
  }

  signal(): AbortSignal {
    return AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(this.#times.timeoutMs)])
  }

  async onHealthy(member: PooledUpstream, { head, isTrusted = false }: Partial<EvmHealth>): Promise<void> {
    if (!head) return
    const { upstream } = member
    this.#markDoubted(member, !isTrusted, head.number)
    // Other pools use it too.
    if (isTrusted) upstream.head = head.number
    this.#updateLag()
    if (isTrusted) this.#heads.measure(member, head.producedAtMs)
    if (isTrusted && this.#isChainUsed && member === this.#leader) {
      await this.chain.observe(head, upstream.finalized, upstream.connection)
    }
  }

  /** Counts the latest block of a subscription for the lag from the next check on. */
  announce(number: number): void {
    this.#heads.announce(number)
  }

  /**
   * Records the number of a block that an upstream has returned, if it is higher than its known head. A number far above
   * the heads of all upstreams is left to the next check.
   */
  onBlock(member: PooledUpstream, number: number): void {
    if (number <= (member.head ?? Infinity) || number > this.#heads.highest + member.toleratedLag) return
    member.upstream.head = number
    this.#updateLag()
  }

  onUnhealthy(member: PooledUpstream): void {
    this.#selection.recordFailure(member)
    if (this.#isComparing) this.#selectChain()
  }

  #markDoubted(member: PooledUpstream, isDoubted: boolean, claimed: number): void {
    if (isDoubted && !member.isDoubted) {
      const facts = { upstream: member.upstream.id, claimed, latest: this.head }
      this.#log?.warn(
        facts,
        'an upstream reports a block number far above the others without having the block',
      )
    }
    member.isDoubted = isDoubted
  }

  #onChainChecked(member: PooledUpstream, hasReported: boolean): void {
    if (!hasReported) this.#selection.recordFailure(member)
    if (this.#isComparing) this.#selectChain()
  }

  #selectChain(): void {
    if (!this.#selection.update()) return
    this.chain.reset()
    this.#heads.reset()
  }

  #updateLag(): void {
    const reported = this.#heads.compare()
    const best = Math.max(...reported.map(({ head }) => head))
    const isLeaderCurrent = reported.some(
      ({ member, head }) => member === this.#leader && best - head <= leaderMayLag,
    )
    if (!isLeaderCurrent) this.#leader = reported.find(({ head }) => head === best)?.member
  }
}
