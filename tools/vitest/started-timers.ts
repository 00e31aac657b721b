import { expect, onTestFinished, vi } from 'vitest'
import { waitWithoutTimers } from './wait-for.ts'

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

/**
 * Replaces `setTimeout` by a fake until the running test ends.
 *
 * @returns a function that waits until a number of timers of the given milliseconds have been started
 */
export function fakeTimeouts(): (ms: number, count: number) => Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const started: unknown[] = []
  // Not a spy: it would restore the fake after the test.
  globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
    apply(fake, self, values: Parameters<typeof setTimeout>) {
      started.push(values[1])
      return Reflect.apply<typeof globalThis, typeof values, NodeJS.Timeout>(fake, self, values)
    },
  })
  return (ms, count) => waitWithoutTimers(() => started.filter((delay) => delay === ms).length >= count)
}
