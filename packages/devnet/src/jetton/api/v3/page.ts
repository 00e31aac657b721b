import type { Sort } from './parameters.ts'

/** Part of a list. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/** Inclusive bounds of a list. */
export interface Window {
  readonly start_utime: number | undefined
  readonly end_utime: number | undefined
  readonly start_lt: bigint | undefined
  readonly end_lt: bigint | undefined
}

/** Rows that may be read asynchronously. */
export type Rows<row> = Iterable<row> | AsyncIterable<row>

/** Orders a list that is stored oldest first; later changes of the list do not affect the result. */
export function inOrder<row>(oldestFirst: readonly row[], sort: Sort): readonly row[] {
  return sort === 'asc' ? [...oldestFirst] : oldestFirst.toReversed()
}

/** Filters a list. */
export async function* filterRows<row>(rows: Rows<row>, matches: (row: row) => boolean): AsyncGenerator<row> {
  for await (const row of rows) if (matches(row)) yield row
}

/** Returns one page of a list without reading the rows after it. */
export async function pageOf<row>(rows: Rows<row>, { limit, offset }: Page): Promise<row[]> {
  const page: row[] = []
  let skipped = 0
  for await (const row of rows) {
    if (skipped < offset) {
      skipped++
      continue
    }
    page.push(row)
    if (page.length === limit) break
  }
  return page
}

/** Whether a row is inside a window. */
export function isInside(window: Window, utime: number, lt: bigint): boolean {
  const { start_utime, end_utime, start_lt, end_lt } = window
  return (
    (start_utime === undefined || utime >= start_utime) &&
    (end_utime === undefined || utime <= end_utime) &&
    (start_lt === undefined || lt >= start_lt) &&
    (end_lt === undefined || lt <= end_lt)
  )
}

/** Returns the rows in the format of the indexer: it serializes an empty list as null, because it is written in Go. */
export function rowsOrNull<row>(rows: readonly row[]): readonly row[] | null {
  return rows.length === 0 ? null : rows
}
