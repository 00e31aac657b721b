import type { Rejection } from '../types.ts'

/** One limit of one owner, with its remaining amount. */
export interface Limit {
  /**
   * Charges a call.
   *
   * @param units - cost of the call, for limits that count units
   * @param now - current time of `performance.now()`
   * @returns undefined when the call is within the limit
   */
  take(units: number, now: number): Rejection | undefined
  /** Refunds the charge of a call that is rejected later. */
  refund(units: number): void
  /** Counts server-sent messages, for limits that count them. Same as {@link take}, but it always charges. */
  push?(units: number): Rejection | undefined
  /** Whether the state equals that of a new limit, so that it can be removed. */
  isIdle(now: number): boolean
}
