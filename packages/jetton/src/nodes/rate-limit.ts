import { createTokenBucket, requireNumber } from '@fairlead/core'

/** How often a client sends, whichever node it sends to. */
export interface RateLimit {
  /** How many requests may be sent in a second, on average. */
  readonly perSecond: number
  /** How many may be sent at once after a quiet time. Default `perSecond`, rounded up. */
  readonly burst?: number | undefined
}

/** Resolves when the next request may be sent; rejects with the reason of the signal when that aborts first. */
export type Turn = (signal: AbortSignal) => Promise<void>

/**
 * Makes the turns of a rate limit. Those who wait get theirs in the order in which they came; one who leaves takes none.
 *
 * @throws FairleadError `CONFIG_INVALID` naming the option
 */
export function rateLimiter({ perSecond, burst = Math.ceil(perSecond) }: RateLimit): Turn {
  // One in a day, and more than a machine can send: within them the arithmetic is exact enough.
  requireNumber('rateLimit.perSecond', perSecond, 1 / 86_400, 1e9)
  requireNumber('rateLimit.burst', burst, 1, 1e9)
  const bucket = createTokenBucket(perSecond, burst)
  return async (signal) => {
    signal.throwIfAborted()
    await bucket.take(1, signal)
  }
}
