import { RpcError, jsonRpcCodes } from './rpc-error.ts'

// Every text here is composed of JSON texts, so that an id and a result stay unchanged.

/** Text of a call to an upstream. The method is one of the contract, so it needs no escapes. */
export function callText(method: string, paramsText: string, idText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"method":"${method}","params":${paramsText}}`
}

/** Text of a response with a result. */
export function resultText(idText: string, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"result":${resultJson}}`
}

/** Text of a response with an error. */
export function errorText(idText: string, { code, message, data }: RpcError): string {
  return errorObjectText(idText, JSON.stringify({ code, message, ...(data !== undefined && { data }) }))
}

/** Text of a response with an error object that is already JSON. */
export function errorObjectText(idText: string, errorJson: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"error":${errorJson}}`
}

/**
 * Serializes params as JSON.
 *
 * @throws {@link RpcError} -32602 when they are nested too deep, which is possible for params that were parsed
 */
export function stringifyParams(params: readonly unknown[]): string {
  try {
    return JSON.stringify(params)
  } catch {
    throw new RpcError(jsonRpcCodes.invalidParams, 'The params are nested too deep.')
  }
}
