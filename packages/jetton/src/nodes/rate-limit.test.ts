import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RateLimit, rateLimiter } from './rate-limit.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const untilEver = new AbortController().signal

/** Requests permits and records which requests got one, by number. */
function waiting(rateLimit: RateLimit) {
  const turn = rateLimiter(rateLimit)
  const served: number[] = []
  const ask = (number: number, signal = untilEver) => turn(signal).then(() => void served.push(number))
  return { served, ask }
}

describe('a rate limit', () => {
  it('lets the burst go at once and the others after it one by one, in the order in which they came', async () => {
    const { served, ask } = waiting({ perSecond: 10, burst: 3 })
    const all = [1, 2, 3, 4, 5, 6].map((number) => ask(number))
    await vi.advanceTimersByTimeAsync(0)
    expect(served).toEqual([1, 2, 3])
    await vi.advanceTimersByTimeAsync(99)
    expect(served).toEqual([1, 2, 3])
    await vi.advanceTimersByTimeAsync(1)
    expect(served).toEqual([1, 2, 3, 4])
    await vi.advanceTimersByTimeAsync(200)
    await Promise.all(all)
    expect(served).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('keeps to its rate over any time, and saves up no more than the burst', async () => {
    const { served, ask } = waiting({ perSecond: 4, burst: 2 })
    await vi.advanceTimersByTimeAsync(60_000)
    void Promise.all(Array.from({ length: 100 }, (_, number) => ask(number)))
    for (const second of [0, 1, 2, 3]) {
      expect(served).toHaveLength(second === 0 ? 0 : 2 + 4 * second)
      await vi.advanceTimersByTimeAsync(1_000)
    }
  })

  it('may be less than one in a second', async () => {
    const { served, ask } = waiting({ perSecond: 0.5 })
    const both = [ask(1), ask(2)]
    await vi.advanceTimersByTimeAsync(1_999)
    expect(served).toEqual([1])
    await vi.advanceTimersByTimeAsync(1)
    await Promise.all(both)
  })

  it('gives the turn of one who leaves to the next, and keeps no timer', async () => {
    const { served, ask } = waiting({ perSecond: 1 })
    const reason = new Error('enough')
    const [second, third] = [new AbortController(), new AbortController()]
    const [one, two, three, four] = [ask(1), ask(2, second.signal), ask(3, third.signal), ask(4)]
    await vi.advanceTimersByTimeAsync(500)
    // One that is queued, then the one that is next.
    third.abort(reason)
    await expect(three).rejects.toBe(reason)
    second.abort(reason)
    await expect(two).rejects.toBe(reason)
    expect(served).toEqual([1])
    await vi.advanceTimersByTimeAsync(500)
    await Promise.all([one, four])
    expect(served).toEqual([1, 4])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('refuses one who has already left', async () => {
    const { served, ask } = waiting({ perSecond: 1 })
    const reason = new Error('enough')
    await expect(ask(1, AbortSignal.abort(reason))).rejects.toBe(reason)
    await ask(2)
    expect(served).toEqual([2])
  })
})
