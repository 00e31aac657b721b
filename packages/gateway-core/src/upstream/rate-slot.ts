import { type CancellationSignal, guardedTimeout, type Tenant } from '@fairlead/runtime'
import { unavailable, UpstreamBusyError } from './upstream-error.ts'
import { maxWaitMs, type RateBudget } from './rate-budget.ts'

/**
 * Reserves a slot in the rate limit of an upstream. Organizations share the slots of the next second, and get them in
 * turn.
 *
 * @param tenant - the client; undefined for calls of the gateway itself
 * @param signal - cancellation signal of the call
 * @returns a promise to wait for; undefined when the call can be sent at once. It rejects with
 * {@link UpstreamBusyError} when the wait would be too long, or with {@link UpstreamError} when the call is cancelled
 * meanwhile.
 */
export function takeSlot(
  rate: RateBudget,
  tenant: Tenant | undefined,
  signal: CancellationSignal,
): Promise<void> | undefined {
  const { waitMs } = rate
  if (waitMs > maxWaitMs) return Promise.reject(new UpstreamBusyError(waitMs))
  if (waitMs > 0) return waited(rate, waitMs, tenant, signal)
  rate.take()
  return undefined
}

function waited(
  rate: RateBudget,
  waitMs: number,
  tenant: Tenant | undefined,
  signal: CancellationSignal,
): Promise<void> {
  const { places, queue } = rate
  const place = places?.take(tenant, 1)
  if (places && !place) return Promise.reject(new UpstreamBusyError(waitMs))
  rate.take()
  // Every waiting call reserves a slot. The call whose turn it is then gets that slot.
  guardedTimeout(() => queue.shift()?.(), waitMs)
  return new Promise((resolve, reject) => {
    const leave = () => {
      signal.removeEventListener('abort', onAbort)
      if (place) places?.give(place, 1)
    }
    const queued = queue.push(tenant, () => {
      leave()
      resolve()
    })
    const onAbort = () => {
      queued.remove()
      leave()
      reject(unavailable(undefined, signal))
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}
