/** How long to wait before trying again. */
export interface Backoff {
  /** Upper end of the first pause in milliseconds; it doubles with every try. */
  readonly baseMs: number
  /** Upper end of any pause in milliseconds. */
  readonly maxMs: number
}

/** A pause with full jitter, so that clients that failed together do not come back together. `tries` counts from 0. */
export function backoffMs(tries: number, { baseMs, maxMs }: Backoff): number {
  return Math.random() * Math.min(maxMs, baseMs * 2 ** tries)
}
