import { isRecord } from '@fairlead/gateway-core/json'
import { jsonMembers } from '@fairlead/gateway-core/json-rpc/json-parts'
import type { JettonParameters } from '../operations/parameters.ts'
import { JettonError } from '../jetton-error.ts'

/** A JSON-RPC call with a valid envelope. */
export interface RpcCall {
  readonly method: string
  readonly params: JettonParameters
  /** The parameters as the client wrote them, an object. */
  readonly paramsText: string
}

/** The part of a JSON-RPC call that the response repeats. */
export interface RpcReply {
  /** The id as the client wrote it; null until it is known. */
  idText: string
}

/**
 * Parses a JSON-RPC call as clients of the jetton chain API send it. Missing parameters, null and an empty array count
 * as no parameters, and the version may be omitted.
 *
 * @param text - the body
 * @param value - the parsed body
 * @param reply - receives the id, so that an error response can repeat it
 * @throws {@link JettonError} 422
 */
export function readRpcCall(text: string, value: unknown, reply: RpcReply): RpcCall {
  if (Array.isArray(value))
    throw new JettonError(422, 'The body should be a single call: batches are not supported.')
  if (!isRecord(value)) throw new JettonError(422, 'The body should be a JSON object.')
  const { jsonrpc = '2.0', method, id } = value
  // Clients in Go and Rust serialize an empty value as null.
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
