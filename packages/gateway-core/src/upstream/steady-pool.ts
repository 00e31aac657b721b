import { ChainHeads } from './chain-heads.ts'
import { type CheckingPool, checkHealth, type HealthRules } from './check-health.ts'
import { HealthRounds, type RoundTimes } from './health-rounds.ts'
import { selectSticky } from './select-upstream.ts'
import {
  defaultBlockMs,
  hasResponsive,
  PoolMember,
  type PoolUpstream,
  type UpstreamState,
} from './pool-member.ts'
import type { Connection } from './upstream.ts'

/** The health that an upstream reports. */
export interface UpstreamHealth {
  /** Number of its latest block or slot, if it has one. */
  head?: number
  /** Whether it is still syncing. */
  isSyncing?: boolean
  /** Whether it follows a chain head that it cannot verify. */
  isUnverified?: boolean
}

/** Timing of health checks. */
export interface HealthTimes extends RoundTimes {
  /** Timeout of a health check. */
  readonly checkTimeoutMs: number
}

/** The default timing of the gateway. */
export const healthTimes: HealthTimes = {
  intervalMs: 6_000,
  checkTimeoutMs: 3_000,
  firstRoundMs: 1_000,
  idleMs: 60_000,
}

/** How the health of the upstreams of a {@link SteadyPool} is checked. */
export interface HealthSource<connection extends Connection> extends HealthRules<connection, UpstreamHealth> {
  /** Lag in blocks or slots behind the highest chain head that is insignificant, whatever the block time. */
  readonly toleratedLag: number
  /** Block time of the chain until it is measured. The default is that of Ethereum. */
  readonly blockMs?: number
  readonly times: HealthTimes
}

/**
 * The upstreams of a node, with their health. Calls stay at the best one. A single upstream is checked only after
 * {@link watch}.
 */
export class SteadyPool<connection extends Connection> implements CheckingPool<connection, UpstreamHealth> {
  readonly members: readonly PoolMember<connection>[]
  /** The upstream of a pool with a single one. */
  readonly only: PoolMember<connection> | undefined
  readonly #source: HealthSource<connection>
  readonly #rounds: HealthRounds<PoolMember<connection>>
  readonly #heads: ChainHeads<PoolMember<connection>>
  #current: PoolMember<connection> | undefined

  /**
   * @param upstreams - at least one
   * @param previous - pool whose calls continue here
   */
  constructor(
    field: string,
    upstreams: readonly PoolUpstream<connection>[],
    source: HealthSource<connection>,
    previous?: SteadyPool<connection>,
  ) {
    this.members = upstreams.map((upstream) => new PoolMember(upstream, field, source.toleratedLag))
    this.only = this.members.length === 1 ? this.members[0] : undefined
    this.#source = source
    const { blockMs = defaultBlockMs } = source
    this.#heads = new ChainHeads(this.members, () => blockMs, previous && previous.#heads)
    this.#current = this.members.find(({ upstream }) => upstream === previous?.current?.upstream)
    this.#rounds = new HealthRounds(this.members, source.times, {
      check: (member) => checkHealth(member, source, this),
    })
  }

  /** The upstream that receives calls; undefined before the first call. */
  get current(): PoolMember<connection> | undefined {
    return this.#current
  }

  /**
   * Keeps the health of several upstreams up to date.
   *
   * @returns a promise to wait for when no recent health data is available; it never rejects
   */
  use(): Promise<unknown> | undefined {
    return this.only ? undefined : this.#rounds.use()
  }

  /** Starts health checks of the upstreams for a while, also of a single one. */
  watch(): void {
    void this.#rounds.use()
  }

  /** Checks all upstreams now, because one of them has a problem. */
  checkSoon(): void {
    if (!this.only) this.#rounds.checkSoon()
  }

  /** Selects the best upstream that has not been tried yet. The first choice becomes the current upstream. */
  choose(tried: readonly PoolMember<connection>[]): PoolMember<connection> | undefined {
    const untried = this.members.filter(
      (member) => member.isInUse && !tried.some(({ upstream }) => upstream === member.upstream),
    )
    const best = selectSticky(untried, this.#current)
    if (tried.length === 0) this.#current = best
    return best
  }

  /** Directs further calls to an upstream. */
  moveTo(member: PoolMember<connection>): void {
    this.#current = member
  }

  /** State of the upstreams. */
  states(): readonly UpstreamState[] {
    return this.members.map(({ state }) => state)
  }

  close(): void {
    this.#rounds.stop()
  }

  hasResponsive(): boolean {
    return hasResponsive(this.members)
  }

  signal(): AbortSignal {
    return AbortSignal.timeout(this.#source.times.checkTimeoutMs)
  }

  onHealthy(member: PoolMember<connection>, health: UpstreamHealth): void {
    const { upstream } = member
    upstream.hasReported = true
    upstream.head = health.head
    upstream.isSyncing = health.isSyncing === true
    upstream.isUnverified = health.isUnverified === true
    this.#heads.compare()
    this.#heads.measure(member)
  }

  onUnhealthy({ upstream }: PoolMember<connection>): void {
    // Its chain head is unknown now.
    upstream.hasReported = false
    upstream.head = undefined
    this.#heads.compare()
  }
}
