interface List<Row> {
  readonly next: string | null
  readonly results: readonly Row[]
}

/**
 * All rows of a list, page after page.
 *
 * @param read - reads the page of a number, counted from 1
 * @param mostPages - after how many pages it is enough
 */
export async function allPages<Row>(
  read: (page: number) => Promise<List<Row>>,
  mostPages: number,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let page = 1; page <= mostPages; page += 1) {
    const list = await read(page)
    rows.push(...list.results)
    if (list.next === null) break
  }
  return rows
}
