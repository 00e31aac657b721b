import { expect, it } from 'vitest'
import { MemoryBudget } from './memory-budget.ts'

it('one credential can reserve at most half of the memory', () => {
  const memory = new MemoryBudget(1_000)
  expect(memory.take(400, 'a')).toBe(true)
  expect(memory.take(200, 'a')).toBe(false)
  expect(memory.take(100, 'a')).toBe(true)
  expect(memory.take(500, 'b')).toBe(true)
  expect(memory.take(1, 'c')).toBe(false)
  memory.release(500, 'a')
  expect(memory.take(1, 'c')).toBe(true)
  expect(memory.canReserve(500, 'a')).toBe(false)
  expect(memory.canReserve(499, 'a')).toBe(true)
})

it('the reservation of a request counts for its owner until it is released', () => {
  const memory = new MemoryBudget(1_000)
  const reservation = memory.reserve('a')
  reservation.take(500)
  expect(reservation.tryTake(1)).toMatchObject({ limit: 'total' })
  reservation.release()
  expect(memory.canReserve(1_000)).toBe(true)
  expect(memory.canReserve(500, 'a')).toBe(true)
})
