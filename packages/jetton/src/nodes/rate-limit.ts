import { createTokenBucket, requireNumber } from '@fairlead/core'

/** Request rate of a client, over all its nodes. */
export interface RateLimit {
  /** Maximum number of requests per second, on average. */
  readonly perSecond: number
  /** Maximum number of requests at once after an idle period. Default `perSecond`, rounded up. */
  readonly burst?: number | undefined
}

/** Resolves when the next request may be sent; rejects with the reason of the signal when that aborts first. */
export type AcquirePermit = (signal: AbortSignal) => Promise<void>

/**
 * Creates a rate limiter. Waiting requests are served in order; a cancelled request uses no permit.
 *
 * @throws FairleadError `CONFIG_INVALID` naming the option
 */
export function rateLimiter({ perSecond, burst = Math.ceil(perSecond) }: RateLimit): AcquirePermit {
  // From one request per day to more than a machine can send: within these bounds the arithmetic is exact enough.
  requireNumber('rateLimit.perSecond', perSecond, 1 / 86_400, 1e9)
  requireNumber('rateLimit.burst', burst, 1, 1e9)
  const bucket = createTokenBucket(perSecond, burst)
  return async (signal) => {
    signal.throwIfAborted()
    await bucket.take(1, signal)
  }
}
