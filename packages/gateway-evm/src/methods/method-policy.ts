import type { Method } from '@fairlead/core'
import type { methods } from '@fairlead/evm-rpc/contract'
import type { UpstreamRole } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { Idempotency } from '@fairlead/gateway-core/upstream/idempotency'
import type { LatencyClass } from '@fairlead/gateway-core/upstream/latency'
import { type CallCost, ordinaryCost } from '@fairlead/gateway-core/usage/units'
import type { CacheRule } from '../cache/cache-rule.ts'

/** Name of a method of the specification. */
export type MethodName = keyof typeof methods

/** A method of the specification, and how the gateway treats its calls. */
export interface SpecifiedMethod {
  readonly method: Method
  readonly policy: MethodPolicy
}

/** How the gateway treats the calls of a method. Generated from `x-gateway` of the specification. */
export interface MethodPolicy {
  readonly latencyClass: LatencyClass
  readonly cost: CallCost
  /** Role of the upstreams that serve the method. `archive` applies only to calls that read an old block. */
  readonly role: UpstreamRole
  /** Where a call names the lowest block that it reads. Undefined when no param names it. */
  readonly lowestBlock: BlockPosition | undefined
  /** Where a call names the highest block that it reads. Undefined when no param names it. */
  readonly highestBlock: BlockPosition | undefined
  /** Undefined for a method whose calls are all sent to the upstream separately. */
  readonly cache: CacheRule | undefined
  readonly resending: Idempotency
  /** Whether calls create or use a filter, which only the upstream that created it has. */
  readonly filter: 'creates' | 'uses' | undefined
  /** A call without side effects that remain. `sample`: with params from the specification. Undefined if there is none. */
  readonly probe: 'sample' | ProbeCall | undefined
}

/** Policy of a method that is not in the specification. It counts as a change. */
export const unknownPolicy: MethodPolicy = {
  latencyClass: 'long',
  cost: ordinaryCost,
  role: 'full',
  lowestBlock: undefined,
  highestBlock: undefined,
  cache: undefined,
  resending: 'unseen',
  filter: undefined,
  probe: undefined,
}

/** The param, or the field of a param, that names a block. */
export interface BlockPosition {
  readonly param: number
  readonly field: string | undefined
}

/** A call of the probe with fixed params. */
export interface ProbeCall {
  /** Method to call before. */
  readonly create: string | undefined
  /** `$block` stands for the number of a block, `$created` for the result of `create`. */
  readonly params: readonly unknown[]
  /** Method that removes what `create` or else the call itself has created. */
  readonly cleanUp: string | undefined
}
