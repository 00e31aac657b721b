/** A value that a list is ordered by: a logical time or a time in seconds. */
export type Edge = string | number

/** A list that is read in pages. */
export interface PagedList<row> {
  /** Tells a row from all others of the list. */
  id(row: row): unknown
  /** What the list is ordered by, and can be asked for from; nullish where there is no such thing. */
  edge(row: row): Edge | null | undefined
  /** Asks for the rows from an edge on, itself included; from the beginning of the list without one. */
  read(from: { readonly edge: Edge | undefined; readonly offset: number }): Promise<readonly row[]>
}

/**
 * Reads a list that grows meanwhile, each row once.
 *
 * The next page starts at the edge that the last one ended with, and the rows there that are known are left out: rows that
 * arrive move no edge. Only where a page holds nothing but one edge, the next one is found by its offset.
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
