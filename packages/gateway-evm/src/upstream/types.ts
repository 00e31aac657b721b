import type { CancellationSignal, Tenant } from '@fairlead/runtime'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { ResponseCompletion } from '@fairlead/gateway-core/upstream/attempt'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import type { PoolMember } from '@fairlead/gateway-core/upstream/pool-member'
import type { Connection } from '@fairlead/gateway-core/upstream/upstream'
import type { Call } from '../call.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'

/** Sends calls to one upstream, or to the pooled upstreams of a node. */
export interface Upstream {
  /**
   * Sends a call.
   *
   * @throws {@link UpstreamError} with status 502 or 504; the message never reveals the URL of the upstream
   */
  post(call: Call): Promise<UpstreamResponse>
  /**
   * As {@link post}, with a completion callback.
   *
   * @param signal - cancels the exchange, which may end before the call
   */
  send(call: Call, signal: CancellationSignal, completion: ResponseCompletion<UpstreamResponse>): void
  /**
   * Calls one method and parses its result.
   *
   * @throws {@link RpcError} with the upstream's error, or as {@link Upstream.post}
   */
  call(method: string, params: readonly unknown[], signal: CancellationSignal): Promise<unknown>
  /**
   * Calls several methods in parallel. The results are in the order of the calls. They are not sent as a JSON-RPC
   * batch, which some upstreams limit and others reject.
   */
  batch(
    calls: readonly (readonly [method: string, params: readonly unknown[]])[],
    signal: CancellationSignal,
  ): Promise<unknown[]>
  /** Reserves memory for the buffered responses of one request. Release it after they have been sent. */
  reserve(owner?: Tenant): Reservation
  /** The upstreams of the node. Undefined for a single upstream. */
  readonly list?: UpstreamList
  /** For the upstreams of one call: those of the node, which follow changes of its list. */
  readonly node?: Upstream
  /** The object that the upstream is derived from, as a key of caches; the upstream itself when undefined. */
  readonly origin?: Upstream
  /** Returns the maximum number of blocks in a query, of the upstreams that may receive it; undefined when unknown. */
  readonly rangeLimitOf?: (call: Call) => number | undefined
  /** Records that the upstream rejects queries over more blocks. Several upstreams of a node record it themselves. */
  readonly recordRangeLimit?: (method: string, blocks: number) => void
  /** Called when the upstream does not have a method that a call of this grant needs. */
  readonly onMethodMissing?: ((grant: Grant) => void) | undefined
  /** Called with the number of the latest block of a subscription. */
  readonly onHead?: ((number: number) => void) | undefined
  close(): Promise<void>
}

/** The upstreams of a node, which may change. */
export interface UpstreamList {
  /** As in the record of the node. It may contain credentials. */
  readonly text: string
  /** Number of changes. */
  readonly version: number
}

/** An upstream with its own connections. */
export type ConnectedUpstream = Upstream & Connection

/** An upstream as a member of a node's pool. */
export type PooledUpstream = PoolMember<ConnectedUpstream>
