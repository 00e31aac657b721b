import type { Logger } from 'pino'
import { readHead } from '../chain/head.ts'
import { asUpstreamError, UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { depthsOf } from '../chain/chain-depths.ts'
import type { BlockReference } from '../chain/chain-view.ts'
import { ObservedChain } from '../chain/observed-chain.ts'
import { HealthRounds } from '@fairlead/gateway-core/upstream/health-rounds'
import { laggingBlocks } from '@fairlead/gateway-core/upstream/pool-member'
import { ChainSelection } from './chain-selection.ts'
import type { PooledUpstream } from './types.ts'

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
const finalizedEvery = 5
// The leader may lag by this many blocks without losing its role, so that two branches do not alternate.
const leaderMayLag = 1

/** Polls the upstreams of a node for their chain heads while the node is in use, and classifies them by the result. */
export class HealthCheck {
  readonly chain: ObservedChain
  readonly #members: readonly PooledUpstream[]
  readonly #times: HealthCheckTimes
  readonly #log: Logger | undefined
  /** Number of rounds until each upstream is polled for its finalized block. */
  readonly #finalizedDue = new Map<PooledUpstream, number>()
  readonly #tagged = new Map<PooledUpstream, number | undefined>()
  readonly #rounds: HealthRounds<PooledUpstream>
  readonly #stopped = new AbortController()
  readonly #selection: ChainSelection
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
    this.#isComparing = this.#selection.isKnown
    this.#times = times
    this.#log = log
    const { pollMs: intervalMs, firstRoundMs, idleMs } = times
    this.#rounds = new HealthRounds(
      members,
      { intervalMs, firstRoundMs, idleMs },
      {
        check: (member) => this.#check(member),
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

  /** Starts no further rounds. Calls still wait for the first round. */
  retire(): void {
    this.#rounds.retire()
  }

  stop(): void {
    this.#stopped.abort()
    this.#rounds.stop()
  }

  async #check(member: PooledUpstream): Promise<void> {
    const { upstream } = member
    const isProbe = upstream.breaker.probe()
    try {
      await this.#pollChainId(member)
      const head = readHead(await this.#call(member, 'eth_getBlockByNumber', ['latest', false]))
      if (this.#isChainUsed) await this.#pollFinalized(member, head.number)
      const isTrusted = await this.#isTrusted(member, head)
      // Also ends the probe of another call.
      upstream.breaker.succeed()
      this.#markDoubted(member, !isTrusted, head.number)
      // Other pools use it too.
      if (isTrusted) upstream.head = head.number
      this.#updateLag()
      if (!isTrusted) return
      if (this.#isChainUsed && member === this.#leader) {
        await this.chain.observe(head, upstream.finalized, upstream.connection)
      }
    } catch (error) {
      if (isProbe) upstream.recordFailedCheck(asUpstreamError(error), this)
      this.#selection.recordFailure(member)
      if (this.#isComparing) this.#selectChain()
    }
  }

  /**
   * Returns whether a chain head can be trusted. A head far above the others is trusted only when the upstream has that
   * block, and not only its number.
   */
  async #isTrusted(member: PooledUpstream, { number, hash }: BlockReference): Promise<boolean> {
    const others = this.#reportedHeads().filter((other) => other.member !== member)
    if (others.length === 0 || others.some((other) => number <= other.number + laggingBlocks)) return true
    const block = await this.#call(member, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
    return block !== null && readHead(block).hash === hash
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

  async #pollChainId(member: PooledUpstream): Promise<void> {
    const { upstream } = member
    const { chain } = upstream
    const now = performance.now()
    const isKnown = chain && upstream.breaker.state === 'closed' && now - chain.at < this.#times.chainIdMs
    if (!isKnown) {
      const id = await this.#call(member, 'eth_chainId', [])
      if (typeof id === 'string') upstream.chain = { id, at: now }
      else this.#selection.recordFailure(member)
    }
    if (this.#isComparing) this.#selectChain()
  }

  #selectChain(): void {
    if (this.#selection.update()) this.chain.reset()
  }

  async #pollFinalized(member: PooledUpstream, head: number): Promise<void> {
    const due = (this.#finalizedDue.get(member) ?? 0) - 1
    this.#finalizedDue.set(member, due < 0 ? finalizedEvery : due)
    if (due < 0) this.#tagged.set(member, await this.#taggedFinal(member))
    const tagged = this.#tagged.get(member)
    const { finality } = depthsOf(member.upstream.chain?.id)
    member.upstream.finalized = tagged ?? (head > finality ? head - finality : undefined)
  }

  /**
   * Returns the number of the block with the tag `finalized`. Undefined where the upstream does not support the tag.
   */
  async #taggedFinal(member: PooledUpstream): Promise<number | undefined> {
    try {
      const block = await this.#call(member, 'eth_getBlockByNumber', ['finalized', false])
      return block === null ? undefined : readHead(block).number
    } catch (error) {
      if (error instanceof UpstreamError) throw error
      return undefined
    }
  }

  /** Returns the chain heads of the upstreams in use. */
  #reportedHeads(): readonly { readonly member: PooledUpstream; readonly number: number }[] {
    return this.#members.flatMap((member) => {
      const isUsed = member.isInUse && member.upstream.isResponsive
      return isUsed && member.head !== undefined ? [{ member, number: member.head }] : []
    })
  }

  #updateLag(): void {
    const reported = this.#reportedHeads()
    const best = Math.max(...reported.map(({ number }) => number))
    for (const { member, number } of reported) member.lag = best - number
    const isLeaderCurrent = reported.some(
      ({ member, number }) => member === this.#leader && best - number <= leaderMayLag,
    )
    if (!isLeaderCurrent) this.#leader = reported.find(({ number }) => number === best)?.member
  }

  #call(member: PooledUpstream, method: string, params: readonly unknown[]): Promise<unknown> {
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(this.#times.timeoutMs)])
    return member.upstream.connection.call(method, params, signal)
  }
}
