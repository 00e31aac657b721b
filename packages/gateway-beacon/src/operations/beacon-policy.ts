import type { OperationPolicy } from '@fairlead/gateway-core/rest/operation-policy'

/** How the gateway treats the calls of an operation. */
export interface BeaconPolicy extends OperationPolicy {
  /** Which responses are cacheable. Undefined for an operation whose responses may change. */
  readonly cache: ResourceCache | undefined
}

/**
 * `constant`: the same for the whole chain. `resource`: belongs to the block or state that a path parameter identifies,
 * and is cacheable once it is finalized.
 */
export interface ResourceCache {
  readonly kind: 'constant' | 'resource'
  /** The path parameter of a `resource`. */
  readonly param: string | undefined
}
