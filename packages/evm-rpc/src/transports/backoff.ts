/** Delays between attempts. */
export interface Backoff {
  /** Upper bound of the first delay in milliseconds; it doubles with every attempt. */
  readonly baseMs: number
  /** Upper bound of any delay in milliseconds. */
  readonly maxMs: number
}

/** A delay with full jitter, so that clients that failed together do not reconnect together. `tries` counts from 0. */
export function backoffMs(tries: number, { baseMs, maxMs }: Backoff): number {
  return Math.random() * Math.min(maxMs, baseMs * 2 ** tries)
}
