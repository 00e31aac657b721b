import { expect, it } from 'vitest'
import { Cancellation } from './cancellation.ts'

it('notifies each listener once and in order, and no removed listener', () => {
  const end = new Cancellation()
  const calls: string[] = []
  const removed = () => void calls.push('removed')
  end.addEventListener('abort', () => void calls.push('first'))
  end.addEventListener('abort', removed)
  end.addEventListener('abort', { handleEvent: () => void calls.push('object') })
  end.removeEventListener('abort', removed)
  end.abort('enough')
  end.abort('again')
  end.addEventListener('abort', () => void calls.push('too late'))
  expect(calls).toEqual(['first', 'object'])
  expect([end.aborted, end.reason]).toEqual([true, 'enough'])
})

it('uses a default reason when none is given', () => {
  const end = new Cancellation()
  end.abort()
  expect(end.reason).toMatchObject({ name: 'AbortError' })
})
