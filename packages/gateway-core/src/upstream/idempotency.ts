import type { UpstreamError } from './upstream-error.ts'

/**
 * When a call may also be sent to another upstream. `always`: for calls that only read. `same bytes`: for a signed
 * transaction, which the chain executes only once however often it is sent. `unseen`: only if no upstream has received
 * the call.
 */
export type Idempotency = 'always' | 'same bytes' | 'unseen'

/** Whether a failed call may be sent to another upstream. */
export function mayResend(resending: Idempotency, { kind, httpStatus }: UpstreamError): boolean {
  if (kind === 'aborted') return false
  if (kind === 'connect_failed' || httpStatus === 429) return true
  return resending !== 'unseen'
}
