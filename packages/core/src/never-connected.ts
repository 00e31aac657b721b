import { FairleadError } from './error.ts'

// Error texts of Node.js, Deno and Bun for a connection that was never established. EHOSTUNREACH and ENETUNREACH are
// not listed: an established connection can fail with them too.
const reasons = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|connection ?refused/i

/**
 * Returns true if a call failed before its connection was established, so that the server received no part of it.
 *
 * @param error - any thrown value
 * @example
 * ```ts
 * if (hasNeverConnected(error)) await publishThrough(nextNode)
 * ```
 */
export function hasNeverConnected(error: unknown): boolean {
  const isOfConnection =
    FairleadError.is(error, 'TRANSPORT_FAILED') || FairleadError.is(error, 'TRANSPORT_TIMEOUT')
  return isOfConnection && reasons.test(error.details.reason)
}
