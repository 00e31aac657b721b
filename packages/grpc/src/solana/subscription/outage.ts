import type { ReconnectOptions } from './options.ts'

/** The time without a new update, including calls that begin successfully and then end. */
export interface Outage {
  /** Records a failed call; returns the number of failed calls. */
  fail(): number
  /** The next delay, in milliseconds. */
  delayMs(): number
  /** A new update has arrived. */
  end(): void
  /** Start time, by the clock of `performance.now()`; undefined while there is no outage. */
  readonly startedAt: number | undefined
}

export function createOutage({ initialMs = 100, maxMs = 30_000 }: ReconnectOptions = {}): Outage {
  let failures = 0
  let startedAt: number | undefined
  return {
    fail() {
      startedAt ??= performance.now()
      return ++failures
    },
    delayMs() {
      return Math.random() * Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 30))
    },
    end() {
      failures = 0
      startedAt = undefined
    },
    get startedAt() {
      return startedAt
    },
  }
}
