import { describe, expect, it } from 'vitest'
import { allOf } from '../testing/all-of.ts'
import { onceEach } from './paginate.ts'

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

  read(sort: 'asc' | 'desc', edge: number | undefined, offset: number, limit: number): Row[] {
    const sign = sort === 'asc' ? 1 : -1
    return this.rows
      .filter(({ time }) => edge === undefined || sign * (time - edge) >= 0)
      .toSorted((one, other) => sign * (one.time - other.time || one.id - other.id))
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

describe('a list that grows while it is read', () => {
  const sizes = [1, 2, 3, 7, 50]

  it.each(sizes)(
    'comes row by row, each once, oldest first, with what arrived: pages of %i',
    async (size) => {
      const random = randomNumbers(size)
      const list = new List()
      for (let count = 0; count < 150; count++) list.add(random(30))
      const atFirst = [...list.rows]
      const later: Row[] = []
      const paged = {
        id: ({ id }: Row) => id,
        edge: ({ time }: Row) => time,
        read: async ({ edge, offset }: { edge: unknown; offset: number }) => {
          if (later.length < 60) later.push(list.add(100 + later.length), list.add(100 + later.length))
          return list.read('asc', edge as number | undefined, offset, size)
        },
      }
      const read = await allOf(onceEach(paged, size, undefined))
      expect(new Set(read).size).toBe(read.length)
      expect(read.filter((row) => atFirst.includes(row))).toHaveLength(150)
      expect(read.map(({ time }) => time)).toEqual(read.map(({ time }) => time).toSorted((a, b) => a - b))
      // Rows that were added after the last page are not included.
      expect(read.length - 150).toBe(later.filter((row) => read.includes(row)).length)
      const lastRead = Math.max(...read.map(({ time }) => time))
      expect(later.filter((row) => row.time < lastRead && !read.includes(row))).toEqual([])
    },
  )

  it.each(sizes)(
    'comes row by row, each once, newest first, without what arrived: pages of %i',
    async (size) => {
      const random = randomNumbers(size)
      const list = new List()
      for (let count = 0; count < 150; count++) list.add(random(30))
      const atFirst = list.read('desc', undefined, 0, 150)
      const paged = {
        id: ({ id }: Row) => id,
        edge: ({ time }: Row) => time,
        read: async ({ edge, offset }: { edge: unknown; offset: number }) => {
          const page = list.read('desc', edge as number | undefined, offset, size)
          list.add(30 + random(30))
          return page
        },
      }
      expect(await allOf(onceEach(paged, size, undefined))).toEqual(atFirst)
    },
  )

  it.each(sizes)('repeats no row where it has no order to go by: pages of %i', async (size) => {
    const list: number[] = Array.from({ length: 100 }, (_, index) => index)
    const paged = {
      id: (row: number) => row,
      edge: () => undefined,
      read: async ({ offset }: { offset: number }) => {
        const page = list.slice(offset, offset + size)
        if (list.length < 120) list.unshift(-list.length)
        return page
      },
    }
    expect(await allOf(onceEach(paged, size, undefined))).toEqual(
      Array.from({ length: 100 }, (_, index) => index),
    )
  })
})
