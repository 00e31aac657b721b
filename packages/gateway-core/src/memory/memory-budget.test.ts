import { expect, it } from 'vitest'
import { AnswerMemory } from './memory-budget.ts'

it('one credential gets half of the memory, and leaves the rest to others', () => {
  const memory = new AnswerMemory(1_000)
  expect(memory.take(400, 'a')).toBe(true)
  expect(memory.take(200, 'a')).toBe(false)
  expect(memory.take(100, 'a')).toBe(true)
  expect(memory.take(500, 'b')).toBe(true)
  expect(memory.take(1, 'c')).toBe(false)
  memory.giveBack(500, 'a')
  expect(memory.take(1, 'c')).toBe(true)
  expect(memory.offers(500, 'a')).toBe(false)
  expect(memory.offers(499, 'a')).toBe(true)
})

it('the room of a request counts for its owner, and is empty again', () => {
  const memory = new AnswerMemory(1_000)
  const room = memory.room('a')
  room.take(500)
  expect(room.refuses(1)).toMatchObject({ limit: 'total' })
  room.empty()
  expect(memory.offers(1_000)).toBe(true)
  expect(memory.offers(500, 'a')).toBe(true)
})
