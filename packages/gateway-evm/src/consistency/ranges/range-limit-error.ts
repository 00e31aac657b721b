import type { ErrorObject } from '../../response/rpc-errors.ts'
import { rpcCodes } from '../../rpc-codes.ts'
import type { BlockRange } from './block-range.ts'

// The search time of some expressions grows with the square of the length, and an upstream may send megabytes.
const maxLength = 1_000

// Smaller numbers are more often versions, codes and counts than limits.
const minLimit = 10

const ofBlocks = /block|range|span|distance|interval|window/i
// Another range of the same size may be accepted.
const ofContents =
  /result|\blogs\b|response|size|bytes|entr(?:y|ies)|events|time.?out|timed|second|minute|calls|address|topic/i
const ofSize = /limit|max|exceed|large|big|wide|long|many/i

const methodNames = /\b(?:eth|erigon|trace)_\w+/g
const numbers =
  /(?<![\w.]|(?:^|\D)-)(?:(0x[\da-f]{1,13})|(\d{1,3}(?:[,_]\d{3})+|\d{1,13})(?: ?(k))?)(?!\w|\.\d)/gi

/** How to divide a rejected query. */
export interface Division {
  /** Maximum number of blocks, or of values of a list, in the next attempt. */
  readonly size: number
  /** Whether any query over more blocks is rejected, as opposed to one with the contents of these blocks. */
  readonly isLimit: boolean
  /** Whether nothing in the error indicates that a smaller query is accepted. */
  readonly isTrial: boolean
}

/**
 * Determines how many blocks the next attempt may span.
 *
 * @param error - as sent by the upstream
 * @param range - the rejected range, of more than one block
 * @returns a size that the error names, else half of the range; less than the range, and at least one
 */
export function divideRange(error: ErrorObject, { from, to }: BlockRange): Division {
  const text = textOf(error)
  const blocks = to - from + 1
  const isLimit = ofBlocks.test(text) && !ofContents.test(text)
  const found = numbersIn(text)
  const suggested = found
    .filter((_, at) => found[at - 1] === from)
    .map((last) => last - from + 1)
    .find((size) => size >= 1 && size < blocks)
  const others = found.filter((number) => number !== from && number !== to)
  const named = suggested ?? (ofContents.test(text) ? undefined : highestBelow(blocks, others))
  return divide(error, blocks, named, isLimit)
}

/**
 * Determines how many values of a list the next attempt may have.
 *
 * @param error - as sent by the upstream
 * @param length - length of the list, more than one
 */
export function divideList(error: ErrorObject, length: number): Division {
  return divide(error, length, highestBelow(length, numbersIn(textOf(error))), false)
}

/** Whether an error names what a smaller query has less of. */
export function namesSize(error: ErrorObject): boolean {
  const text = textOf(error)
  return (
    error.code === rpcCodes.limitExceeded || [ofBlocks, ofContents, ofSize].some((words) => words.test(text))
  )
}

/** Which lists of a filter an error names, and whether it names blocks. */
export function namedIn(error: ErrorObject): Readonly<Record<'blocks' | 'address' | 'topics', boolean>> {
  const text = textOf(error)
  return { blocks: ofBlocks.test(text), address: /address/i.test(text), topics: /topic/i.test(text) }
}

function divide(error: ErrorObject, whole: number, named: number | undefined, isLimit: boolean): Division {
  const isTrial = named === undefined && !namesSize(error)
  return { size: named ?? Math.ceil(whole / 2), isLimit, isTrial }
}

function highestBelow(whole: number, found: readonly number[]): number | undefined {
  const usable = found.filter((number) => number >= minLimit && number < whole)
  return usable.length === 0 ? undefined : Math.max(...usable)
}

function numbersIn(text: string): readonly number[] {
  return Array.from(text.matchAll(numbers), ([, hex, digits = '', thousands]) =>
    hex === undefined ? Number(digits.replaceAll(/[,_]/g, '')) * (thousands ? 1_000 : 1) : Number(hex),
  )
}

function textOf({ message, data }: ErrorObject): string {
  return [message, data].map(written).join(' ').replaceAll(methodNames, '')
}

function written(value: unknown): string {
  if (value === undefined || value === null) return ''
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, maxLength)
}
