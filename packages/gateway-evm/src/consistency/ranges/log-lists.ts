import { isRecord, parseJson } from '@fairlead/gateway-core/json'
import { jsonParts } from '@fairlead/gateway-core/json-rpc/json-parts'
import type { ErrorObject } from '../../response/rpc-errors.ts'
import type { Filter } from './block-range.ts'
import { divideList, namedIn, namesSize } from './range-limit-error.ts'

/** Filters of logs that together have the same logs as one filter. No log matches two of them. */
export interface DividedFilter {
  readonly filters: readonly Filter[]
  /** Whether nothing in the error indicates that a smaller query is accepted. */
  readonly isTrial: boolean
}

/** A list of alternative values in a filter. */
interface FilterList {
  readonly name: 'address' | 'topics'
  readonly values: readonly string[]
  with(values: readonly string[]): Filter
}

// A query with a shorter list was probably rejected for another reason.
const longList = 16

/**
 * Divides a rejected filter of logs by its addresses, or by the alternatives of one of its topics.
 *
 * @param filter - valid filter
 * @param error - as sent by the upstream
 * @param isOneBlock - whether the filter cannot be divided by blocks
 * @returns undefined when a smaller list does not help
 */
export function divideFilter(
  filter: Filter,
  error: ErrorObject,
  isOneBlock: boolean,
): DividedFilter | undefined {
  const lists = listsOf(filter)
  const isNamed = namedIn(error)
  const list = longestOf(lists.filter(({ name }) => isNamed[name])) ?? longestOf(lists)
  if (!list) return undefined
  const { values } = list
  const { size, isLimit, isTrial } = divideList(error, values.length)
  const reducesList = isNamed[list.name] && (isOneBlock || isLimit || !isNamed.blocks)
  if (!reducesList && !(isOneBlock && (values.length >= longList || namesSize(error)))) return undefined
  const count = Math.ceil(values.length / size)
  const filters = Array.from({ length: count }, (_, at) =>
    list.with(values.slice(at * size, (at + 1) * size)),
  )
  return { filters, isTrial }
}

/**
 * Joins lists of logs in the order of the chain, each log once. The logs themselves are not changed.
 *
 * @param lists - JSON without the enclosing brackets
 * @returns the same form; undefined when an element is not a log
 */
export function joinLogs(lists: readonly string[]): string | undefined {
  const logs = new Map<string, { readonly text: string; readonly block: number; readonly index: number }>()
  for (const text of lists.flatMap((list) => jsonParts(`[${list}]`))) {
    const log = parseJson(text)
    if (!isRecord(log)) return undefined
    const { blockNumber, blockHash, logIndex } = log
    if (typeof blockNumber !== 'string' || typeof logIndex !== 'string') return undefined
    const position = { block: Number(blockNumber), index: Number(logIndex) }
    logs.set(`${String(blockHash)} ${blockNumber} ${logIndex}`, { text, ...position })
  }
  const inOrder = [...logs.values()].toSorted((a, b) => a.block - b.block || a.index - b.index)
  return inOrder.map(({ text }) => text).join(',')
}

/** Returns the lists of a filter that have several different values. */
function listsOf(filter: Filter): readonly FilterList[] {
  const { address, topics } = filter
  const lists: FilterList[] = [
    { name: 'address', values: distinct(address), with: (values) => ({ ...filter, address: values }) },
  ]
  if (Array.isArray(topics)) {
    for (const [at, alternatives] of topics.entries()) {
      lists.push({
        name: 'topics',
        values: distinct(alternatives),
        with: (values) => ({ ...filter, topics: topics.with(at, values) as readonly unknown[] }),
      })
    }
  }
  return lists.filter(({ values }) => values.length > 1)
}

function distinct(values: unknown): readonly string[] {
  return Array.isArray(values) ? [...new Set(values.map((value) => String(value).toLowerCase()))] : []
}

function longestOf(lists: readonly FilterList[]): FilterList | undefined {
  return lists.toSorted((a, b) => b.values.length - a.values.length)[0]
}
