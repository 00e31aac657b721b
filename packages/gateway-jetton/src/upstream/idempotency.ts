import type { Idempotency } from '@fairlead/gateway-core/upstream/idempotency'

/**
 * When a call may be sent to another upstream as well. What sends a message may be refused where it comes a second time.
 *
 * @param operationId - of the contract, or a method of JSON-RPC
 */
export function idempotencyOf(operationId: string): Idempotency {
  return operationId.startsWith('send') ? 'unseen' : 'always'
}
