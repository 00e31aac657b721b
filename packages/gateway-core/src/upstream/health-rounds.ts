import { setTimeout as sleep } from 'node:timers/promises'
import { guardedTimeout } from '@fairlead/runtime'
import type { PoolMember } from './pool-member.ts'

/** The intervals of health checks of the upstreams of a node. */
export interface RoundTimes {
  /** Interval between two rounds, while the upstreams are used. */
  readonly intervalMs: number
  /** Maximum time that calls wait when no recent health data is available. */
  readonly firstRoundMs: number
  /** How long the rounds continue after the last use. */
  readonly idleMs: number
}

// Minimum interval between rounds, regardless of how many calls fail.
const minPauseMs = 1_000

/** The actions of a round. */
export interface RoundActions<member extends PoolMember> {
  /** Checks the health of an upstream and records the result; never rejects. */
  check(member: member): Promise<void>
  /** Waits for the part of the first round that calls need; for all of it when omitted. */
  enough?(round: readonly Promise<void>[]): Promise<unknown>
  /** Whether calls do not wait for the very first round, because other pools have checked the upstreams recently. */
  isCurrent?(): boolean
  /** Called when the first round has enough results or has timed out. */
  onFirstRound?(): void
}

/** Checks the health of the upstreams of a node in rounds, while the node is used. */
export class HealthRounds<member extends PoolMember> {
  readonly #members: readonly member[]
  readonly #times: RoundTimes
  readonly #actions: RoundActions<member>
  readonly #checking = new Set<member>()
  #isStopped = false
  #isRetired = false
  #usedAt = -Infinity
  #roundAt = -Infinity
  #pendingFirstRound: Promise<unknown> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(members: readonly member[], times: RoundTimes, actions: RoundActions<member>) {
    this.#members = members
    this.#times = times
    this.#actions = actions
  }

  /**
   * Keeps the rounds running.
   *
   * @returns a promise to wait for when no recent health data is available; it never rejects
   */
  use(): Promise<unknown> | undefined {
    this.#usedAt = performance.now()
    const isVeryFirst = this.#roundAt === -Infinity
    if (this.#timer !== undefined || this.#isStopped || (this.#isRetired && !isVeryFirst))
      return this.#pendingFirstRound
    const isCurrent = isVeryFirst && this.#actions.isCurrent?.() === true
    const round = this.#firstRound()
    if (!isCurrent) this.#pendingFirstRound = round.finally(() => (this.#pendingFirstRound = undefined))
    if (!this.#isRetired) this.#plan()
    return this.#pendingFirstRound
  }

  /** Checks all upstreams now, because one of them has a problem. */
  checkSoon(): void {
    if (!this.#isStopped && performance.now() - this.#roundAt > minPauseMs) void this.#round()
  }

  /** Starts no further rounds, except for the very first one when calls still need it. */
  retire(): void {
    this.#isRetired = true
    clearTimeout(this.#timer)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  async #firstRound(): Promise<void> {
    const round = this.#round()
    const enough = this.#actions.enough?.(round) ?? Promise.all(round)
    await Promise.race([enough, sleep(this.#times.firstRoundMs, undefined, { ref: false })])
    this.#actions.onFirstRound?.()
  }

  #plan(): void {
    this.#timer = guardedTimeout(() => {
      this.#timer = undefined
      if (performance.now() - this.#usedAt > this.#times.idleMs) return
      void this.#round()
      this.#plan()
    }, this.#times.intervalMs).unref()
  }

  #round(): readonly Promise<void>[] {
    this.#roundAt = performance.now()
    return this.#members
      .filter(({ record, upstream }) => !record.isCordoned && !upstream.rate.isPaused)
      .filter((member) => !this.#checking.has(member))
      .map((member) => {
        this.#checking.add(member)
        return this.#actions.check(member).finally(() => this.#checking.delete(member))
      })
  }
}
