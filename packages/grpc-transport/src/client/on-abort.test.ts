import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { onAbort } from './on-abort.ts'

test('onAbort notifies all remaining listeners, with one listener on the signal', () => {
  const controller = new AbortController()
  const notified: number[] = []
  const removers = Array.from({ length: 100 }, (_, index) =>
    onAbort(controller.signal, () => notified.push(index)),
  )
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  for (const remove of removers.slice(2)) remove()
  controller.abort()
  expect(notified).toEqual([0, 1])
  for (const remove of removers) remove()
})

test('onAbort leaves no listener on an unused signal, and can be used again', () => {
  const controller = new AbortController()
  const notified: string[] = []
  const removers = onAbort(controller.signal, () => notified.push('old'))
  removers()
  removers()
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  onAbort(controller.signal, () => notified.push('new'))
  removers()
  controller.abort()
  expect(notified).toEqual(['new'])
})
