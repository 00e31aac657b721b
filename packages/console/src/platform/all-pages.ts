interface List<Row> {
  readonly next: string | null
  readonly results: readonly Row[]
}

/** The loaded rows of a list. */
export interface All<Row> {
  readonly rows: readonly Row[]
  /** Whether there are more rows. */
  readonly isCut: boolean
}

/**
 * Iterates over the pages of a list.
 *
 * @param read - loads a page by its number, counted from 1
 * @param mostPages - maximum number of pages
 */
export async function* pagesOf<Row>(
  read: (page: number) => Promise<List<Row>>,
  mostPages: number,
): AsyncGenerator<List<Row>, void, undefined> {
  for (let page = 1; page <= mostPages; page += 1) {
    const list = await read(page)
    yield list
    if (list.next === null) return
  }
}

/** Loads all rows of a list, page after page; see {@link pagesOf}. */
export async function allPages<Row>(
  read: (page: number) => Promise<List<Row>>,
  mostPages: number,
): Promise<All<Row>> {
  const rows: Row[] = []
  let isCut = false
  for await (const { results, next } of pagesOf(read, mostPages)) {
    rows.push(...results)
    isCut = next !== null
  }
  return { rows, isCut }
}

/** A hint that a list is truncated; undefined for a complete list, or one that is not loaded yet. */
export function cutHint(all: All<unknown> | undefined): string | undefined {
  if (all?.isCut !== true) return undefined
  return `Only the first ${all.rows.length.toLocaleString('en')} are listed.`
}
