/** A pause with full jitter, so that clients that failed together do not come back together. `tries` counts from 0. */
export function backoffMs(tries: number, baseMs: number, maxMs: number): number {
  return Math.random() * Math.min(maxMs, baseMs * 2 ** tries)
}
