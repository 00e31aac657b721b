/** The sort key of a list: a logical time or a time in seconds. */
export type Edge = string | number

/** A list that is read in pages. */
export interface PagedList<row> {
  /** Identifies a row within the list. */
  id(row: row): unknown
  /** The sort key, from which a read can start; nullish if there is none. */
  edge(row: row): Edge | null | undefined
  /** Reads the rows from a sort key on, inclusive; without one from the beginning of the list. */
  read(from: { readonly edge: Edge | undefined; readonly offset: number }): Promise<readonly row[]>
}

/**
 * Reads a list that grows during the iteration, and yields each row once.
 *
 * The next page starts at the sort key of the last row, and known rows with that key are skipped, so new rows do not
 * shift the position. Only when a whole page has one sort key, the next page is read by offset.
 *
 * @param pageSize - rows of a full page; a page with fewer is the last one
 */
export async function* onceEach<row>(
  { id, edge: edgeOf, read }: PagedList<row>,
  pageSize: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<row, void, undefined> {
  let edge: Edge | undefined
  let offset = 0
  let known = new Set<unknown>()
  for (;;) {
    const page = await read({ edge, offset })
    for (const row of page) {
      if (known.has(id(row))) continue
      known.add(id(row))
      signal?.throwIfAborted()
      yield row
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    const reached = edgeOf(last) ?? edge
    if (reached === edge) offset += page.length
    else {
      edge = reached
      offset = 0
      known = new Set(page.filter((row) => edgeOf(row) === edge).map(id))
    }
  }
}
