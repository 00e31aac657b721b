import { expect, test } from 'vitest'
import { RecentlyUsed } from './recently-used.ts'

test('retains only the most recently used entries', () => {
  const squares = new RecentlyUsed<number, number>(2)
  const computed: number[] = []
  const square = (number: number) =>
    squares.get(number, () => {
      computed.push(number)
      return number * number
    })
  expect([1, 2, 1, 3, 1, 2].map(square)).toEqual([1, 4, 1, 9, 1, 4])
  expect(computed).toEqual([1, 2, 3, 2])
})
