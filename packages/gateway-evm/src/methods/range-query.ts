import { isRecord } from '@fairlead/gateway-core/json'
import { validateParams } from './validate-params.ts'

const logFields = ['blockHash', 'address', 'topics']

/** The methods that query a range of blocks, and what their filter contains in addition to the range. */
const filterFields: ReadonlyMap<string, readonly string[]> = new Map([
  ['eth_getLogs', logFields],
  ['erigon_getLogs', logFields],
  ['trace_filter', ['fromAddress', 'toAddress', 'mode', 'after', 'count']],
])

/** Whether a method queries a range of blocks. */
export function isRangeMethod(method: string): boolean {
  return filterFields.has(method)
}

/**
 * Returns the known fields of a filter except its range.
 *
 * @param method - for which {@link isRangeMethod} is true
 */
export function fieldsBesidesRange(
  method: string,
  filter: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const fields = filterFields.get(method) ?? []
  return Object.fromEntries(
    fields.flatMap((field) => (filter[field] === undefined ? [] : [[field, filter[field]]])),
  )
}

/** Whether the params of a method that queries a range are valid, so that its caller has not caused an error. */
export function isValidRangeQuery(method: string, [filter]: readonly unknown[]): boolean {
  if (!isRecord(filter)) return false
  const { fromBlock, toBlock, blockHash } = filter
  // Some upstreams accept more forms of block numbers than the specification.
  if (Number(fromBlock) > Number(toBlock)) return false
  if (blockHash !== undefined && (fromBlock ?? toBlock) !== undefined) return false
  try {
    validateParams(method, [fieldsBesidesRange(method, filter)])
    return true
  } catch {
    return false
  }
}
