import { FairleadError } from '@fairlead/core'
import { isThrottled } from '../streams/pausing.ts'

/** Why a node rejected a log query because of its size. */
export interface Refusal {
  /** What to reduce. */
  readonly of: 'blocks' | 'addresses'
  /** Maximum number of blocks that the node accepts, if it reports one; smaller than the request. */
  readonly span?: number | undefined
  /** Whether the number of blocks itself is limited, and not the number of results. */
  readonly fixed: boolean
}

// Codes that providers use only for this case. Most providers use general codes, and only the message identifies the
// case.
const sizeLimitCodes = [-32_005, -32_012, -32_614]
const sizeLimitMessage =
  /range|too (?:many|large|wide|big|much)|(?:more|smaller) than|exceed|limit|response (?:is|size)|timed? ?out|timeout|deadline/i
// A smaller query does not help.
const unrelatedMessage =
  /invalid block range|beyond (?:the )?(?:current )?head|pruned|unauthori[sz]ed|not supported yet/i
const unrelatedCodes = [-32_601, -32_700, 4444]

/**
 * Returns whether and why a node rejected a log query because of its size, and the allowed size.
 *
 * @param error - the error of the query
 * @param from - first requested block
 * @param span - number of requested blocks
 */
export function refusalOf(error: unknown, from: number, span: number): Refusal | undefined {
  if (FairleadError.is(error, 'TRANSPORT_TIMEOUT')) return { of: 'blocks', fixed: false }
  if (FairleadError.is(error, 'HTTP_STATUS')) {
    return [413, 504].includes(error.details.status) ? { of: 'blocks', fixed: false } : undefined
  }
  if (!FairleadError.is(error, 'RPC_ERROR') || isThrottled(error)) return undefined
  const { rpcCode, detail, data } = error.details
  const fullMessage = `${detail} ${typeof data === 'string' ? data : (JSON.stringify(data) ?? '')}`
  // The method name alone does not indicate a message about logs.
  const text = fullMessage.replaceAll('eth_getLogs', '')
  if (unrelatedCodes.includes(rpcCode) || unrelatedMessage.test(text)) return undefined
  if (!sizeLimitCodes.includes(rpcCode) && !sizeLimitMessage.test(text)) return undefined
  if (
    /address(?:es)? (?:or topics )?(?:per|in|limit|count)|(?:too many|max(?:imum)?|number of) address/i.test(
      text,
    )
  ) {
    return { of: 'addresses', fixed: true }
  }
  const smallerSpan = (found: number | undefined) => (found && found >= 1 && found < span ? found : undefined)
  const allowed = smallerSpan(maxRangeOf(data))
  if (allowed) return { of: 'blocks', span: allowed, fixed: true }
  const suggested = smallerSpan(suggestedSpan(text, data, from))
  const counted = /results|logs|bytes|response size/i.test(text)
  const limit = Math.max(0, ...limits(text, !counted).filter(smallerSpan))
  if (limit) return { of: 'blocks', span: Math.max(limit, suggested ?? 0), fixed: true }
  return {
    of: 'blocks',
    span: suggested,
    fixed: suggested === undefined && !counted && /range|blocks/i.test(text),
  }
}

function maxRangeOf(data: unknown): number | undefined {
  const { max_range: range } = (data ?? {}) as { max_range?: unknown }
  return typeof range === 'number' || typeof range === 'string' ? Number(range) : undefined
}

// "this block range should work: [0x0, 0x133e71]", "retry with the range 100-200", data of { from, to }.
function suggestedSpan(text: string, data: unknown, from: number): number | undefined {
  const { from: first, to: last } = (data ?? {}) as { from?: unknown; to?: unknown }
  const pairs: (readonly [unknown, unknown])[] = [[first, last]]
  const hex = /\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i.exec(text)
  const decimal = /with the range (\d+)\s*-\s*(\d+)/i.exec(text)
  for (const pair of [hex, decimal]) if (pair) pairs.unshift([pair[1], pair[2]])
  for (const [start, end] of pairs) {
    if (typeof start !== 'string' || typeof end !== 'string') continue
    const span = Number(end) - Number(start) + 1
    if (Number(start) >= from && span >= 1) return span
  }
  return undefined
}

const blockNumbers = [
  // "limited to a 10,000 range", "up to a 2K block range", "limited to 0 - 50 blocks range", "at most 1000 blocks"
  /(\d[\d,]*)(\s?k)?[- ](?:blocks?|range)\b/gi,
  // "number of requested blocks is 1000", "maximum block range: 5000", "max block range 100000"
  /block(?:s| range)(?: is|:)? (\d[\d,]*)(k)?\b/gi,
]
const anyLimits = [
  // "maximum is set to 2048", "exceeds limit of 10000", "(maximum 1024)", "range limit 2000", "smaller than size 1024"
  /(?:limit|max(?:imum)?|exceeds?|greater than|smaller than|distance)[^\d.;]{0,24}(\d[\d,]*)(\s?k\b)?/gi,
  // "exceeds the range allowed for your plan (5000 > 1000)"
  /> ?(\d[\d,]*)(k)?/gi,
]

// A number next to the word "block" is a number of blocks; other limits can be about results.
function limits(text: string, any: boolean): number[] {
  const patterns = any ? [...blockNumbers, ...anyLimits] : blockNumbers
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(
      ([, digits = '', thousand]) => Number(digits.replaceAll(',', '')) * (thousand ? 1_000 : 1),
    ),
  )
}
