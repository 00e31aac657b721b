import type { Rejection } from '@fairlead/gateway-core/admission/types'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from './rpc-codes.ts'

/** A rejection before dispatch as the error of a JSON-RPC call: -32005 for now, -32041 or -32600 for good. */
export function rejectedCall({ status, reason, data, retryAfterSeconds }: Rejection): RpcError {
  return new RpcError(codeOf(status), reason, { status, data, retryAfterSeconds })
}

function codeOf(status: number): number {
  if (status === 401) return rpcCodes.unauthorized
  return status === 429 || status === 503 ? rpcCodes.limitExceeded : rpcCodes.invalidRequest
}
