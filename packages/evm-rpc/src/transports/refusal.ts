import { type ErrorContext, FairleadError } from '@fairlead/core'

/** The fields of `data` by which a refusal explains itself. */
interface RefusalData {
  readonly reason?: unknown
  readonly retry_after_ms?: unknown
}

const dataOf = ({ data }: ErrorContext['RPC_ERROR']): RefusalData => data ?? {}

// A quota does not pass soon.
const passing: ReadonlySet<unknown> = new Set(['rate', 'busy', 'upstream busy'])

/** How long the node asks to wait; nothing when it does not say. */
export function askedPauseMs(error: unknown): number | undefined {
  if (!FairleadError.is(error, 'RPC_ERROR')) return undefined
  const asked = dataOf(error.context).retry_after_ms
  return typeof asked === 'number' && asked >= 0 ? asked : undefined
}

/**
 * Tells whether a node refused a call before doing anything, because there were too many: later it may do it.
 *
 * A quota is not such a limit. For logs, -32005 says that there are too many of them, unless it says more.
 */
export function isRateRefusal(error: unknown, method: string): boolean {
  if (!FairleadError.is(error, 'RPC_ERROR')) return false
  const { rpcCode, status } = error.context
  const { reason } = dataOf(error.context)
  if (reason !== undefined || askedPauseMs(error) !== undefined)
    return reason === undefined || passing.has(reason)
  if (status === 429 || rpcCode === 429) return true
  return rpcCode === -32005 && !/^eth_get(Filter)?Logs$/.test(method)
}

/** Tells whether an error is about what the call does when it is executed: every node would say the same. */
export function isRevert({ rpcCode, detail }: ErrorContext['RPC_ERROR']): boolean {
  return rpcCode === 3 || /revert/i.test(detail)
}
