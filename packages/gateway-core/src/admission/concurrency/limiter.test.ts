import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Limits } from '../../grants/limits.ts'
import type { Permit, Rejection } from '../types.ts'
import { grantWith } from '../../testing/limited-grant.ts'
import { type ConcurrencyOptions, ConcurrencyLimiter } from './limiter.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const { signal } = new AbortController()

/** The ids in a name such as `credential@node` or `organization/project/credential`. */
function idsIn(name: string) {
  if (!name.includes('/')) {
    const [credentialId = '', nodeId = 'node'] = name.split('@')
    return { credentialId, nodeId }
  }
  const [organizationId = '', project = '', credential = ''] = name.split('/')
  const projectId = `${organizationId}/${project}`
  return { organizationId, projectId, nodeId: projectId, credentialId: `${projectId}/${credential}` }
}

/** A limiter that shows which callers hold a slot. */
function limiterFixture(options: Partial<ConcurrencyOptions> = {}) {
  const limiter = new ConcurrencyLimiter({
    maxConcurrentCalls: 100,
    maxTotalConcurrentCalls: 1_000,
    maxQueuedCalls: 100,
    queueMs: 1_000,
    ...options,
  })
  const running: { readonly name: string; release(): void }[] = []
  const rejected: string[] = []
  const call = (name: string, limits: { credential?: Limits; node?: Limits; project?: Limits } = {}) => {
    const result = limiter.acquire(limiter.claimOf(grantWith({ ...idsIn(name), limits })), signal)
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
    /** Number of slots that callers with this prefix hold. */
    held: (prefix: string) => running.filter(({ name }) => name.startsWith(prefix)).length,
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

it('removes a queued call when its client disconnects, which is no timeout', async () => {
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
  expect(limiter.states()).toMatchObject({ waiting: 0, timedOut: 0 })
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
  const limiter = new ConcurrencyLimiter({
    maxConcurrentCalls: 1,
    maxTotalConcurrentCalls: 10,
    maxQueuedCalls: 0,
    queueMs: 1_000,
  })
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

describe('the calls of all organizations', () => {
  /** The names of credentials of organization `a`, over seven projects. */
  const credentials = (count: number) => Array.from({ length: count }, (_, at) => `a/${at % 7}/${at}`)

  it.each([1, 60, 150])('with %i credentials of one organization leave slots for another one', (count) => {
    const { call, held, limiter } = limiterFixture({
      maxConcurrentCalls: 1_000,
      maxTotalConcurrentCalls: 800,
      maxQueuedCalls: 800,
    })
    const names = credentials(count)
    for (let at = 0; at < 1_000; at += 1) call(names[at % count] as string)
    expect([held('a'), limiter.states().waiting]).toEqual([700, 300])
    for (let at = 0; at < 16; at += 1) call(`b/one/${at}`)
    expect([held('a'), held('b')]).toEqual([700, 16])
  })

  it.each([1, 60, 150])(
    'with %i queued credentials of one organization are served in turn',
    async (count) => {
      const { call, held, release } = limiterFixture({
        maxConcurrentCalls: 1_000,
        maxTotalConcurrentCalls: 80,
        maxQueuedCalls: 800,
      })
      for (const name of ['x/one/1', 'y/one/1', 'z/one/1']) for (let at = 0; at < 40; at += 1) call(name)
      for (let at = 0; at < 300; at += 1) call(credentials(count)[at % count] as string)
      for (let at = 0; at < 20; at += 1) call('b/one/1')
      // The other organizations complete their calls.
      for (const prefix of ['x', 'y', 'z']) while (held(prefix) > 0) await release(`${prefix}/one/1`)
      expect(held('b')).toBe(20)
    },
  )

  it('leave places in the queue for another organization', async () => {
    const { call, held, release, rejected, limiter } = limiterFixture({
      maxConcurrentCalls: 1_000,
      maxTotalConcurrentCalls: 160,
      maxQueuedCalls: 160,
    })
    for (let at = 0; at < 400; at += 1) call(`a/${at % 7}/${at % 60}`)
    expect([held('a'), limiter.states().waiting, limiter.states().queueFull]).toEqual([140, 140, 120])
    for (let at = 0; at < 20; at += 1) call(`c/one/${at}`)
    for (let at = 0; at < 9; at += 1) call('b/one/1')
    expect([held('c'), held('b'), rejected.filter((name) => !name.startsWith('a'))]).toEqual([16, 4, []])
    await release('a/0/0')
    await release('a/1/1')
    expect([held('a'), held('c'), held('b')]).toEqual([138, 16, 6])
  })

  it('are limited again after new limits', async () => {
    const { call, held, limiter, release } = limiterFixture({ maxTotalConcurrentCalls: 16 })
    for (let at = 0; at < 40; at += 1) call('a/one/1')
    expect(held('a')).toBe(16)
    limiter.change({
      maxConcurrentCalls: 100,
      maxTotalConcurrentCalls: 32,
      maxQueuedCalls: 100,
      queueMs: 1_000,
    })
    await release('a/one/1')
    expect(held('a')).toBe(28)
  })

  it('reject expensive calls only of the organization whose calls wait', () => {
    const { call, limiter } = limiterFixture({ maxTotalConcurrentCalls: 16, maxQueuedCalls: 160 })
    for (let at = 0; at < 16 + 100; at += 1) call(`a/one/${at}`)
    expect(limiter.isCrowdedFor(grantWith(idsIn('a/two/new')))).toBe(true)
    expect(limiter.isCrowdedFor(grantWith(idsIn('b/one/1')))).toBe(false)
  })

  it('start each queued call as soon as there are slots, and count none twice', async () => {
    let seed = 11
    const random = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below
    const limits = {
      credential: { maxConcurrentCalls: 5 },
      node: { maxConcurrentCalls: 9 },
      project: { maxConcurrentCalls: 14 },
    }
    for (let round = 0; round < 20; round += 1) {
      const { call, held, limiter, names, release, rejected } = limiterFixture({
        maxTotalConcurrentCalls: 40,
        maxQueuedCalls: 1_000,
      })
      let calls = 0
      let ended = 0
      for (let step = 0; step < 400; step += 1) {
        const isCall = random(3) > 0
        if (isCall) call(`${random(4)}/${random(2)}/${random(4)}`, random(2) === 0 ? limits : {})
        else if (held('') > 0) await release(names().split(' ')[random(held(''))] as string)
        if (isCall) calls += 1
        else ended = calls - held('') - limiter.states().waiting
        expect(held('')).toBeLessThanOrEqual(40)
      }
      while (held('') > 0) {
        await release(names().split(' ')[0] as string)
        ended += 1
      }
      expect([ended, rejected, limiter.states().waiting]).toEqual([calls, [], 0])
      limiter.removeIdle()
      expect(limiter.owners).toBe(0)
      for (let at = 0; at < 60; at += 1) call('new/one/1')
      expect(held('new')).toBe(35)
    }
  })
})
