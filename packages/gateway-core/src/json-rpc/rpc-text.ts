import { RpcError, jsonRpcCodes } from './rpc-error.ts'

// Every text here is put together from JSON texts, so that an id and a result leave as they came.

/** Text of a call to a node; the method is one of the contract, which needs no escapes. */
export function callText(method: string, paramsText: string, idText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"method":"${method}","params":${paramsText}}`
}

/** Text of an answer with a result. */
export function resultText(idText: string, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"result":${resultJson}}`
}

/** Text of an answer with an error. */
export function errorText(idText: string, { code, message, data }: RpcError): string {
  return errorObjectText(idText, JSON.stringify({ code, message, ...(data !== undefined && { data }) }))
}

/** Text of an answer with an error object that is JSON already. */
export function errorObjectText(idText: string, errorJson: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"error":${errorJson}}`
}

/**
 * Params as JSON.
 *
 * @throws {@link RpcError} -32602 when they are nested too deep: what can be parsed may still be
 */
export function stringifyParams(params: readonly unknown[]): string {
  try {
    return JSON.stringify(params)
  } catch {
    throw new RpcError(jsonRpcCodes.invalidParams, 'The params are nested too deep.')
  }
}
