import type { Refusal } from '../admit/admission.ts'
import { RpcFailure, rpcCodes } from './rpc-failure.ts'

/** A refusal of the stations before the node as the error of a JSON-RPC call: -32005 for now, -32600 for good. */
export function refusedCall({ status, reason, data, retryAfterSeconds }: Refusal): RpcFailure {
  const code = status === 429 || status === 503 ? rpcCodes.limitExceeded : rpcCodes.invalidRequest
  return new RpcFailure(code, reason, { status, data, retryAfterSeconds })
}
