import type { Rejection } from '../types.ts'

/** One limit of one owner, with what is left of it. */
export interface Limit {
  /**
   * Takes a call.
   *
   * @param units - what the call costs, for limits that count them
   * @param now - by the clock of `performance`
   * @returns undefined when it was taken
   */
  take(units: number, now: number): Rejection | undefined
  /** Gives back what was taken for a call that may not pass after all. */
  refund(units: number): void
  /** Counts messages that are pushed, for limits that count them; as {@link take}, but it always takes. */
  push?(units: number): Rejection | undefined
  /** Whether nothing is lost when it is forgotten and made anew. */
  isIdle(now: number): boolean
}
