import { isRecord } from '@fairlead/gateway-core/json'
import { jsonMembers } from '@fairlead/gateway-core/json-rpc/json-parts'
import type { JettonParameters } from '../operations/parameters.ts'
import { JettonError } from '../jetton-error.ts'

/** A JSON-RPC call whose envelope is in order. */
export interface RpcCall {
  readonly method: string
  readonly params: JettonParameters
  /** The parameters as the caller wrote them, an object. */
  readonly paramsText: string
}

/** What an answer to a JSON-RPC call repeats. */
export interface RpcReply {
  /** The id as the caller wrote it; null until it is known. */
  idText: string
}

/**
 * Reads a JSON-RPC call as the clients of the jetton chain send it: parameters that are missing, null or an empty
 * array are none, and the version may be left out.
 *
 * @param text - the body
 * @param value - the same as JSON
 * @param reply - learns the id, so that a refusal can repeat it
 * @throws {@link JettonError} 422
 */
export function readRpcCall(text: string, value: unknown, reply: RpcReply): RpcCall {
  if (Array.isArray(value)) throw new JettonError(422, 'The body should be one call: batches are not taken.')
  if (!isRecord(value)) throw new JettonError(422, 'The body should be a JSON object.')
  const { jsonrpc = '2.0', method, id } = value
  // Clients in Go and Rust write an empty value as null.
  const params = value['params'] ?? []
  const texts = jsonMembers(text)
  if (typeof id !== 'string' && !Number.isInteger(id)) {
    throw new JettonError(422, 'id should be an integer or a string.')
  }
  reply.idText = texts.get('id') ?? 'null'
  if (jsonrpc !== '2.0') throw new JettonError(422, 'jsonrpc should be "2.0".')
  if (typeof method !== 'string') throw new JettonError(422, 'method should be a string.')
  if (Array.isArray(params) && params.length === 0) return { method, params: {}, paramsText: '{}' }
  if (isRecord(params)) return { method, params, paramsText: texts.get('params') ?? '{}' }
  throw new JettonError(422, 'params must contain an object.')
}
