import type { ErrorObject } from '../../response/rpc-errors.ts'

// The search time of some wordings grows with the square of the length, and an upstream may send megabytes.
const maxLength = 1_000

// Execution clients and providers have no common error code for this. A range that ends after the chain head is a
// different error: chunks of it are equally invalid.
const wordings: readonly RegExp[] = [
  // reth: "query exceeds max block range 100000", "query exceeds max results 20000, retry with the range 1-9"
  /query exceeds (?:the )?(?:max|limit)/,
  // geth and derivatives: "query returned more than 10000 results", "... logs"; "logs matched by query exceeds limit"
  /returned more than [\d,_]+|logs matched by query exceeds/,
  // "eth_getLogs is limited to a 10,000 range", "... limited to 0 - 50 blocks range"
  /limited to (?:a |an |\d+ ?- ?)?[\d,_]+(?: blocks?)? range/,
  // "exceed maximum block range: 5000", "block range exceeds 1000", "block range limit exceeded",
  // "max block range = 5000"
  /exceed\w* (?:the )?max\w*(?: allowed)? (?:block )?range|(?:block )?range(?: limit)? exceed|max(?:imum)? (?:block )?range/,
  // "block range is too wide", "block range too large, max range: 100", "range is larger than",
  // "bigger than range limit"
  /range(?: is)? (?:too (?:large|wide|big|long)|larger than|greater than)|too (?:large|wide|big) (?:a )?(?:block )?range/,
  /range \d+ (?:is bigger than|exceeds limit of)|bigger than range limit/,
  // "ranges over 10000 blocks are not supported", "Max range: 800"
  /ranges? over [\d,_]+ blocks|range must have at most [\d,_]+ blocks/,
  // "Log response size exceeded", "response is too big", "backend response too large", "length limit exceeded"
  /response (?:size|length) (?:is )?(?:exceed|too)|response (?:is )?too (?:big|large)|length limit exceeded/,
  /too many (?:logs|results|blocks)|query timeout exceeded|query timed out/,
]

const suggestion = /(?:\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\])|(?:range (\d+)\s*-\s*(\d+))/i

/**
 * Whether an upstream has rejected a log query because its range or its result is too large.
 *
 * @param error - as sent by the upstream
 */
export function isTooWide({ message, data }: ErrorObject): boolean {
  const text = `${textOf(message)} ${textOf(data)}`.toLowerCase()
  return !/beyond|future/.test(text) && wordings.some((wording) => wording.test(text))
}

/** Maximum number of blocks for the next attempt. */
export interface NextAttempt {
  readonly blocks: number
  /** Whether the number is a general limit of the upstream, as opposed to these blocks having too many logs. */
  readonly isLimit: boolean
}

/**
 * Determines how many blocks the next attempt may span.
 *
 * @param error - an error for which {@link isTooWide} is true
 * @param from - first block of the query
 * @param blocks - number of blocks in the query, more than one
 * @returns the number in the upstream's error, else half of `blocks`; always less than `blocks`, and at least one
 */
export function narrower({ message, data }: ErrorObject, from: number, blocks: number): NextAttempt {
  const text = `${textOf(message)} ${textOf(data)}`
  const isUsable = (count: number | undefined): count is number =>
    count !== undefined && count >= 1 && count < blocks
  const suggestedBlocks = suggested(text, from)
  if (isUsable(suggestedBlocks)) return { blocks: suggestedBlocks, isLimit: false }
  const limit = limitIn(text)
  return isUsable(limit)
    ? { blocks: limit, isLimit: true }
    : { blocks: Math.ceil(blocks / 2), isLimit: false }
}

/** Returns the number of blocks in the range that the upstream suggests, if that range starts where the query does. */
function suggested(text: string, from: number): number | undefined {
  const [, fromHex, toHex, fromDigits, toDigits] = suggestion.exec(text) ?? []
  const first = Number(fromHex ?? fromDigits)
  const last = Number(toHex ?? toDigits)
  return first === from && last >= first ? last - first + 1 : undefined
}

const limits = [
  /max[a-z]*(?: allowed)?(?: block)? range[\s:=]{0,3}(\d[\d,_]*)/i,
  /limited to (?:an? |0 ?- ?)?(\d[\d,_]*)(?: blocks?)? range/i,
  /(?:exceeds limit of|range limit|ranges? over|must have at most) (\d[\d,_]*)/i,
]

function limitIn(text: string): number | undefined {
  const digits = limits.map((limit) => limit.exec(text)?.[1]).find((found) => found !== undefined)
  return digits === undefined ? undefined : Number(digits.replaceAll(/[,_]/g, ''))
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, maxLength)
}
