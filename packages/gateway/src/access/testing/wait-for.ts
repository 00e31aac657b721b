import { vi } from 'vitest'

/** Waits until a check no longer throws; what it throws after twenty seconds fails the test. */
export function waitFor(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 20_000, interval: 20 })
}
