interface List<Row> {
  readonly next: string | null
  readonly results: readonly Row[]
}

/** Rows of a list, as far as they were read. */
export interface All<Row> {
  readonly rows: readonly Row[]
  /** Whether there are more. */
  readonly isCut: boolean
}

/**
 * The pages of a list, one after the other.
 *
 * @param read - reads the page of a number, counted from 1
 * @param mostPages - after how many pages it is enough
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

/** All rows of a list, page after page; see {@link pagesOf}. */
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

/** Says that a list goes on; undefined for one that is whole, or not read yet. */
export function cutHint(all: All<unknown> | undefined): string | undefined {
  if (all?.isCut !== true) return undefined
  return `Only the first ${all.rows.length.toLocaleString('en')} are listed.`
}
