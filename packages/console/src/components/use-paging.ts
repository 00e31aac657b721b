import { useState } from 'preact/hooks'
import type { Paging } from './data-table.tsx'

interface Envelope {
  readonly count: number
  readonly next: string | null
}

/** How many rows a page has. */
export const pageSize = 25

/**
 * Keeps the number of the page of a list.
 *
 * @param unit - what is counted, for example `projects`
 * @returns the number, and what a table needs to know of a page that was read
 */
export function usePaging(unit: string): {
  readonly page: number
  turnTo(page: number): void
  of(list: Envelope): Paging
} {
  const [page, turnTo] = useState(1)
  return {
    page,
    turnTo,
    of: ({ count, next }) => ({ page, count, hasNext: next !== null, unit, turnTo }),
  }
}
