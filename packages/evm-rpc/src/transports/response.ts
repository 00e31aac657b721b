import { FairleadError, redact, redactJson } from '@fairlead/core'

interface RpcError {
  readonly code: number
  readonly message?: unknown
  readonly data?: unknown
}

/** A JSON-RPC response before validation. */
export interface JsonRpcResponse {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

/** Parses a received text; returns undefined when it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The error object of a response as an error, if it has one. `operation` may contain a secret; `status` is 200 when
 * there is no HTTP response.
 */
export function rpcErrorOf(
  operation: string,
  response: unknown,
  status: number,
  secrets: readonly string[],
): FairleadError<'RPC_ERROR'> | undefined {
  const error = (response as JsonRpcResponse | null | undefined)?.error
  if (!isRpcError(error)) return undefined
  const detail = typeof error.message === 'string' ? redact(error.message, secrets) : ''
  const data = redactJson(error.data, secrets)
  return new FairleadError('RPC_ERROR', {
    operation: redact(operation, secrets),
    rpcCode: error.code,
    detail,
    data,
    status,
  })
}

/** The result of a response; throws `RPC_ERROR` or `DECODE_INVALID` when it has none. */
export function resultOf(
  operation: string,
  response: unknown,
  status: number,
  secrets: readonly string[],
): unknown {
  const error = rpcErrorOf(operation, response, status, secrets)
  if (error) throw error
  const result = (response as JsonRpcResponse | null | undefined)?.result
  if (result !== undefined) return result
  throw new FairleadError('DECODE_INVALID', {
    operation: redact(operation, secrets),
    path: '$',
    rule: 'must be a JSON-RPC response',
  })
}

// A proxy in front of the node may use `error` for something else, such as a text.
function isRpcError(error: unknown): error is RpcError {
  return typeof (error as RpcError | null | undefined)?.code === 'number'
}
