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
  const given = new URLSearchParams(query)
  const values = given.getAll(from)
  if (values.length === 0 || given.has(to)) return query
  given.delete(from)
  for (const value of values) given.append(to, value)
  return given.toString()
}

/** Renames the parameters of a body in the same way. Any other value is returned unchanged. */
export function valueByContractNames<given>(operationId: string, given: given): given {
  const alias = aliases.get(operationId)
  if (alias === undefined || !isRecord(given)) return given
  const [from, to] = alias
  if (!Object.hasOwn(given, from) || Object.hasOwn(given, to)) return given
  const { [from]: value, ...rest } = given
  return { ...rest, [to]: value } as given
}
