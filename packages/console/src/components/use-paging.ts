import { useState } from 'preact/hooks'
import type { Paging } from './data-table.tsx'

interface Envelope {
  readonly count: number
  readonly next: string | null
}

/** Number of rows per page. */
export const pageSize = 25

/**
 * Holds the page number of a list.
 *
 * @param unit - what is counted, for example `projects`
 * @returns the number, and the paging properties of a table for a loaded page
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
