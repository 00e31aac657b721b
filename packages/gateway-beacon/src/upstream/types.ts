import type { CancellationSignal } from '@fairlead/runtime'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { RestCall, RestResponse, RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import type { PooledUpstreamState } from '@fairlead/gateway-core/upstream/node-pools'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import type { ResolvedOperation } from '../operations/operations.ts'

/** A call of a client that conforms to the contract. */
export interface BeaconCall extends RestCall {
  /** Operation of the contract, or of an earlier release of it. */
  readonly operation: ResolvedOperation
}

/** All upstreams of one node. */
export interface NodeUpstreams {
  /**
   * Sends a call to the best upstream, and a repeatable call to the next one when that may help. Uses the cache for
   * responses that can never change.
   *
   * @throws RestError as {@link RestUpstream.request}
   */
  forward(call: BeaconCall): Promise<RestResponse>
  /** The upstreams of the current list that may receive calls, best first. */
  ranked(): Promise<readonly RestUpstream[]>
  /** Whether an upstream is one of them, possibly cordoned. */
  includes(upstream: RestUpstream): boolean
  /** Whether an upstream is one of them and may receive calls. */
  uses(upstream: RestUpstream): boolean
  /** Identifies these upstreams within the process. */
  readonly id: number
}

/** The beacon upstreams of all nodes, connected on first use. */
export interface BeaconUpstreams {
  /** @throws RestError with status 503 when the node has no usable upstream for this protocol */
  of(grant: Grant): NodeUpstreams
  /** State of every upstream that was used. */
  states(): readonly PooledUpstreamState[]
  /** States of the upstreams of a node, in their order. Their health is checked for one minute from now on. */
  statesOf(grant: Grant): readonly UpstreamState[]
  /** Queries the embedded chain, if there is one, for its state; rejects when it does not respond. */
  checkEmbedded(signal: CancellationSignal): Promise<void>
  close(): Promise<void>
}
