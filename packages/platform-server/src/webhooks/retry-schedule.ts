/**
 * Delay between each failed attempt and the next one, in milliseconds; the attempt after the last delay is the last.
 */
export const retryDelaysMs: readonly number[] = [15_000, 60_000, 600_000, 3_600_000]

/** Returns the time of the next attempt after a number of attempts, in milliseconds since 1970; undefined for none. */
export function nextAttemptAt(attempts: number, now: number): number | undefined {
  const delay = retryDelaysMs[attempts - 1]
  return delay === undefined ? undefined : now + delay
}

/** Lease of a delivery in progress, in milliseconds; longer than any attempt can take. */
export const leaseMs = 30_000
