import { expect, vi } from 'vitest'

/**
 * Observes the timers that are started from now on, until the mocks are restored.
 *
 * @returns a function that waits until a timer of at least the given number of milliseconds has been started
 */
export function watchStartedTimers(): (minMs: number) => Promise<void> {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  return (minMs) =>
    vi.waitFor(() => expect(timers.mock.calls.some(([, ms]) => (ms ?? 0) >= minMs)).toBe(true), {
      timeout: 30_000,
      interval: 5,
    })
}
