import type { CancellationSignal } from '@fairlead/http1'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { RestCall, RestResponse, RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import type { PooledUpstreamState } from '@fairlead/gateway-core/upstream/node-pools'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'

/** A call of a client that was found to follow the contract. */
export interface BeaconCall extends RestCall {
  /** Operation of the contract, or of an earlier release of it. */
  readonly operationId: string
  /** Media types of the operation that the client takes, best first; empty when the answer has no body. */
  readonly acceptable: readonly string[]
}

/** All upstreams of one node. */
export interface BeaconNodes {
  /**
   * Sends a call to the best upstream, and a repeatable one to the next when that may help; answers from the cache where the
   * answer can never change.
   *
   * @throws RestError as {@link RestUpstream.request}
   */
  forward(call: BeaconCall): Promise<RestResponse>
  /** The upstreams, best first. */
  ranked(): Promise<readonly RestUpstream[]>
}

/** The beacon upstreams of all nodes, connected to when first needed. */
export interface BeaconUpstreams {
  /** @throws RestError with status 503 when the node has no usable upstream for this protocol */
  of(grant: Grant): BeaconNodes
  /** What is known of every upstream that was used. */
  states(): readonly PooledUpstreamState[]
  /** What is known of the upstreams of a node in their order. Their health is checked for a minute from now on. */
  statesOf(grant: Grant): readonly UpstreamState[]
  /** Asks the embedded chain, when there is one, for its state; rejects when it does not answer. */
  embeddedAnswer(signal: CancellationSignal): Promise<void>
  close(): Promise<void>
}
