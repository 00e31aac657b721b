import { FairleadError } from '@fairlead/core'

/**
 * Returns whether the node rejected a call because of a rate limit.
 *
 * @param error - any thrown value
 * @returns true for status 429, after the client has waited and retried
 * @example
 * ```ts
 * if (isRateLimited(error)) console.warn('set rateLimit')
 * ```
 * @see RFC 6585, section 4
 */
export function isRateLimited(error: unknown): error is FairleadError<'HTTP_STATUS'> {
  return FairleadError.is(error, 'HTTP_STATUS') && error.details.status === 429
}
