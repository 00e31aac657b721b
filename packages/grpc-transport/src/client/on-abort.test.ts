import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { onAbort } from './on-abort.ts'

test('onAbort tells all that still listen, with one listener on the signal', () => {
  const controller = new AbortController()
  const told: number[] = []
  const forget = Array.from({ length: 100 }, (_, index) => onAbort(controller.signal, () => told.push(index)))
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  for (const one of forget.slice(2)) one()
  controller.abort()
  expect(told).toEqual([0, 1])
  for (const one of forget) one()
})

test('onAbort leaves nothing on a signal that nobody listens to, and can begin again', () => {
  const controller = new AbortController()
  const told: string[] = []
  const forget = onAbort(controller.signal, () => told.push('old'))
  forget()
  forget()
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  onAbort(controller.signal, () => told.push('new'))
  forget()
  controller.abort()
  expect(told).toEqual(['new'])
})
