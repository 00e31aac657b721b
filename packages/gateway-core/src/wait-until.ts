import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until a condition holds, at most for the given time.
 *
 * @param everyMs - how often to look
 */
export async function waitUntil(holds: () => boolean, ms: number, everyMs: number): Promise<void> {
  const latest = performance.now() + ms
  while (!holds() && performance.now() < latest) await sleep(everyMs)
}
