import type { Rejection } from '@fairlead/gateway-core/admission/types'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from './rpc-codes.ts'

/**
 * Converts a rejection before dispatch to a JSON-RPC error: -32005 for a temporary rejection, -32041 or -32600 for a
 * permanent one.
 */
export function rejectedCall({ status, reason, data, retryAfterSeconds }: Rejection): RpcError {
  return new RpcError(codeOf(status), reason, { status, data, retryAfterSeconds })
}

function codeOf(status: number): number {
  if (status === 401) return rpcCodes.unauthorized
  return status === 429 || status === 503 ? rpcCodes.limitExceeded : rpcCodes.invalidRequest
}
