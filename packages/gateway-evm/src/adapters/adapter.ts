import type { ClientCall } from '../client-call.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import type { RpcResponse } from '../response/rpc-response.ts'
import type { Upstream } from '../upstream/types.ts'

/** Context for an adapter that assembles a response from chunks. */
export interface ChunkContext {
  readonly upstream: Upstream
  /** Maximum number of blocks in one log query to the upstream. 0 = unlimited. */
  readonly upstreamLogRange: number
  /** Memory reservation for the chunks. */
  readonly reservation: Reservation
  /** Sends the full request. */
  readonly sendFull: () => Promise<RpcResponse | UpstreamResponse>
  /**
   * Requests one chunk. The response may come from the cache.
   *
   * @param params - replace the caller's params
   * @param minBlock - number of a block that the upstream must have to serve the chunk, if it is known
   */
  readonly sendChunk: (params: readonly unknown[], minBlock: number | undefined) => Promise<RpcResponse>
}

/** Translates one difference between the specification and the behavior of upstreams. */
export interface Adapter {
  /** Restricts the adapter to calls on this URL path suffix. */
  readonly endpoint?: '' | 'evm'
  /**
   * Methods from which the adapter can derive its result. A node whose upstreams have all of them offers the adapter's
   * method too, whether or not an upstream implements it.
   */
  readonly derivedFrom?: readonly string[]
  /**
   * Handles the call, or returns undefined to forward it unchanged.
   *
   * @throws RpcError
   */
  handle?(call: ClientCall, params: readonly unknown[], upstream: Upstream): Promise<unknown> | undefined
  /**
   * Returns the params to forward in place of the caller's, or undefined to forward the caller's params.
   *
   * @throws RpcError when the call must not be forwarded
   */
  transformParams?(
    call: ClientCall,
    params: readonly unknown[],
    upstream: Upstream,
  ): Promise<readonly unknown[]> | undefined
  /**
   * Assembles the response from several upstream responses when a single call is too large for the upstream. Returns
   * undefined to forward the call unchanged.
   *
   * @param params - the params to forward, as returned by `transformParams`
   * @throws RpcError
   */
  gather?(
    call: ClientCall,
    params: readonly unknown[],
    context: ChunkContext,
  ): Promise<RpcResponse | UpstreamResponse | undefined>
  /**
   * Transforms the result that the upstream returns for the forwarded call.
   *
   * @param result - never an error; errors are not transformed
   * @throws RpcError
   */
  transformResult?(result: unknown, call: ClientCall, params: readonly unknown[], upstream: Upstream): unknown
  /**
   * Maximum size of a response that is buffered and transformed, in bytes. Larger responses pass through unchanged.
   * Without it, all responses are transformed.
   */
  readonly transformUpTo?: number
  /**
   * Returns a function that transforms the text of a result while it streams, piece by piece. Each piece ends after a
   * comma.
   */
  rewrite?(params: readonly unknown[]): ((text: string) => string) | undefined
}
