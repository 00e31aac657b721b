import type { Call } from '../../call.ts'
import type { Upstream } from '../upstream.ts'

/** Translates one difference between the specification and what nodes do. */
export interface Adapter {
  /** Only for calls that came by this address shape. */
  readonly endpoint?: '' | 'evm'
  /** Methods that it can do with: a node that has them offers the adapter's method too, whether it knows it or not. */
  readonly derivedFrom?: readonly string[]
  /**
   * Answers the call, or gives undefined to have it forwarded as it is.
   *
   * @throws RpcFailure
   */
  answer?(call: Call, params: readonly unknown[], upstream: Upstream): Promise<unknown> | undefined
  /**
   * Gives the params to forward in place of the caller's, or undefined to forward those.
   *
   * @throws RpcFailure when the call is not to be forwarded
   */
  ask?(call: Call, params: readonly unknown[], upstream: Upstream): Promise<readonly unknown[]> | undefined
  /**
   * Corrects what the node has answered to the forwarded call.
   *
   * @param result - never an error; those pass by
   * @throws RpcFailure
   */
  mend?(result: unknown, call: Call, params: readonly unknown[], upstream: Upstream): unknown
  /** Longest answer that is held and mended, in bytes; longer ones pass as they are. Without it all are mended. */
  readonly mendsUpTo?: number
  /**
   * Gives what corrects the text of a result while it passes, piece by piece; each piece ends behind a comma.
   */
  rewrite?(params: readonly unknown[]): ((text: string) => string) | undefined
}
