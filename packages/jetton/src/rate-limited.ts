import { FairleadError } from '@fairlead/core'

/**
 * Tells whether the node refused a call because there were too many.
 *
 * @param error - anything that was thrown
 * @returns true for status 429; the client has waited and tried again by then
 * @example
 * ```ts
 * if (isRateLimited(error)) console.warn('set rateLimit')
 * ```
 * @see RFC 6585, section 4
 */
export function isRateLimited(error: unknown): error is FairleadError<'HTTP_STATUS'> {
  return FairleadError.is(error, 'HTTP_STATUS') && error.context.status === 429
}
