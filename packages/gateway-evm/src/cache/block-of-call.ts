import { isRecord } from '@fairlead/gateway-core/json'
import type { Ttl } from './cache-rule.ts'

/** The block that the response to a call belongs to. */
export type BlockOfCall =
  /** The block with this number from the params. For a range, the last one. */
  | { readonly kind: 'number'; readonly number: number }
  /** The block that the response names. */
  | { readonly kind: 'self-describing'; readonly field: 'number' | 'blockNumber' }
  /** The latest block, or a block that advances with it. */
  | { readonly kind: 'head' }
  /** Cannot be determined. */
  | { readonly kind: 'unknown' }

const unknown: BlockOfCall = { kind: 'unknown' }
const head: BlockOfCall = { kind: 'head' }

/**
 * Determines the block that the response to a call belongs to.
 *
 * @param ttl - TTL policy of the method
 * @param params - by position, with defaults
 */
export function blockOfCall(ttl: Ttl, params: readonly unknown[]): BlockOfCall {
  switch (ttl.kind) {
    case 'block':
      return blockOfParam(params[ttl.param])
    case 'self-describing':
      return ttl
    case 'logs':
      return blockOfFilter(params[0])
    case 'head':
      return head
    case 'params':
    case 'chain':
    case 'uncacheable':
      return unknown
    default:
      return ttl satisfies never
  }
}

/** Parses a block number that is written as a quantity. */
export function blockNumberOf(value: unknown): number | undefined {
  return typeof value === 'string' && /^0x(?:0|[1-9a-f][0-9a-f]{0,12})$/i.test(value)
    ? Number(value)
    : undefined
}

/** Returns the number of the block that a result names. For a list, the highest one. */
export function blockNumberInResult(result: string, field: string): number | undefined {
  const value: unknown = JSON.parse(result)
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  let highest: number | undefined
  for (const item of values) {
    const written =
      typeof item === 'object' && item !== null
        ? (item as Readonly<Record<string, unknown>>)[field]
        : undefined
    const number = typeof written === 'number' ? written : blockNumberOf(written)
    if (number === undefined) return undefined
    highest = Math.max(highest ?? 0, number)
  }
  return highest
}

// A block that is given by its hash may have been reorged out. `earliest` is a different block on an upstream that
// prunes.
function blockOfParam(param: unknown): BlockOfCall {
  const named = isRecord(param) && Object.keys(param).length === 1 ? param['blockNumber'] : param
  const number = blockNumberOf(named)
  if (number !== undefined) return { kind: 'number', number }
  return named === 'latest' || named === 'safe' || named === 'finalized' ? head : unknown
}

function blockOfFilter(filter: unknown): BlockOfCall {
  if (!isRecord(filter)) return unknown
  const { fromBlock, toBlock, blockHash } = filter
  if (blockHash !== undefined) {
    const hasOnlyHash = fromBlock === undefined && toBlock === undefined
    return hasOnlyHash ? { kind: 'self-describing', field: 'blockNumber' } : unknown
  }
  const from = blockNumberOf(fromBlock)
  const to = blockNumberOf(toBlock)
  return from !== undefined && to !== undefined && from <= to ? { kind: 'number', number: to } : unknown
}
