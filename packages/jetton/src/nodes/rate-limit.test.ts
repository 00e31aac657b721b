import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RateLimit, rateLimiter } from './rate-limit.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const neverAborted = new AbortController().signal

/** Requests permits and records which requests got one, by number. */
function waiting(rateLimit: RateLimit) {
  const acquire = rateLimiter(rateLimit)
  const served: number[] = []
  const request = (number: number, signal = neverAborted) =>
    acquire(signal).then(() => void served.push(number))
  return { served, request }
}

describe('a rate limit', () => {
  it('sends the burst immediately and later requests one by one, in order', async () => {
    const { served, request } = waiting({ perSecond: 10, burst: 3 })
    const all = [1, 2, 3, 4, 5, 6].map((number) => request(number))
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

  it('enforces its rate over any period, and accumulates no more than the burst', async () => {
    const { served, request } = waiting({ perSecond: 4, burst: 2 })
    await vi.advanceTimersByTimeAsync(60_000)
    void Promise.all(Array.from({ length: 100 }, (_, number) => request(number)))
    for (const second of [0, 1, 2, 3]) {
      expect(served).toHaveLength(second === 0 ? 0 : 2 + 4 * second)
      await vi.advanceTimersByTimeAsync(1_000)
    }
  })

  it('can be less than one per second', async () => {
    const { served, request } = waiting({ perSecond: 0.5 })
    const both = [request(1), request(2)]
    await vi.advanceTimersByTimeAsync(1_999)
    expect(served).toEqual([1])
    await vi.advanceTimersByTimeAsync(1)
    await Promise.all(both)
  })

  it('passes the permit of an aborted request to the next, and leaves no timer', async () => {
    const { served, request } = waiting({ perSecond: 1 })
    const reason = new Error('enough')
    const [second, third] = [new AbortController(), new AbortController()]
    const [one, two, three, four] = [
      request(1),
      request(2, second.signal),
      request(3, third.signal),
      request(4),
    ]
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

  it('rejects an already aborted request', async () => {
    const { served, request } = waiting({ perSecond: 1 })
    const reason = new Error('enough')
    await expect(request(1, AbortSignal.abort(reason))).rejects.toBe(reason)
    await request(2)
    expect(served).toEqual([2])
  })
})
