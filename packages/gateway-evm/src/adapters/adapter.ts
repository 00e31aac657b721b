import type { Call } from '../rpc-call.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-budget'
import type { UpstreamResponse } from '../upstream/upstream-response.ts'
import type { RpcResponse } from '../rpc-response.ts'
import type { Upstream } from '../upstream/types.ts'

/** How an adapter asks for parts of an answer. */
export interface PartAsking {
  readonly upstream: Upstream
  /** Holds the parts. */
  readonly reservation: Reservation
  /** Asks for all at once. */
  whole(): Promise<RpcResponse | UpstreamResponse>
  /**
   * Asks for a part; the answer may be one that was kept.
   *
   * @param params - in place of the caller's
   * @param minBlock - number of a block that the node has to have for it
   */
  part(params: readonly unknown[], minBlock: number): Promise<RpcResponse>
}

/** Translates one difference between the specification and what nodes do. */
export interface Adapter {
  /** Only for calls that came by this address shape. */
  readonly endpoint?: '' | 'evm'
  /** Methods that it can do with: a node that has them offers the adapter's method too, whether it knows it or not. */
  readonly derivedFrom?: readonly string[]
  /**
   * Answers the call, or gives undefined to have it forwarded as it is.
   *
   * @throws RpcError
   */
  answer?(call: Call, params: readonly unknown[], upstream: Upstream): Promise<unknown> | undefined
  /**
   * Gives the params to forward in place of the caller's, or undefined to forward those.
   *
   * @throws RpcError when the call is not to be forwarded
   */
  ask?(call: Call, params: readonly unknown[], upstream: Upstream): Promise<readonly unknown[]> | undefined
  /**
   * Puts the answer together from several answers of the node where one call is too much for it; gives undefined to
   * have the call forwarded as it is.
   *
   * @param params - those to forward, as `ask` has given them
   * @throws RpcError
   */
  gather?(
    call: Call,
    params: readonly unknown[],
    asking: PartAsking,
  ): Promise<RpcResponse | UpstreamResponse | undefined>
  /**
   * Corrects what the node has answered to the forwarded call.
   *
   * @param result - never an error; those pass by
   * @throws RpcError
   */
  mend?(result: unknown, call: Call, params: readonly unknown[], upstream: Upstream): unknown
  /** Longest answer that is held and mended, in bytes; longer ones pass as they are. Without it all are mended. */
  readonly mendsUpTo?: number
  /**
   * Gives what corrects the text of a result while it passes, piece by piece; each piece ends behind a comma.
   */
  rewrite?(params: readonly unknown[]): ((text: string) => string) | undefined
}
