import type { IncomingHttpHeaders } from 'node:http'
import type { JsonSchema, Method, Parameter } from '@fairlead/core'
import { v2, v2Rpc, v3 } from '@fairlead/jetton/contract'
import { isRecord } from '@fairlead/gateway-core/json'
import { JettonError } from '../jetton-error.ts'
import { ContractRules, type Reading } from '@fairlead/gateway-core/rest/parameter-validation'
import { v2Formats, v3Formats } from './formats.ts'
import type { JettonFamily, JettonOperation } from './operations.ts'

/** Parameters by name, with the types and defaults of the contract. Omitted parameters without a default are absent. */
export type JettonParameters = Readonly<Record<string, unknown>>

const rules: Readonly<Record<JettonFamily, ContractRules>> = {
  v2: new ContractRules(v2, { verb: 'should', formats: v2Formats }),
  v3: new ContractRules(v3, { verb: 'should', formats: v3Formats }),
}
const rpcRules = new ContractRules(v2Rpc, { verb: 'should', formats: v2Formats })

/**
 * Validates the query and the headers of a call against the contract. Parameters that the contract does not define are
 * left to the upstream.
 *
 * @throws {@link JettonError} 422 that names the parameter and the rule, never the value
 */
export function queryParameters(
  { family, route }: JettonOperation,
  query: string,
  headers: IncomingHttpHeaders,
): JettonParameters {
  const searchParams = new URLSearchParams(query)
  for (const [name, parameter] of Object.entries(route.headers ?? {})) {
    const value = headers[name.toLowerCase()]
    valueOf(name, rules[family].ofTexts(parameter, value === undefined ? [] : [value].flat()))
  }
  return readAll(Object.entries(route.query), (name, parameter) =>
    rules[family].ofTexts(parameter, searchParams.getAll(name)),
  )
}

/**
 * Adds the contract's defaults of omitted parameters to a query, so that they apply to every upstream. Removes the API
 * key of another service, which belongs in the upstream's URL.
 *
 * @param query - text after the question mark
 */
export function withDefaults({ family, route }: JettonOperation, query: string): string {
  const searchParams = new URLSearchParams(query)
  const defaults = Object.entries(route.query).flatMap(([name, { schema }]) => {
    const value = rules[family].resolved(schema)['default']
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return searchParams.has(name) || text === undefined ? [] : [[name, text]]
  })
  const cleanQuery = searchParams.has('api_key') ? withoutKey(searchParams) : query
  return [cleanQuery, new URLSearchParams(defaults).toString()].filter((part) => part !== '').join('&')
}

function withoutKey(query: URLSearchParams): string {
  query.delete('api_key')
  return query.toString()
}

/**
 * Validates the body of a call against the contract.
 *
 * @param body - the parsed JSON body
 * @throws {@link JettonError} 422 as {@link queryParameters}
 */
export function bodyParameters({ family, route }: JettonOperation, body: unknown): JettonParameters {
  if (!isRecord(body)) throw new JettonError(422, 'The body should be a JSON object.')
  const schema = route.requestBody?.schema ?? {}
  valueOf('The body', rules[family].ofJson({ schema, required: true }, body))
  const properties = rules[family].resolved(schema)['properties'] as Record<string, JsonSchema> | undefined
  // The whole body is valid at this point; what remains are the defaults of omitted properties.
  return readAll(
    Object.entries(properties ?? {}).map(([name, property]) => [name, { schema: property, required: false }]),
    (name, parameter) =>
      Object.hasOwn(body, name) ? { value: body[name] } : rules[family].ofJson(parameter, undefined),
  )
}

/**
 * Validates the parameters of a JSON-RPC method against the contract.
 *
 * @throws {@link JettonError} 422 as {@link queryParameters}
 */
export function methodParameters(method: Method, params: JettonParameters): JettonParameters {
  return readAll(
    method.params.map((param) => [param.name, param]),
    (param, parameter) =>
      rpcRules.ofJson(parameter, Object.hasOwn(params, param) ? params[param] : undefined),
  )
}

/** Returns where a success response of family v3 holds lists: the keys, and whether the response itself is a list. */
export function listsOf({ family, route }: JettonOperation): {
  readonly isList: boolean
  readonly keys: readonly string[]
} {
  if (family === 'v2') return { isList: false, keys: [] }
  const familyRules = rules[family]
  const schema = familyRules.resolved(route.responses['200']?.schema ?? {})
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
  const holdsList = (schemaOrProperty: JsonSchema) =>
    [familyRules.resolved(schemaOrProperty)['type']].flat().includes('array')
  return {
    isList: holdsList(schema),
    keys: properties.filter(([, property]) => holdsList(property)).map(([key]) => key),
  }
}

function readAll(
  parameters: readonly (readonly [string, Parameter])[],
  read: (name: string, parameter: Parameter) => Reading,
): JettonParameters {
  const values = parameters.map(([name, parameter]) => [name, valueOf(name, read(name, parameter))] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** @throws {@link JettonError} 422 */
function valueOf(name: string, reading: Reading): unknown {
  if ('value' in reading) return reading.value
  const { path, rule } = reading
  // Properties of the body are named without a prefix.
  const label = name === 'The body' && path !== '' ? path.replace(/^\./, '') : `${name}${path}`
  throw new JettonError(422, `${label} ${rule}.`)
}
