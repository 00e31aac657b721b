import type { ReconnectOptions } from './options.ts'

/** The time without anything new: it spans calls that begin well and then end. */
export interface Outage {
  /** Counts a call that failed; gives how many those are. */
  fail(): number
  /** How long to wait now, in milliseconds. */
  delayMs(): number
  /** Something new has come. */
  end(): void
  /** Since when, by the clock of `performance.now()`; undefined while there is none. */
  readonly since: number | undefined
}

export function createOutage({ initialMs = 100, maxMs = 30_000 }: ReconnectOptions = {}): Outage {
  let failures = 0
  let since: number | undefined
  return {
    fail() {
      since ??= performance.now()
      return ++failures
    },
    delayMs() {
      return Math.random() * Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 30))
    },
    end() {
      failures = 0
      since = undefined
    },
    get since() {
      return since
    },
  }
}
