import { type CancellationSignal, guardedTimeout } from '@fairlead/http1'
import { unavailable, UpstreamBusyError } from './upstream-error.ts'
import type { RateBudget } from './rate-budget.ts'

// Whoever waits longer is better told to come again.
const longestWaitMs = 1_000

/**
 * Takes the next place among the calls that an upstream takes in a second.
 *
 * @param signal - what the call runs under
 * @returns what to wait for; undefined when the call may go at once. It rejects with
 * {@link UpstreamBusyError} when the wait would be too long, or with {@link UpstreamError} when the call ends meanwhile
 */
export function takeSlot(rate: RateBudget, signal: CancellationSignal): Promise<void> | undefined {
  const { waitMs } = rate
  if (waitMs > longestWaitMs) return Promise.reject(new UpstreamBusyError(waitMs))
  rate.take()
  return waitMs > 0 ? waited(waitMs, signal) : undefined
}

function waited(ms: number, signal: CancellationSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(unavailable(undefined, signal))
    }
    const timer = guardedTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
