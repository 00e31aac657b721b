import { toNumber } from '../values/hex.ts'
import type { MinedHeader } from './heads.ts'

/** The latest headers that a stream has delivered, each the parent of the next one. */
export interface RecentChain {
  readonly tip: MinedHeader | undefined
  readonly first: MinedHeader | undefined
  /** True when older headers were delivered and are no longer stored. */
  readonly trimmed: boolean
  readonly full: boolean
  at(number: number): MinedHeader | undefined
  push(header: MinedHeader): void
  /** Inserts a header before the first one. */
  prepend(header: MinedHeader): void
  /** Removes all headers above a number and returns them, newest first. */
  cutAbove(number: number): MinedHeader[]
  /** Clears the chain and restarts from one header. */
  restart(header: MinedHeader): void
}

export function createRecentChain(limit: number): RecentChain {
  let headers: MinedHeader[] = []
  let trimmed = false
  const index = (number: number) => (headers[0] ? number - toNumber(headers[0].number) : -1)
  return {
    get tip() {
      return headers.at(-1)
    },
    get first() {
      return headers[0]
    },
    get trimmed() {
      return trimmed
    },
    get full() {
      return headers.length >= limit
    },
    at: (number) => headers[index(number)],
    push(header) {
      headers.push(header)
      if (headers.length > limit) {
        headers.shift()
        trimmed = true
      }
    },
    prepend(header) {
      headers.unshift(header)
    },
    cutAbove: (number) => headers.splice(Math.max(0, index(number) + 1)).toReversed(),
    restart(header) {
      headers = [header]
      trimmed = true
    },
  }
}
