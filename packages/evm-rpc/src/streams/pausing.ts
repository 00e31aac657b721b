import { FairleadError, isRetryable, pause } from '@fairlead/core'
import { backoffMs } from '../transports/backoff.ts'

const backoff = { baseMs: 200, maxMs: 5_000 }

/** Waits before something is tried again that has failed so many times in a row, counted from 1. */
export function pauseAfter(failures: number, signal: AbortSignal): Promise<void> {
  return pause(backoffMs(failures - 1, backoff), signal)
}

// Behind one address there may be several nodes, and one that lags does not know yet what another one has announced.
const lagging = /unknown block|(?:header|block) (?:is )?not (?:found|available)|could not be found/i
const throttled = /rate.?limit|too many requests|per second|compute units|throughput|try again later|throttl/i

/** Tells whether a node asks to be called less often, rather than for less at a time. */
export function isThrottled(error: unknown): boolean {
  if (!FairleadError.is(error, 'RPC_ERROR')) return false
  const { rpcCode, detail, status } = error.context
  return rpcCode === 429 || status === 429 || throttled.test(detail)
}

/** Tells whether a node does not know a block (yet). */
export function isUnknownBlock(error: unknown): boolean {
  if (!FairleadError.is(error, 'RPC_ERROR')) return false
  return [-32_001, -39_001].includes(error.context.rpcCode) || lagging.test(error.context.detail)
}

/** Tells whether a stream should ask again before it gives up. */
export function isPassing(error: unknown): boolean {
  return isRetryable(error) || isThrottled(error) || isUnknownBlock(error)
}

/** Calls again, with growing pauses, as long as the failure may pass. */
export async function persistently<result>(
  call: () => Promise<result>,
  retries = 10,
  signal: AbortSignal,
  mayPass: (error: unknown) => boolean = isPassing,
): Promise<result> {
  for (let failures = 1; ; failures++) {
    try {
      return await call()
    } catch (error) {
      if (signal.aborted || failures > retries || !mayPass(error)) throw error
      await pauseAfter(failures, signal)
    }
  }
}
