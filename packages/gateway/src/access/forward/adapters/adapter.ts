import type { Call } from '../../call.ts'
import type { Upstream } from '../upstream.ts'

/** Translates one difference between the specification and what nodes do. */
export interface Adapter {
  /** Only for calls that came by this address shape. */
  readonly endpoint?: '' | 'evm'
  /**
   * Answers the call, or returns undefined to have it forwarded as it is.
   *
   * @throws RpcFailure
   */
  answer(call: Call, params: readonly unknown[], upstream: Upstream): Promise<unknown> | undefined
}
