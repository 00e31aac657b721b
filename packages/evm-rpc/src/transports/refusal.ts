import { type ErrorDetails, FairleadError } from '@fairlead/core'

/** The fields of `data` that state the reason of a rejection. */
interface RefusalData {
  readonly reason?: unknown
  readonly retry_after_ms?: unknown
}

const dataOf = ({ data }: ErrorDetails['RPC_ERROR']): RefusalData => data ?? {}

// A quota is excluded, because it does not recover soon.
const temporaryReasons: ReadonlySet<unknown> = new Set(['rate', 'busy', 'upstream busy'])

/** The delay that the node requests, in milliseconds; undefined when it requests none. */
export function retryAfterMsOf(error: unknown): number | undefined {
  if (!FairleadError.is(error, 'RPC_ERROR')) return undefined
  const delayMs = dataOf(error.details).retry_after_ms
  return typeof delayMs === 'number' && delayMs >= 0 ? delayMs : undefined
}

/**
 * Returns whether a node rejected a call unprocessed because there were too many calls, so that a later attempt may
 * succeed.
 *
 * A quota is not such a limit. For logs, -32005 means too many results, unless the error has more details.
 */
export function isRateRefusal(error: unknown, method: string): boolean {
  if (!FairleadError.is(error, 'RPC_ERROR')) return false
  const { rpcCode, status } = error.details
  const { reason } = dataOf(error.details)
  if (reason !== undefined || retryAfterMsOf(error) !== undefined)
    return reason === undefined || temporaryReasons.has(reason)
  if (status === 429 || rpcCode === 429) return true
  return rpcCode === -32005 && !/^eth_get(Filter)?Logs$/.test(method)
}

/** Returns whether an error is about the execution of the call: every node would return the same. */
export function isRevert({ rpcCode, detail }: ErrorDetails['RPC_ERROR']): boolean {
  return rpcCode === 3 || /revert/i.test(detail)
}
