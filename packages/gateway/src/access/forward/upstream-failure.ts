import { RpcFailure, rpcCodes } from '../json-rpc/rpc-failure.ts'

/** The failure for an exchange that came to no end; the cause is dropped, as it may say where the node is. */
export function unavailable(error: unknown, signal: AbortSignal): RpcFailure {
  const cause: unknown = signal.aborted ? signal.reason : error
  return cause instanceof Error && cause.name.includes('Timeout')
    ? new RpcFailure(rpcCodes.internalError, 'The node did not answer in time.', { status: 504 })
    : new RpcFailure(rpcCodes.internalError, 'The node cannot be reached.', { status: 502 })
}

/** The failure for an answer that makes no sense. */
export function unreadable(): RpcFailure {
  return new RpcFailure(rpcCodes.internalError, 'The node answered something that is not JSON-RPC.', {
    status: 502,
  })
}
