import type { Sort } from './parameters.ts'

/** Part of a list. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/** Bounds of a list, all of them inside. */
export interface Window {
  readonly start_utime: number | undefined
  readonly end_utime: number | undefined
  readonly start_lt: bigint | undefined
  readonly end_lt: bigint | undefined
}

/** Rows that may take their time to be read. */
export type Rows<row> = Iterable<row> | AsyncIterable<row>

/** Puts a list that is kept oldest first into an order; later changes of the list leave the answer alone. */
export function inOrder<row>(oldestFirst: readonly row[], sort: Sort): readonly row[] {
  return sort === 'asc' ? [...oldestFirst] : oldestFirst.toReversed()
}

/** Leaves out of a list what is not wanted. */
export async function* where<row>(rows: Rows<row>, isWanted: (row: row) => boolean): AsyncGenerator<row> {
  for await (const row of rows) if (isWanted(row)) yield row
}

/** Takes a page out of a list, and looks at nothing behind it. */
export async function pageOf<row>(rows: Rows<row>, { limit, offset }: Page): Promise<row[]> {
  const taken: row[] = []
  let skipped = 0
  for await (const row of rows) {
    if (skipped < offset) {
      skipped++
      continue
    }
    taken.push(row)
    if (taken.length === limit) break
  }
  return taken
}

/** Tells whether a row lies inside of a window. */
export function isInside(window: Window, utime: number, lt: bigint): boolean {
  const { start_utime, end_utime, start_lt, end_lt } = window
  return (
    (start_utime === undefined || utime >= start_utime) &&
    (end_utime === undefined || utime <= end_utime) &&
    (start_lt === undefined || lt >= start_lt) &&
    (end_lt === undefined || lt <= end_lt)
  )
}

/** The rows of a list as the indexer writes them: an empty list becomes null on its way through Go. */
export function rowsOrNull<row>(rows: readonly row[]): readonly row[] | null {
  return rows.length === 0 ? null : rows
}
