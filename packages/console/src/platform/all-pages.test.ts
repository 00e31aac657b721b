import { expect, it } from 'vitest'
import { allPages, truncationHint, pagesOf } from './all-pages.ts'

/** A list of three pages, and a record of the requested ones. */
function list() {
  const requestedPages: number[] = []
  const read = async (page: number) => {
    requestedPages.push(page)
    return { results: [page * 10, page * 10 + 1], next: page < 3 ? `?page=${page + 1}` : null }
  }
  return { requestedPages, read }
}

it('reads every page of a list exactly once', async () => {
  const { requestedPages, read } = list()
  const loaded = await allPages(read, 5)
  expect(loaded).toEqual({ rows: [10, 11, 20, 21, 30, 31], isTruncated: false })
  expect(requestedPages).toEqual([1, 2, 3])
  expect(truncationHint(loaded)).toBeUndefined()
})

it('reports a list that is truncated at the page limit', async () => {
  const loaded = await allPages(list().read, 2)
  expect(loaded).toEqual({ rows: [10, 11, 20, 21], isTruncated: true })
  expect(truncationHint(loaded)).toBe('Only the first 4 are listed.')
  expect((await allPages(list().read, 3)).isTruncated).toBe(false)
})

it('stops when the caller stops reading', async () => {
  const { requestedPages, read } = list()
  for await (const { results } of pagesOf(read, 5)) if (results.includes(20)) break
  expect(requestedPages).toEqual([1, 2])
})
