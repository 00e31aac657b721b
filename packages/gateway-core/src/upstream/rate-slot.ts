import { type CancellationSignal, guardedTimeout } from '@fairlead/http1'
import { RpcFailure, rpcCodes } from '../json-rpc/rpc-error.ts'
import { unavailable } from './upstream-error.ts'
import type { CallRate } from './rate-budget.ts'

// Whoever waits longer is better told to come again.
const longestWaitMs = 1_000

/**
 * Takes the next place among the calls that an upstream takes in a second.
 *
 * @param signal - what the call runs under
 * @returns what to wait for; undefined when the call may go at once. It rejects with {@link RpcFailure} -32005 when the
 * wait would be too long, or as `Upstream.post` when the call ends meanwhile
 */
export function takeTurn(rate: CallRate, signal: CancellationSignal): Promise<void> | undefined {
  const { waitMs } = rate
  if (waitMs > longestWaitMs) return Promise.reject(busy(waitMs))
  rate.take()
  return waitMs > 0 ? waited(waitMs, signal) : undefined
}

function busy(waitMs: number): RpcFailure {
  return new RpcFailure(rpcCodes.limitExceeded, 'The nodes take no more calls at the moment.', {
    status: 429,
    data: { reason: 'upstream busy', retry_after_ms: Math.ceil(waitMs) },
    retryAfterSeconds: Math.min(60, Math.ceil(waitMs / 1_000)),
  })
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
