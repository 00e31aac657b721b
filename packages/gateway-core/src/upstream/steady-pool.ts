import type { CancellationSignal } from '@fairlead/http1'
import { HealthRounds, type RoundTimes } from './health-rounds.ts'
import { selectSteadily } from './select-upstream.ts'
import { PoolMember, type PoolUpstream, type UpstreamState } from './pool-member.ts'
import type { Connection } from './upstream.ts'
import type { UpstreamError } from './upstream-error.ts'

/** What an upstream says of itself. */
export interface UpstreamHealth {
  /** Number of its newest block or slot, where it has one. */
  readonly head?: number
  /** Whether it is still reading the chain. */
  readonly isSyncing?: boolean
  /** Whether it follows a head that it cannot verify. */
  readonly isUnverified?: boolean
}

/** When upstreams are asked for their health. */
export interface HealthTimes extends RoundTimes {
  /** For an upstream's answer. */
  readonly checkTimeoutMs: number
}

/** The times of the service. */
export const healthTimes: HealthTimes = {
  intervalMs: 6_000,
  checkTimeoutMs: 3_000,
  firstRoundMs: 1_000,
  idleMs: 60_000,
}

/** How a protocol finds out how its upstreams are. */
export interface HealthSource<connection> {
  /** Asks an upstream how it is; rejects when it does not say. */
  readHealth(upstream: connection, signal: CancellationSignal): Promise<UpstreamHealth>
  /** What an error of {@link readHealth} says of the upstream; undefined when it has answered something else. */
  failureOf(error: unknown): UpstreamError | undefined
  /** Blocks or slots behind the best head that say nothing of an upstream. */
  readonly toleratedLag: number
  readonly times: HealthTimes
}

/**
 * The upstreams of a node of which calls stay at the best one, with what is known of their health. A single one is asked for it only
 * by {@link watch}.
 */
export class SteadyPool<connection extends Connection> {
  readonly members: readonly PoolMember<connection>[]
  /** The only one there is. */
  readonly only: PoolMember<connection> | undefined
  readonly #source: HealthSource<connection>
  readonly #rounds: HealthRounds<PoolMember<connection>>
  #present: PoolMember<connection> | undefined

  /** @param upstreams - at least one */
  constructor(
    field: string,
    upstreams: readonly PoolUpstream<connection>[],
    source: HealthSource<connection>,
  ) {
    this.members = upstreams.map((upstream) => new PoolMember(upstream, field, source.toleratedLag))
    this.only = this.members.length === 1 ? this.members[0] : undefined
    this.#source = source
    this.#rounds = new HealthRounds(this.members, source.times, { ask: (member) => this.#check(member) })
  }

  /** The one that calls go to; undefined before the first call. */
  get present(): PoolMember<connection> | undefined {
    return this.#present
  }

  /**
   * Keeps the health of several upstreams known.
   *
   * @returns what to wait for when nothing fresh is known; it never rejects
   */
  use(): Promise<unknown> | undefined {
    return this.only ? undefined : this.#rounds.use()
  }

  /** Has the upstreams asked for their health for a while, also a single one. */
  watch(): void {
    void this.#rounds.use()
  }

  /** Asks them now, as something is wrong with one of them. */
  askSoon(): void {
    if (!this.only) this.#rounds.askSoon()
  }

  /** Finds the best upstream that was not tried yet; the first choice is the one that further calls go to. */
  choose(tried: readonly PoolMember<connection>[]): PoolMember<connection> | undefined {
    const left = this.members.filter((member) => member.isInUse && !tried.includes(member))
    const best = selectSteadily(left, this.#present)
    if (tried.length === 0) this.#present = best
    return best
  }

  /** Has further calls go to an upstream. */
  moveTo(member: PoolMember<connection>): void {
    this.#present = member
  }

  /** What is known of the upstreams. */
  states(): readonly UpstreamState[] {
    return this.members.map(({ state }) => state)
  }

  close(): void {
    this.#rounds.stop()
  }

  async #check(member: PoolMember<connection>): Promise<void> {
    const source = this.#source
    const { upstream } = member
    const isJudged = upstream.breaker.probe()
    try {
      const signal = AbortSignal.timeout(source.times.checkTimeoutMs)
      const health = await source.readHealth(upstream.connection, signal)
      if (isJudged) upstream.breaker.succeed()
      upstream.isKnown = true
      upstream.head = health.head
      upstream.isSyncing = health.isSyncing === true
      upstream.isUnverified = health.isUnverified === true
    } catch (error) {
      // Where it is, nobody knows any more.
      upstream.isKnown = false
      upstream.head = undefined
      if (isJudged) upstream.noteFailedCheck(source.failureOf(error))
    }
    this.#judgeHeads()
  }

  /** An upstream that fails or syncs sets no standard for the heads of others. */
  #judgeHeads(): void {
    const shown = this.members.filter(
      ({ isInUse, upstream }) => isInUse && upstream.isResponsive && !upstream.isSyncing,
    )
    const best = Math.max(...shown.map(({ head = -Infinity }) => head))
    for (const member of this.members) {
      member.lag = member.head === undefined ? undefined : Math.max(0, best - member.head)
    }
  }
}
