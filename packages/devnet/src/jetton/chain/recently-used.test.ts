import { expect, test } from 'vitest'
import { RecentlyUsed } from './recently-used.ts'

test('what was used last stays, and no more than that', () => {
  const squares = new RecentlyUsed<number, number>(2)
  const made: number[] = []
  const square = (number: number) =>
    squares.get(number, () => {
      made.push(number)
      return number * number
    })
  expect([1, 2, 1, 3, 1, 2].map(square)).toEqual([1, 4, 1, 9, 1, 4])
  expect(made).toEqual([1, 2, 3, 2])
})
