import { isRecord, parseJson } from '@fairlead/gateway-core/json'
import { jsonMembers } from '@fairlead/gateway-core/json-rpc/json-parts'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { errorObjectText, resultText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { redactDeep, redactJsonDeep } from '@fairlead/gateway-core/redaction/redact-deep'
import { rpcCodes } from '../rpc-codes.ts'
import { normalizeError, toNodeError } from './normalize-error.ts'
import { type ErrorObject, malformed } from './rpc-errors.ts'

/** The response to a call without its envelope: JSON of the result, or of the error object. */
export type RpcResponse = { readonly result: string } | { readonly error: string }

/** Text of a response with an id. */
export function responseText(idText: string, response: RpcResponse): string {
  return 'error' in response ? errorObjectText(idText, response.error) : resultText(idText, response.result)
}

/** Parses the error of a response. Returns undefined for a result and for an unread response. */
export function errorIn(response: object): ErrorObject | undefined {
  return 'error' in response ? (JSON.parse(response.error as string) as ErrorObject) : undefined
}

/**
 * Whether the upstream does not have the method. The error has already been normalized to the code of the
 * specification.
 */
export function isMethodNotFound(response: RpcResponse): boolean {
  const mayBe = 'error' in response && response.error.includes(methodNotFoundText)
  return mayBe && errorIn(response)?.code === rpcCodes.methodNotFound
}

const methodNotFoundText = String(rpcCodes.methodNotFound)

/**
 * Extracts the result or error of an upstream's response. A result is passed through verbatim, and so is an error that
 * needs no normalization.
 *
 * @param text - the full response
 * @param method - method of the call
 * @param secrets - texts that an error must not contain
 * @throws {@link UpstreamError} with status 502 when it is not a JSON-RPC response
 */
export function toRpcResponse(text: string, method: string, secrets: readonly string[] = []): RpcResponse {
  const value = parseResponse(text)
  const members = jsonMembers(text)
  const { error } = value
  if (isRecord(error)) {
    const written = toNodeError(error)
    const normalized = normalizeError(written, method)
    const original = members.get('error') as string
    const isUnchanged = normalized === written && redactDeep(original, secrets) === original
    return { error: isUnchanged ? original : JSON.stringify(redactJsonDeep(normalized, secrets)) }
  }
  const result = members.get('result')
  if (result === undefined) throw malformed()
  return { result }
}

/**
 * Parses the result of an upstream's response.
 *
 * @param text - the full response
 * @param method - method of the call
 * @param secrets - texts that an error must not contain
 * @throws {@link RpcError} with the upstream's error, else as {@link toRpcResponse}
 */
export function parseResult(text: string, method: string, secrets: readonly string[] = []): unknown {
  const { error, result } = parseResponse(text)
  if (isRecord(error)) {
    const { code, message, data } = redactJsonDeep(normalizeError(toNodeError(error), method), secrets)
    throw new RpcError(code, message, { data })
  }
  if (result === undefined) throw malformed()
  return result
}

/** @throws {@link UpstreamError} with status 502 when the text is not a JSON object */
function parseResponse(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  if (!isRecord(value)) throw malformed()
  return value
}

/** Whether a parsed response is a result, and nothing else. */
export function isResult(value: unknown): boolean {
  return (
    isRecord(value) &&
    value['result'] !== undefined &&
    value['error'] === undefined &&
    value['jsonrpc'] === '2.0'
  )
}
