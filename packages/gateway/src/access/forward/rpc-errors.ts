import { RpcFailure, rpcCodes } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { UpstreamFailure } from '@fairlead/gateway-core/upstream/upstream-error'

/** The JSON-RPC error for what a call failed with; undefined for an error that nobody expects. */
export function toRpcFailure(error: unknown): RpcFailure | undefined {
  if (error instanceof RpcFailure) return error
  if (!(error instanceof UpstreamFailure)) return undefined
  return new RpcFailure(rpcCodes.internalError, error.message, { status: error.status })
}

/** The failure for a response that is not JSON-RPC. */
export function unreadable(): UpstreamFailure {
  return new UpstreamFailure('malformed', 'The node answered something that is not JSON-RPC.')
}
