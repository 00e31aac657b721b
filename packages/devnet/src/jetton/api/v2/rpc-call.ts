import { Failure } from '../failure.ts'

/** A call in the body of `jsonRPC`. */
export interface RpcCall {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * Parses the body of `jsonRPC`. Its `jsonrpc` and `id` are ignored, because the response contains only the result of
 * the method.
 *
 * @param body The JSON object.
 * @returns The method with its parameters; missing parameters and an empty list mean none.
 * @throws {@link Failure} with 422 for a body that names no method, or has parameters in a list.
 */
export function readRpcCall(body: Readonly<Record<string, unknown>>): RpcCall {
  const { method, params } = body
  if (typeof method !== 'string') throw new Failure(422, 'method must be a string')
  if (Array.isArray(params) && params.length > 0) throw new Failure(422, 'params must contain an object')
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
  return { method, params: isObject ? { ...params } : {} }
}
