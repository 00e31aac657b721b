import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Limits } from '../../grants/limits.ts'
import type { Permit, Rejection } from '../types.ts'
import { grantWith } from '../../testing/limited-grant.ts'
import { type ConcurrencyOptions, ConcurrencyLimiter } from './limiter.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const { signal } = new AbortController()

/** A limiter that shows which callers hold a slot. */
function office(options: Partial<ConcurrencyOptions> = {}) {
  const places = new ConcurrencyLimiter({
    maxConcurrentCalls: 100,
    maxQueuedCalls: 100,
    queueMs: 1_000,
    ...options,
  })
  const inside: { readonly name: string; leave(): void }[] = []
  const refused: string[] = []
  const come = (name: string, limits: { credential?: Limits; node?: Limits; project?: Limits } = {}) => {
    const [credentialId = '', nodeId = 'node'] = name.split('@')
    const answer = places.take(places.claimOf(grantWith({ credentialId, nodeId, limits })), signal)
    const hear = (heard: Permit | Rejection) => {
      if ('release' in heard) inside.push({ name, leave: () => heard.release() })
      else refused.push(`${name} ${heard.status}`)
    }
    if (answer instanceof Promise) void answer.then(hear)
    else hear(answer)
  }
  return {
    places,
    come,
    refused,
    names: () => inside.map(({ name }) => name).join(' '),
    /** The first holder of this name releases its slot, and queued calls are notified. */
    leave: async (name: string) => {
      const at = inside.findIndex((one) => one.name === name)
      inside.splice(at, 1)[0]?.leave()
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

it('lets so many calls of a credential in, and the others in the order of their coming', async () => {
  const { come, leave, names } = office({ maxConcurrentCalls: 2 })
  for (const name of ['a', 'a', 'a', 'b', 'a']) come(name)
  expect(names()).toBe('a a b')
  await leave('a')
  expect(names()).toBe('a b a')
  await leave('b')
  expect(names()).toBe('a a')
  await leave('a')
  expect(names()).toBe('a a')
})

it('gives every credential its turn for what they share', async () => {
  const { come, leave, names } = office()
  const limits = { node: { maxConcurrentCalls: 1 } }
  for (const name of ['a', 'a', 'a', 'b', 'b', 'c']) come(name, limits)
  const order = []
  for (let turn = 0; turn < 6; turn++) {
    order.push(names())
    await leave(names())
  }
  expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
})

it('lets no credential have all places of a node that others use', async () => {
  const { come, leave, names } = office()
  const limits = { node: { maxConcurrentCalls: 4 } }
  // Allowed while no other credential is active.
  for (let index = 0; index < 6; index++) come('a', limits)
  expect(names()).toBe('a a a a')
  come('b', limits)
  await leave('a')
  expect(names()).toBe('a a a b')
  await leave('b')
  // The slot stays free for the other credential.
  expect(names()).toBe('a a a')
  come('b', limits)
  expect(names()).toBe('a a a b')
})

it('counts a call in all places that it takes, of credential, node and project', async () => {
  const { come, leave, names } = office()
  const limits = { credential: { maxConcurrentCalls: 2 }, project: { maxConcurrentCalls: 3 } }
  for (const name of ['a@one', 'a@one', 'a@one', 'b@two', 'b@two']) come(name, limits)
  expect(names()).toBe('a@one a@one b@two')
  await leave('a@one')
  expect(names()).toBe('a@one b@two a@one')
  await leave('a@one')
  expect(names()).toBe('b@two a@one b@two')
})

it('refuses who waits too long, or comes when too many wait', async () => {
  const { places, come, names, refused, leave } = office({ maxConcurrentCalls: 1, maxQueuedCalls: 2 })
  for (const name of ['a', 'a', 'a', 'a']) come(name)
  expect(refused).toEqual(['a 503'])
  expect(places.states()).toMatchObject({ waiting: 2, waited: 0, crowded: 1, late: 0 })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(refused).toEqual(['a 503', 'a 503', 'a 503'])
  expect(places.states()).toEqual({ waiting: 0, waited: 2, waitedMs: 2_000, crowded: 1, late: 2 })
  await leave('a')
  come('a')
  expect(names()).toBe('a')
})

it('forgets a call whose client goes away', async () => {
  const { places, come, leave, names } = office({ maxConcurrentCalls: 1 })
  come('a')
  const gone = new AbortController()
  const waiting = places.take(places.claimOf(grantWith({ credentialId: 'a' })), gone.signal)
  come('a')
  gone.abort()
  expect(await waiting).toMatchObject({ status: 503 })
  await leave('a')
  expect(names()).toBe('a')
  const early = places.take(places.claimOf(grantWith({ credentialId: 'a' })), AbortSignal.abort())
  expect(await early).toMatchObject({ status: 503 })
})

it('forgets who holds nothing, though calls of others wait', async () => {
  const { places, come, leave, names } = office({ maxConcurrentCalls: 1 })
  const limits = { node: { maxConcurrentCalls: 4 } }
  for (let index = 0; index < 50; index++) {
    come(`once${index}`)
    await leave(`once${index}`)
  }
  for (const name of ['a', 'a', 'b']) come(name, limits)
  expect(places.owners).toBe(53)
  places.forgetIdle()
  // The owners of a and b, and of the node.
  expect([places.owners, places.states().waiting]).toEqual([3, 1])
  // The queued call is still admitted and counted.
  await leave('a')
  expect(names()).toBe('b a')
  come('a', limits)
  expect(names()).toBe('b a')
  await leave('a')
  expect(names()).toBe('b a')
  await leave('a')
  await leave('b')
  places.forgetIdle()
  expect(places.owners).toBe(0)
})

it('takes a place back once, however often it is given back', async () => {
  const places = new ConcurrencyLimiter({ maxConcurrentCalls: 1, maxQueuedCalls: 0, queueMs: 1_000 })
  const claim = places.claimOf(grantWith())
  const first = places.take(claim, signal)
  if (!('release' in first)) throw new Error('There was no place.')
  first.release()
  first.release()
  expect(places.take(claim, signal)).toHaveProperty('release')
  expect(places.take(claim, signal)).toHaveProperty('status')
  places.forgetIdle()
  expect(places.take(places.claimOf(grantWith()), signal)).toHaveProperty('status')
})
