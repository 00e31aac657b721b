import { expect, it } from 'vitest'
import { Cancellation } from './cancellation.ts'

it('tells each listener once, in turn, and none that has left', () => {
  const end = new Cancellation()
  const heard: string[] = []
  const leaving = () => void heard.push('leaving')
  end.addEventListener('abort', () => void heard.push('first'))
  end.addEventListener('abort', leaving)
  end.addEventListener('abort', { handleEvent: () => void heard.push('object') })
  end.removeEventListener('abort', leaving)
  end.abort('enough')
  end.abort('again')
  end.addEventListener('abort', () => void heard.push('too late'))
  expect(heard).toEqual(['first', 'object'])
  expect([end.aborted, end.reason]).toEqual([true, 'enough'])
})

it('says that nobody wants the call any more when no reason is given', () => {
  const end = new Cancellation()
  end.abort()
  expect(end.reason).toMatchObject({ name: 'AbortError' })
})
