import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until a condition is true, at most for the given time.
 *
 * @param everyMs - polling interval
 */
export async function waitUntil(condition: () => boolean, ms: number, everyMs: number): Promise<void> {
  const latest = performance.now() + ms
  while (!condition() && performance.now() < latest) await sleep(everyMs)
}
