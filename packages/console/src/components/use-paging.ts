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
  setPage(page: number): void
  of(list: Envelope): Paging
} {
  const [page, setPage] = useState(1)
  return {
    page,
    setPage,
    of: ({ count, next }) => ({ page, count, hasNext: next !== null, unit, onPageChange: setPage }),
  }
}
