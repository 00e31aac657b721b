import type { UpstreamError } from './upstream-error.ts'

/**
 * When a call may be sent to another upstream as well: `always`, as for what only reads; `same bytes`, for a signed
 * transaction, which the chain takes once however often it comes; `unseen`, when no upstream has seen it.
 */
export type Idempotency = 'always' | 'same bytes' | 'unseen'

/** Whether a failed call may be sent to another upstream. */
export function mayResend(resending: Idempotency, { kind, httpStatus }: UpstreamError): boolean {
  if (kind === 'aborted') return false
  if (kind === 'unconnected' || httpStatus === 429) return true
  return resending !== 'unseen'
}
