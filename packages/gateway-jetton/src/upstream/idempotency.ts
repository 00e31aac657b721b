import type { Idempotency } from '@fairlead/gateway-core/upstream/idempotency'

/**
 * Returns when a call may also be sent to another upstream. A message that is sent twice may be rejected the second
 * time.
 *
 * @param operationId - of the contract, or a JSON-RPC method
 */
export function idempotencyOf(operationId: string): Idempotency {
  return operationId.startsWith('send') ? 'unseen' : 'always'
}
