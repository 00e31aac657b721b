import { isRecord } from '@fairlead/gateway-core/json'

/** Parameter names that other servers of this API use, by the operation for which the contract uses another name. */
const aliases: ReadonlyMap<string, readonly [alias: string, name: string]> = new Map([
  ['getConfigParam', ['param', 'config_id']],
  ['getConfigParamByPost', ['param', 'config_id']],
  ['listJettonBurns', ['jetton_master', 'address']],
])

/**
 * Renames a query parameter that is given by its alias. The contract name takes precedence when both are given.
 *
 * @param query - text after the question mark
 */
export function queryByContractNames(operationId: string, query: string): string {
  const alias = aliases.get(operationId)
  if (alias === undefined) return query
  const [from, to] = alias
  const searchParams = new URLSearchParams(query)
  const values = searchParams.getAll(from)
  if (values.length === 0 || searchParams.has(to)) return query
  searchParams.delete(from)
  for (const value of values) searchParams.append(to, value)
  return searchParams.toString()
}

/** Renames the parameters of a body in the same way. Any other value is returned unchanged. */
export function valueByContractNames<body>(operationId: string, body: body): body {
  const alias = aliases.get(operationId)
  if (alias === undefined || !isRecord(body)) return body
  const [from, to] = alias
  if (!Object.hasOwn(body, from) || Object.hasOwn(body, to)) return body
  const { [from]: value, ...rest } = body
  return { ...rest, [to]: value } as body
}
