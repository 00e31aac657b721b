interface List<Row> {
  readonly next: string | null
  readonly results: readonly Row[]
}

/** The loaded rows of a list. */
export interface PagedRows<Row> {
  readonly rows: readonly Row[]
  /** Whether there are more rows. */
  readonly isTruncated: boolean
}

/**
 * Iterates over the pages of a list.
 *
 * @param read - loads a page by its number, counted from 1
 * @param maxPages - maximum number of pages
 */
export async function* pagesOf<Row>(
  read: (page: number) => Promise<List<Row>>,
  maxPages: number,
): AsyncGenerator<List<Row>, void, undefined> {
  for (let page = 1; page <= maxPages; page += 1) {
    const list = await read(page)
    yield list
    if (list.next === null) return
  }
}

/** Loads all rows of a list, page after page; see {@link pagesOf}. */
export async function allPages<Row>(
  read: (page: number) => Promise<List<Row>>,
  maxPages: number,
): Promise<PagedRows<Row>> {
  const rows: Row[] = []
  let isTruncated = false
  for await (const { results, next } of pagesOf(read, maxPages)) {
    rows.push(...results)
    isTruncated = next !== null
  }
  return { rows, isTruncated }
}

/** A hint that a list is truncated; undefined for a complete list, or one that is not loaded yet. */
export function truncationHint(loaded: PagedRows<unknown> | undefined): string | undefined {
  if (loaded?.isTruncated !== true) return undefined
  return `Only the first ${loaded.rows.length.toLocaleString('en')} are listed.`
}
