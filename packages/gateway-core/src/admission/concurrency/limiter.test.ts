import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Limits } from '../../grants/limits.ts'
import type { Permit, Rejection } from '../types.ts'
import { grantWith } from '../../testing/limited-grant.ts'
import { type ConcurrencyOptions, ConcurrencyLimiter } from './limiter.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const { signal } = new AbortController()

/** A limiter that shows which callers hold a slot. */
function limiterFixture(options: Partial<ConcurrencyOptions> = {}) {
  const limiter = new ConcurrencyLimiter({
    maxConcurrentCalls: 100,
    maxQueuedCalls: 100,
    queueMs: 1_000,
    ...options,
  })
  const running: { readonly name: string; release(): void }[] = []
  const rejected: string[] = []
  const call = (name: string, limits: { credential?: Limits; node?: Limits; project?: Limits } = {}) => {
    const [credentialId = '', nodeId = 'node'] = name.split('@')
    const result = limiter.acquire(limiter.claimOf(grantWith({ credentialId, nodeId, limits })), signal)
    const record = (decision: Permit | Rejection) => {
      if ('release' in decision) running.push({ name, release: () => decision.release() })
      else rejected.push(`${name} ${decision.status}`)
    }
    if (result instanceof Promise) void result.then(record)
    else record(result)
  }
  return {
    limiter,
    call,
    rejected,
    names: () => running.map(({ name }) => name).join(' '),
    /** The first holder of this name releases its slot, and queued calls are notified. */
    release: async (name: string) => {
      const at = running.findIndex((one) => one.name === name)
      running.splice(at, 1)[0]?.release()
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

it('admits calls of a credential up to its limit, and queues the others in order of arrival', async () => {
  const { call, release, names } = limiterFixture({ maxConcurrentCalls: 2 })
  for (const name of ['a', 'a', 'a', 'b', 'a']) call(name)
  expect(names()).toBe('a a b')
  await release('a')
  expect(names()).toBe('a b a')
  await release('b')
  expect(names()).toBe('a a')
  await release('a')
  expect(names()).toBe('a a')
})

it('schedules credentials round-robin for shared slots', async () => {
  const { call, release, names } = limiterFixture()
  const limits = { node: { maxConcurrentCalls: 1 } }
  for (const name of ['a', 'a', 'a', 'b', 'b', 'c']) call(name, limits)
  const order = []
  for (let round = 0; round < 6; round++) {
    order.push(names())
    await release(names())
  }
  expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
})

it('prevents one credential from occupying all slots of a shared node', async () => {
  const { call, release, names } = limiterFixture()
  const limits = { node: { maxConcurrentCalls: 4 } }
  // Allowed while no other credential is active.
  for (let index = 0; index < 6; index++) call('a', limits)
  expect(names()).toBe('a a a a')
  call('b', limits)
  await release('a')
  expect(names()).toBe('a a a b')
  await release('b')
  // The slot stays free for the other credential.
  expect(names()).toBe('a a a')
  call('b', limits)
  expect(names()).toBe('a a a b')
})

it('counts a call for its credential, node and project', async () => {
  const { call, release, names } = limiterFixture()
  const limits = { credential: { maxConcurrentCalls: 2 }, project: { maxConcurrentCalls: 3 } }
  for (const name of ['a@one', 'a@one', 'a@one', 'b@two', 'b@two']) call(name, limits)
  expect(names()).toBe('a@one a@one b@two')
  await release('a@one')
  expect(names()).toBe('a@one b@two a@one')
  await release('a@one')
  expect(names()).toBe('b@two a@one b@two')
})

it('rejects calls that exceed the queue time or the queue length', async () => {
  const { limiter, call, names, rejected, release } = limiterFixture({
    maxConcurrentCalls: 1,
    maxQueuedCalls: 2,
  })
  for (const name of ['a', 'a', 'a', 'a']) call(name)
  expect(rejected).toEqual(['a 503'])
  expect(limiter.states()).toMatchObject({ waiting: 2, waited: 0, queueFull: 1, timedOut: 0 })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(rejected).toEqual(['a 503', 'a 503', 'a 503'])
  expect(limiter.states()).toEqual({ waiting: 0, waited: 2, waitedMs: 2_000, queueFull: 1, timedOut: 2 })
  await release('a')
  call('a')
  expect(names()).toBe('a')
})

it('removes a queued call when its client disconnects', async () => {
  const { limiter, call, release, names } = limiterFixture({ maxConcurrentCalls: 1 })
  call('a')
  const disconnected = new AbortController()
  const waiting = limiter.acquire(limiter.claimOf(grantWith({ credentialId: 'a' })), disconnected.signal)
  call('a')
  disconnected.abort()
  expect(await waiting).toMatchObject({ status: 503 })
  await release('a')
  expect(names()).toBe('a')
  const early = limiter.acquire(limiter.claimOf(grantWith({ credentialId: 'a' })), AbortSignal.abort())
  expect(await early).toMatchObject({ status: 503 })
})

it('removes idle counters while other calls are queued', async () => {
  const { limiter, call, release, names } = limiterFixture({ maxConcurrentCalls: 1 })
  const limits = { node: { maxConcurrentCalls: 4 } }
  for (let index = 0; index < 50; index++) {
    call(`once${index}`)
    await release(`once${index}`)
  }
  for (const name of ['a', 'a', 'b']) call(name, limits)
  expect(limiter.owners).toBe(53)
  limiter.removeIdle()
  // The owners of a and b, and of the node.
  expect([limiter.owners, limiter.states().waiting]).toEqual([3, 1])
  // The queued call is still admitted and counted.
  await release('a')
  expect(names()).toBe('b a')
  call('a', limits)
  expect(names()).toBe('b a')
  await release('a')
  expect(names()).toBe('b a')
  await release('a')
  await release('b')
  limiter.removeIdle()
  expect(limiter.owners).toBe(0)
})

it('releases a slot once, also after repeated calls of release', async () => {
  const limiter = new ConcurrencyLimiter({ maxConcurrentCalls: 1, maxQueuedCalls: 0, queueMs: 1_000 })
  const claim = limiter.claimOf(grantWith())
  const first = limiter.acquire(claim, signal)
  if (!('release' in first)) throw new Error('There was no place.')
  first.release()
  first.release()
  expect(limiter.acquire(claim, signal)).toHaveProperty('release')
  expect(limiter.acquire(claim, signal)).toHaveProperty('status')
  limiter.removeIdle()
  expect(limiter.acquire(limiter.claimOf(grantWith()), signal)).toHaveProperty('status')
})
