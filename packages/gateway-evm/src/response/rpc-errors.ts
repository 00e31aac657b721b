import { retryAfterSeconds } from '@fairlead/gateway-core/admission/rejections'
import { MemoryLimitError } from '@fairlead/gateway-core/memory/memory-ledger'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import {
  toUpstreamError,
  UpstreamBusyError,
  UpstreamError,
} from '@fairlead/gateway-core/upstream/upstream-error'
import { rpcCodes } from '../rpc-codes.ts'

/** The members of an error object, of any type. */
export interface ErrorObject {
  readonly code?: unknown
  readonly message?: unknown
  readonly data?: unknown
}

/** Converts the error of a failed call to a JSON-RPC error. Returns undefined for an unexpected error. */
export function toRpcError(error: unknown): RpcError | undefined {
  if (error instanceof RpcError) return error
  const upstreamError = toUpstreamError(error)
  if (upstreamError) {
    return new RpcError(rpcCodes.internalError, upstreamError.message, { status: upstreamError.status })
  }
  if (error instanceof MemoryLimitError) {
    return new RpcError(rpcCodes.limitExceeded, error.message, {
      status: error.limit === 'request' ? 200 : 503,
    })
  }
  if (error instanceof UpstreamBusyError) {
    const { message, retryAfterMs } = error
    return new RpcError(rpcCodes.limitExceeded, message, {
      status: 429,
      data: { reason: 'upstream busy', retry_after_ms: Math.max(1, Math.ceil(retryAfterMs)) },
      retryAfterSeconds: retryAfterSeconds(retryAfterMs),
    })
  }
  return undefined
}

/** Creates the failure of an upstream that rejects calls because of its rate limit. */
export function rateLimited(retryAfterMs?: number): UpstreamError {
  return new UpstreamError('http_error', 'The upstream has reached its rate limit.', {
    httpStatus: 429,
    retryAfterMs,
  })
}

/** Creates the error for a response that is not JSON-RPC. */
export function malformed(): UpstreamError {
  return new UpstreamError('malformed', 'The response of the upstream is not valid JSON-RPC.')
}
