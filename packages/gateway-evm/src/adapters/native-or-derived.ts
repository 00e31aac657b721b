import type { CancellationSignal } from '@fairlead/http1'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Upstream } from '../upstream/types.ts'

// A node may be replaced by a newer one at the same address.
const rememberedMs = 10 * 60_000

/** When each node said of a method that it does not have it. */
const lacking = new WeakMap<Upstream, Map<string, number>>()

/** What is to be called, and under which signal. */
export interface NativeCall {
  readonly upstream: Upstream
  readonly method: string
  readonly params: readonly unknown[]
  readonly signal: CancellationSignal
}

/**
 * Asks the node for a method, or does without when the node does not have it. A node is not asked again for some
 * minutes after it said so.
 *
 * @param call - what to ask the node
 * @param derive - puts the answer together from other methods
 * @throws {@link RpcError}
 */
export async function nativeOrDerived(
  { upstream, method, params, signal }: NativeCall,
  derive: () => Promise<unknown>,
): Promise<unknown> {
  const known = lacking.get(upstream) ?? new Map<string, number>()
  if (performance.now() - (known.get(method) ?? -Infinity) < rememberedMs) return derive()
  try {
    return await upstream.call(method, params, signal)
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== rpcCodes.methodNotFound) throw error
    lacking.set(upstream, known.set(method, performance.now()))
    return derive()
  }
}
