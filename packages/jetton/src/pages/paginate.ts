/** The sort key of a list: a logical time or a time in seconds. */
export type SortKey = string | number

/** A list that is read in pages. */
export interface PagedList<row> {
  /** Identifies a row within the list. */
  id(row: row): unknown
  /** The sort key, from which a read can start; nullish if there is none. */
  key(row: row): SortKey | null | undefined
  /** Reads the rows from a sort key on, inclusive; without one from the beginning of the list. */
  read(from: { readonly key: SortKey | undefined; readonly offset: number }): Promise<readonly row[]>
}

/**
 * Reads a list that grows during the iteration, and yields each row once.
 *
 * The next page starts at the sort key of the last row, and known rows with that key are skipped, so new rows do not
 * shift the position. Only when a whole page has one sort key, the next page is read by offset.
 *
 * @param pageSize - rows of a full page; a page with fewer is the last one
 */
export async function* paginate<row>(
  { id, key: sortKeyOf, read }: PagedList<row>,
  pageSize: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<row, void, undefined> {
  let key: SortKey | undefined
  let offset = 0
  let yieldedIds = new Set<unknown>()
  for (;;) {
    const page = await read({ key, offset })
    for (const row of page) {
      if (yieldedIds.has(id(row))) continue
      yieldedIds.add(id(row))
      signal?.throwIfAborted()
      yield row
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    const nextKey = sortKeyOf(last) ?? key
    if (nextKey === key) offset += page.length
    else {
      key = nextKey
      offset = 0
      yieldedIds = new Set(page.filter((row) => sortKeyOf(row) === key).map(id))
    }
  }
}
