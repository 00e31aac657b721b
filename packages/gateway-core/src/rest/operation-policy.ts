import type { Idempotency } from '../upstream/idempotency.ts'
import type { CallCost } from '../usage/units.ts'

/** How the gateway treats the calls of an operation. Generated from `x-gateway` of the specification. */
export interface OperationPolicy {
  readonly cost: CallCost
  readonly resending: Idempotency
}
