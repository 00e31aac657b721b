import { describe, expect, it } from 'vitest'
import { allOf } from '../testing/all-of.ts'
import { paginate } from './paginate.ts'

interface Row {
  readonly id: number
  readonly time: number
}

/** A list as an indexer stores it: ordered by time, and within a time by something else. */
class List {
  readonly rows: Row[] = []
  readonly #random = randomNumbers(7)

  add(time: number): Row {
    const row = { id: this.#random(1_000_000_000), time }
    this.rows.push(row)
    return row
  }

  read(sort: 'asc' | 'desc', key: number | undefined, offset: number, limit: number): Row[] {
    const sign = sort === 'asc' ? 1 : -1
    return this.rows
      .filter(({ time }) => key === undefined || sign * (time - key) >= 0)
      .toSorted((a, b) => sign * (a.time - b.time || a.id - b.id))
      .slice(offset, offset + limit)
  }
}

function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('a list that grows during the iteration', () => {
  const sizes = [1, 2, 3, 7, 50]

  it.each(sizes)('yields each row once, oldest first, with added rows: pages of %i', async (size) => {
    const random = randomNumbers(size)
    const list = new List()
    for (let count = 0; count < 150; count++) list.add(random(30))
    const atFirst = [...list.rows]
    const later: Row[] = []
    const paged = {
      id: ({ id }: Row) => id,
      key: ({ time }: Row) => time,
      read: async ({ key, offset }: { key: unknown; offset: number }) => {
        if (later.length < 60) later.push(list.add(100 + later.length), list.add(100 + later.length))
        return list.read('asc', key as number | undefined, offset, size)
      },
    }
    const read = await allOf(paginate(paged, size, undefined))
    expect(new Set(read).size).toBe(read.length)
    expect(read.filter((row) => atFirst.includes(row))).toHaveLength(150)
    expect(read.map(({ time }) => time)).toEqual(read.map(({ time }) => time).toSorted((a, b) => a - b))
    // Rows that were added after the last page are not included.
    expect(read.length - 150).toBe(later.filter((row) => read.includes(row)).length)
    const lastRead = Math.max(...read.map(({ time }) => time))
    expect(later.filter((row) => row.time < lastRead && !read.includes(row))).toEqual([])
  })

  it.each(sizes)('yields each row once, newest first, without added rows: pages of %i', async (size) => {
    const random = randomNumbers(size)
    const list = new List()
    for (let count = 0; count < 150; count++) list.add(random(30))
    const atFirst = list.read('desc', undefined, 0, 150)
    const paged = {
      id: ({ id }: Row) => id,
      key: ({ time }: Row) => time,
      read: async ({ key, offset }: { key: unknown; offset: number }) => {
        const page = list.read('desc', key as number | undefined, offset, size)
        list.add(30 + random(30))
        return page
      },
    }
    expect(await allOf(paginate(paged, size, undefined))).toEqual(atFirst)
  })

  it.each(sizes)('repeats no row without a sort key: pages of %i', async (size) => {
    const list: number[] = Array.from({ length: 100 }, (_, index) => index)
    const paged = {
      id: (row: number) => row,
      key: () => undefined,
      read: async ({ offset }: { offset: number }) => {
        const page = list.slice(offset, offset + size)
        if (list.length < 120) list.unshift(-list.length)
        return page
      },
    }
    expect(await allOf(paginate(paged, size, undefined))).toEqual(
      Array.from({ length: 100 }, (_, index) => index),
    )
  })
})
