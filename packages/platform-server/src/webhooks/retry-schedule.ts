/** How long after each attempt that failed the next one is made, in milliseconds; after the last one, none is. */
export const retryDelaysMs: readonly number[] = [15_000, 60_000, 600_000, 3_600_000]

/** When to try again after so many attempts, in milliseconds since 1970; undefined for never. */
export function nextAttemptAt(attempts: number, now: number): number | undefined {
  const delay = retryDelaysMs[attempts - 1]
  return delay === undefined ? undefined : now + delay
}

/** For how long a delivery is left alone that somebody has begun to send, in milliseconds: longer than that can take. */
export const leaseMs = 30_000
