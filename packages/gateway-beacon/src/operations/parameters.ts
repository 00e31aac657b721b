import type { IncomingHttpHeaders } from 'node:http'
import type { Parameter, Route } from '@fairlead/core'
import { document, schemas } from '@fairlead/beacon/contract'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import type { ResolvedOperation } from './operations.ts'
import { ContractRules } from '@fairlead/gateway-core/rest/parameter-validation'

const rules = new ContractRules({ document, schemas }, { verb: 'must' })

/**
 * Validates the path, query and header parameters of a call against the contract. Parameters that the contract does not
 * define are left to the upstream.
 *
 * @param destination - the operation and its path parameters
 * @param query - text after the question mark
 * @param headers - of the request
 * @throws {@link RestError} 400, or 414 for too many ids where the operation specifies it; the message names the
 * parameter and the rule, never the value
 */
export function checkBeaconParameters(
  { route, pathValues }: ResolvedOperation,
  query: string,
  headers: IncomingHttpHeaders,
): void {
  if (!route) return
  for (const [name, parameter] of Object.entries(route.pathParameters)) {
    check(`The path parameter ${name}`, parameter, [pathValues[name] ?? ''], route)
  }
  const searchParams = new URLSearchParams(query)
  for (const [name, parameter] of Object.entries(route.query)) {
    check(`The query parameter ${name}`, parameter, searchParams.getAll(name), route)
  }
  for (const [name, parameter] of Object.entries(route.headers ?? {})) {
    const value = headers[name.toLowerCase()]
    check(`The header ${name}`, parameter, value === undefined ? [] : [value].flat(), route)
  }
}

/**
 * Rewrites lists in the form of the contract, with the key repeated. Many clients send them with commas, and some
 * upstreams read only one of the two forms.
 *
 * @param query - text after the question mark
 */
export function repeatKeys({ route }: ResolvedOperation, query: string): string {
  if (!route || !/,|%2c/i.test(query)) return query
  const entries = [...new URLSearchParams(query)].flatMap(([name, value]) => {
    const parameter = route.query[name]
    const isList = parameter !== undefined && rules.isList(parameter.schema)
    return (isList ? value.split(',') : [value]).map((item) => [name, item])
  })
  return new URLSearchParams(entries).toString()
}

function check(label: string, parameter: Parameter, values: readonly string[], { responses }: Route): void {
  const reading = rules.ofTexts(parameter, values)
  if ('value' in reading) return
  throw new RestError(reading.isTooLong && '414' in responses ? 414 : 400, `${label} ${reading.rule}.`)
}
