import { setImmediate as nextTick } from 'node:timers/promises'
import { vi } from 'vitest'

/**
 * Lets the event loop process data that has arrived at the sockets of this process.
 *
 * @param hops - number of hops between sockets, for forwarded bytes
 */
export async function processSocketData(hops = 1): Promise<void> {
  for (let hop = 0; hop < hops; hop += 1) await nextTick()
}

/** Waits until a check returns true, without a timer: fake timers do not advance, in contrast to {@link waitFor}. */
export async function waitWithoutTimers(check: () => boolean): Promise<void> {
  const deadline = performance.now() + 50_000
  while (!check()) {
    if (performance.now() > deadline) throw new Error('The check still returns false.')
    await nextTick()
  }
}

/** Waits until a check neither throws nor returns false. After fifty seconds, the test fails with the last error. */
export function waitFor(check: () => unknown): Promise<void> {
  return vi.waitFor(
    async () => {
      if ((await check()) === false) throw new Error('The check still returns false.')
    },
    { timeout: 50_000, interval: 20 },
  )
}
