import { expect, it, vi } from 'vitest'
import { Deadlines } from './deadlines.ts'

it('ends expired entries in order, and no others', async () => {
  const deadlines = new Deadlines(50)
  const ended: string[] = []
  const timed = (name: string) => ({ end: () => void ended.push(name) })
  const [first, done, second] = [timed('first'), timed('done'), timed('second')]
  const [, ofDone] = [first, done, second].map((each) => deadlines.begin(each, performance.now()))
  ofDone?.done()
  await vi.waitFor(() => expect(ended).toEqual(['first', 'second']), { timeout: 50_000 })
  deadlines.begin(timed('third'), performance.now())
  await vi.waitFor(() => expect(ended).toEqual(['first', 'second', 'third']), { timeout: 50_000 })
})
