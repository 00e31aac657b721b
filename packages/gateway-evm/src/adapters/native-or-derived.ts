import type { CancellationSignal } from '@fairlead/runtime'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Upstream } from '../upstream/types.ts'

// An upstream may be replaced by a newer version at the same URL.
const missingTtlMs = 10 * 60_000

/** Time at which each upstream reported a method as not found, by upstream and method. */
const missingMethods = new WeakMap<Upstream, Map<string, number>>()

/** The call to send, and its cancellation signal. */
export interface NativeCall {
  readonly upstream: Upstream
  readonly method: string
  readonly params: readonly unknown[]
  readonly signal: CancellationSignal
}

/**
 * Calls a method on the upstream, or derives the result when the upstream does not have the method. After a "method not
 * found" error, the method is not called on this upstream for some minutes.
 *
 * @param call - call to send to the upstream
 * @param derive - derives the result from other methods
 * @throws {@link RpcError}
 */
export async function nativeOrDerived(
  { upstream, method, params, signal }: NativeCall,
  derive: () => Promise<unknown>,
): Promise<unknown> {
  const { origin = upstream } = upstream
  const missingAt = missingMethods.get(origin) ?? new Map<string, number>()
  if (performance.now() - (missingAt.get(method) ?? -Infinity) < missingTtlMs) return derive()
  try {
    return await upstream.call(method, params, signal)
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== rpcCodes.methodNotFound) throw error
    missingMethods.set(origin, missingAt.set(method, performance.now()))
    return derive()
  }
}
