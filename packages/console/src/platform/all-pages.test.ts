import { expect, it } from 'vitest'
import { allPages, cutHint, pagesOf } from './all-pages.ts'

/** A list of three pages, and a record of the requested ones. */
function list() {
  const asked: number[] = []
  const read = async (page: number) => {
    asked.push(page)
    return { results: [page * 10, page * 10 + 1], next: page < 3 ? `?page=${page + 1}` : null }
  }
  return { asked, read }
}

it('reads every page of a list, and no other', async () => {
  const { asked, read } = list()
  const all = await allPages(read, 5)
  expect(all).toEqual({ rows: [10, 11, 20, 21, 30, 31], isCut: false })
  expect(asked).toEqual([1, 2, 3])
  expect(cutHint(all)).toBeUndefined()
})

it('says so when a list goes on after the last page that is read', async () => {
  const all = await allPages(list().read, 2)
  expect(all).toEqual({ rows: [10, 11, 20, 21], isCut: true })
  expect(cutHint(all)).toBe('Only the first 4 are listed.')
  expect((await allPages(list().read, 3)).isCut).toBe(false)
})

it('reads no further than its reader', async () => {
  const { asked, read } = list()
  for await (const { results } of pagesOf(read, 5)) if (results.includes(20)) break
  expect(asked).toEqual([1, 2])
})
