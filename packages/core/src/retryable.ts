import type { ErrorDetails } from './error-details.ts'
import { FairleadError } from './error.ts'
import { sendsTransaction } from './sends-transaction.ts'

/**
 * Returns whether the same HTTP request may succeed when it is sent again.
 *
 * @param status - HTTP status code
 * @returns true for 408, 429, 502, 503 and 504
 * @example
 * ```ts
 * isRetryableStatus(429) // true
 * ```
 * @see RFC 9110, section 15; RFC 6585, section 4
 */
export function isRetryableStatus(status: number): boolean {
  return [408, 429, 502, 503, 504].includes(status)
}

/**
 * Returns whether an error may be temporary, derived from its code and status.
 *
 * @param error - any thrown value
 * @returns true for timeouts, broken connections, the statuses of {@link isRetryableStatus}, and calls rejected because
 *   of a rate limit; false for a call that may have sent a transaction: look up the transaction first
 * @example
 * ```ts
 * if (isRetryable(error)) queue.push(job)
 * ```
 */
export function isRetryable(error: unknown): boolean {
  if (!FairleadError.is(error)) return false
  if (FairleadError.is(error, 'HTTP_STATUS')) return isRetryableStatus(error.details.status)
  if (FairleadError.is(error, 'RPC_ERROR')) {
    return isRetryableStatus(error.details.status) || isRefusedForNow(error.details)
  }
  if (FairleadError.is(error, 'GRPC_STATUS')) return isRetryableGrpc(error.details)
  return (
    (FairleadError.is(error, 'TRANSPORT_TIMEOUT') || FairleadError.is(error, 'TRANSPORT_FAILED')) &&
    (error.details.attempt === 0 || !sendsTransaction(error.details.operation))
  )
}

const temporaryReasons = /^(rate|(upstream )?busy)$/

// These methods return the same code when a query has too many results.
const logQueries = /^(?:eth|erigon)_get(?:Filter)?Logs/

/**
 * Whether a node rejected a call unprocessed because there were too many calls. Over a WebSocket or in a batch no HTTP
 * status reports this.
 */
function isRefusedForNow({ rpcCode, operation, data }: ErrorDetails['RPC_ERROR']): boolean {
  const { reason, retry_after_ms: waitMs } = (data ?? {}) as { reason?: string; retry_after_ms?: number }
  if (reason !== undefined) return temporaryReasons.test(reason)
  return typeof waitMs === 'number' || rpcCode === 429 || (rpcCode === -32005 && !logQueries.test(operation))
}

/** UNAVAILABLE, or RESOURCE_EXHAUSTED when the server sends a retry delay (gRPC proposal A6). */
function isRetryableGrpc({ status, metadata }: ErrorDetails['GRPC_STATUS']): boolean {
  return status === 14 || (status === 8 && /^\d+$/.test(String(metadata?.['grpc-retry-pushback-ms'])))
}
