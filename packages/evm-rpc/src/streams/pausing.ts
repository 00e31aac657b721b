import { FairleadError, isRetryable, pause } from '@fairlead/core'
import { backoffMs } from '../transports/backoff.ts'
import { isRateRefusal } from '../transports/refusal.ts'

const backoff = { baseMs: 200, maxMs: 5_000 }

/** Waits before a retry after this many consecutive failures, counted from 1. */
export function pauseAfter(failures: number, signal: AbortSignal): Promise<void> {
  return pause(backoffMs(failures - 1, backoff), signal)
}

// One URL may lead to several nodes, and a node that lags does not have a block yet that another one has announced.
const lagging = /unknown block|(?:header|block) (?:is )?not (?:found|available)|could not be found/i
const throttled = /rate.?limit|too many requests|per second|compute units|throughput|try again later|throttl/i

/** Returns whether a node limits the rate of calls, rather than the size of one call. */
export function isThrottled(error: unknown): boolean {
  if (!FairleadError.is(error, 'RPC_ERROR')) return false
  const { operation, detail, status } = error.details
  return status === 429 || isRateRefusal(error, operation) || throttled.test(detail)
}

/** Returns whether a node does not have a block (yet). */
export function isUnknownBlock(error: unknown): boolean {
  if (!FairleadError.is(error, 'RPC_ERROR')) return false
  return [-32_001, -39_001].includes(error.details.rpcCode) || lagging.test(error.details.detail)
}

/** Returns whether a stream should retry after this error. */
export function isTemporary(error: unknown): boolean {
  return isRetryable(error) || isThrottled(error) || isUnknownBlock(error)
}

/** Retries a call with increasing delays, as long as the failure may be temporary. */
export async function withRetries<result>(
  call: () => Promise<result>,
  retries = 10,
  signal: AbortSignal,
  shouldRetry: (error: unknown) => boolean = isTemporary,
): Promise<result> {
  for (let failures = 1; ; failures++) {
    try {
      return await call()
    } catch (error) {
      if (signal.aborted || failures > retries || !shouldRetry(error)) throw error
      await pauseAfter(failures, signal)
    }
  }
}
