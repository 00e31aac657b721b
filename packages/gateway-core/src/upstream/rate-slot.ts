import { type CancellationSignal, guardedTimeout } from '@fairlead/runtime'
import { unavailable, UpstreamBusyError } from './upstream-error.ts'
import type { RateBudget } from './rate-budget.ts'

// A call that would have to wait longer is rejected with a time for a retry.
const maxWaitMs = 1_000

/**
 * Reserves the next slot in the rate limit of an upstream.
 *
 * @param signal - cancellation signal of the call
 * @returns a promise to wait for; undefined when the call can be sent at once. It rejects with
 * {@link UpstreamBusyError} when the wait would be too long, or with {@link UpstreamError} when the call is cancelled
 * meanwhile.
 */
export function takeSlot(rate: RateBudget, signal: CancellationSignal): Promise<void> | undefined {
  const { waitMs } = rate
  if (waitMs > maxWaitMs) return Promise.reject(new UpstreamBusyError(waitMs))
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
