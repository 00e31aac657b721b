import type { CancellationSignal } from '@fairlead/runtime'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import type { Identity } from '@fairlead/gateway-core/protocol/upstream-identity'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Upstream } from '../upstream/types.ts'

/** Reads the client version and the namespaces of an upstream. */
export async function readIdentity(upstream: Upstream, signal: CancellationSignal): Promise<Identity> {
  const read = async (method: string): Promise<unknown> => {
    try {
      return await upstream.call(method, [], signal)
    } catch (error) {
      // Many providers have neither method.
      if (error instanceof RpcError && error.code === rpcCodes.methodNotFound) return null
      throw error
    }
  }
  try {
    const [version, modules] = await Promise.all([read('web3_clientVersion'), read('rpc_modules')])
    return { text: JSON.stringify([version, sorted(modules)]) }
  } catch (error) {
    const isUnreachable = error instanceof UpstreamError && error.httpStatus === undefined
    return isUnreachable ? 'unreachable' : 'unknown'
  }
}

function sorted(modules: unknown): unknown {
  return typeof modules === 'object' && modules !== null
    ? Object.entries(modules).toSorted(([a], [b]) => (a < b ? -1 : 1))
    : modules
}
