import { setTimeout as sleep } from 'node:timers/promises'
import { guardedTimeout } from '@fairlead/http1'
import type { PoolMember } from './pool-member.ts'

/** When the upstreams of a node are asked how they are. */
export interface RoundTimes {
  /** Between two rounds, while the upstreams are used. */
  readonly intervalMs: number
  /** How long calls wait when nothing fresh is known. */
  readonly firstRoundMs: number
  /** After the last use the rounds go on this long. */
  readonly idleMs: number
}

// However many calls fail, the upstreams are asked again no sooner.
const shortestPauseMs = 1_000

/** What a round does. */
export interface RoundActions<member extends PoolMember> {
  /** Asks an upstream how it is, and notes the answer; it never rejects. */
  ask(member: member): Promise<void>
  /** Waits for as much of the first round as calls need; all of it when left out. */
  enough?(round: readonly Promise<void>[]): Promise<unknown>
  /** Called when the first round has told enough, or has taken too long. */
  onFirstRound?(): void
}

/** Asks the upstreams of a node how they are, in rounds, while the node is used. */
export class HealthRounds<member extends PoolMember> {
  readonly #members: readonly member[]
  readonly #times: RoundTimes
  readonly #actions: RoundActions<member>
  readonly #asked = new Set<member>()
  #isStopped = false
  #usedAt = -Infinity
  #roundAt = -Infinity
  #known: Promise<unknown> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(members: readonly member[], times: RoundTimes, actions: RoundActions<member>) {
    this.#members = members
    this.#times = times
    this.#actions = actions
  }

  /**
   * Keeps the rounds going.
   *
   * @returns what to wait for when nothing fresh is known; it never rejects
   */
  use(): Promise<unknown> | undefined {
    this.#usedAt = performance.now()
    if (this.#timer !== undefined || this.#isStopped) return this.#known
    this.#known = this.#firstRound().finally(() => (this.#known = undefined))
    this.#plan()
    return this.#known
  }

  /** Asks them now, as something is wrong with one of them. */
  askSoon(): void {
    if (!this.#isStopped && performance.now() - this.#roundAt > shortestPauseMs) void this.#round()
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
      .filter((member) => !this.#asked.has(member))
      .map((member) => {
        this.#asked.add(member)
        return this.#actions.ask(member).finally(() => this.#asked.delete(member))
      })
  }
}
