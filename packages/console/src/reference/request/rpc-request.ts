import type { RpcOperation } from '../documents/operation.ts'
import { exampleOf } from '../schema/example-of.ts'
import type { Schemas } from '../schema/json-schema.ts'
import type { Request } from './request.ts'

/** The initial parameters of a form, as JSON: those of the first example, or generated from the schemas. */
export function initialParams(operation: RpcOperation, schemas: Schemas): string {
  const [example] = operation.examples
  const params =
    example?.params ??
    operation.params
      .filter(({ isRequired }) => isRequired)
      .map(({ name, schema }) => ({ name, value: exampleOf(schema, schemas) }))
  return JSON.stringify(written(operation, params), null, 2)
}

/** Parameters in the form in which they are sent: a list, or an object. */
export function written(
  { isByName }: RpcOperation,
  params: readonly { readonly name: string; readonly value: unknown }[],
): unknown {
  return isByName
    ? Object.fromEntries(params.map(({ name, value }) => [name, value]))
    : params.map(({ value }) => value)
}

/**
 * The message that calls a method.
 *
 * @param params - JSON; an invalid text stays unchanged, and the server rejects it
 */
export function rpcMessage({ name }: RpcOperation, params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(name)},"params":${compact(params)}}`
}

/** Creates the request that calls a method over HTTP. */
export function rpcRequest(operation: RpcOperation, address: string, params: string): Request {
  return {
    method: 'POST',
    target: address === '' ? '/' : address,
    headers: { 'Content-Type': 'application/json' },
    body: rpcMessage(operation, params),
    access: 'node',
  }
}

// Lossless: numbers that exceed the precision of JavaScript stay unchanged.
function compact(json: string): string {
  const text = json.trim()
  try {
    JSON.parse(text)
  } catch {
    return text === '' ? '[]' : text
  }
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, literal: string | undefined) => literal ?? '')
}
