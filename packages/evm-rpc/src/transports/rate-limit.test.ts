import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RpcRequest, Transport } from '../transport.ts'
import { rateLimit, type RateLimitOptions } from './rate-limit.ts'
import { failure } from './testing/node-server.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A transport with a rate limit, and the names and times of the calls that were sent. */
function limited(options: RateLimitOptions) {
  const start = performance.now()
  const passed: [name: unknown, afterMs: number][] = []
  const pass = ({ params = [] }: RpcRequest): void => {
    passed.push([params[0], Math.round(performance.now() - start)])
  }
  const inner: Transport = {
    request: async (request) => pass(request),
    batch: async (requests) => {
      requests.forEach(pass)
      return requests.map(() => ({ status: 'fulfilled', value: undefined }))
    },
    subscribe: async (params) => {
      pass({ method: 'eth_subscribe', params })
      return { unsubscribe: () => Promise.resolve() }
    },
  }
  const transport = rateLimit(inner, options)
  const call = (name: unknown, signal?: AbortSignal): Promise<unknown> =>
    transport.request({ method: 'eth_call', params: [name] }, { signal })
  return { transport, passed, call }
}

const several = (...names: unknown[]): RpcRequest[] =>
  names.map((name) => ({ method: 'eth_call', params: [name] }))

describe('a limit', () => {
  it('sends a burst and then one call after the other, in order', async () => {
    const { call, passed } = limited({ perSecond: 10, burst: 2 })
    const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => call(name)))
    await vi.advanceTimersByTimeAsync(1_000)
    await all
    expect(passed.map(([name]) => name)).toEqual(['a', 'b', 'c', 'd'])
    expect(passed.map(([, afterMs]) => Math.round(afterMs / 10))).toEqual([0, 0, 10, 20])
  })

  it('accumulates no more than the burst', async () => {
    const { call, passed } = limited({ perSecond: 10, burst: 1 })
    await vi.advanceTimersByTimeAsync(60_000)
    void Promise.all([call('a'), call('b')])
    await vi.advanceTimersByTimeAsync(50)
    expect(passed).toHaveLength(1)
  })

  it('counts every call of a batch, and preserves the order behind a large one', async () => {
    const { transport, call, passed } = limited({ perSecond: 10, burst: 4 })
    const first = transport.batch?.(several(1, 2, 3))
    const large = transport.batch?.(several(4, 5, 6))
    const small = call(7)
    await vi.advanceTimersByTimeAsync(2_000)
    await Promise.all([first, large, small])
    expect(passed.map(([name]) => name)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(passed.map(([, afterMs]) => Math.round(afterMs / 10))).toEqual([0, 0, 0, 20, 20, 20, 30])
  })

  it('sends a batch that is larger than the burst, and delays the next one', async () => {
    const { transport, call, passed } = limited({ perSecond: 10, burst: 2 })
    void transport.batch?.(several(1, 2, 3, 4))
    void call(5)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(passed.map(([, afterMs]) => Math.round(afterMs / 10))).toEqual([0, 0, 0, 0, 30])
  })

  it('counts a subscription', async () => {
    const { transport, call, passed } = limited({ perSecond: 10, burst: 1 })
    void transport.subscribe?.(['newHeads'], { next: () => {} })
    void call('a')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(passed.map(([name]) => name)).toEqual(['newHeads', 'a'])
    expect(passed[1]?.[1]).toBeGreaterThanOrEqual(99)
  })

  it('rejects aborted calls immediately, and advances later ones', async () => {
    const { call, passed } = limited({ perSecond: 1, burst: 1 })
    const controller = new AbortController()
    const reason = new Error('enough')
    void call('a')
    const second = call('b', controller.signal)
    void call('c')
    controller.abort(reason)
    await expect(second).rejects.toBe(reason)
    await expect(call('d', controller.signal)).rejects.toBe(reason)
    await vi.advanceTimersByTimeAsync(1_100)
    expect(passed.map(([name]) => name)).toEqual(['a', 'c'])
  })

  it('rejects a call if the queue is full', async () => {
    const { call, transport } = limited({ perSecond: 1, burst: 1, maxWaiting: 2 })
    const calls = [call('a'), call('b'), call('c')]
    const error = await failure(call('d'))
    expect(error.code).toBe('TRANSPORT_FAILED')
    expect(error.details).toMatchObject({
      operation: 'eth_call',
      attempt: 0,
      reason: '2 calls wait already for the limit of 1 per second',
    })
    expect((await transport.batch?.(several(1, 2)))?.map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ])
    await vi.advanceTimersByTimeAsync(3_000)
    await Promise.all(calls)
    expect(await call('e')).toBeUndefined()
  })

  it('rejects a batch that would have to wait, although a single call would not', async () => {
    const { call, transport } = limited({ perSecond: 3, burst: 3, maxWaiting: 1 })
    await call('a')
    expect((await transport.batch?.(several(1, 2, 3)))?.map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
    ])
    expect((await transport.batch?.(several(1, 2)))?.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
    ])
  })

  it('rejects queued calls when it is closed', async () => {
    const { call, transport, passed } = limited({ perSecond: 1, burst: 1 })
    await call('a')
    const waiting = failure(call('b'))
    transport.close?.()
    expect(await waiting).toMatchObject({ code: 'TRANSPORT_CLOSED', details: { operation: 'eth_call' } })
    expect((await failure(call('c'))).code).toBe('TRANSPORT_CLOSED')
    expect(vi.getTimerCount()).toBe(0)
    expect(passed).toHaveLength(1)
  })
})

it('rejects invalid numbers', () => {
  expect(() => limited({ perSecond: 0 })).toThrow('Invalid value of perSecond: ')
  expect(() => limited({ perSecond: Infinity })).toThrow('Invalid value of perSecond: ')
  expect(() => limited({ perSecond: 1, burst: 0 })).toThrow('Invalid value of burst: ')
  expect(() => limited({ perSecond: 1, maxWaiting: -1 })).toThrow('Invalid value of maxWaiting: ')
})
