import { vi } from 'vitest'

/** Waits until a check neither throws nor says false; after twenty seconds the test fails with what it threw last. */
export function waitFor(check: () => unknown): Promise<void> {
  return vi.waitFor(
    async () => {
      if ((await check()) === false) throw new Error('The check still says false.')
    },
    { timeout: 20_000, interval: 20 },
  )
}
