import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Grant } from '../../grants/grant.ts'
import { pino } from 'pino'
import { openSharedStore } from '../../shared-store/valkey-store.ts'
import type { SharedStore } from '../../shared-store/types.ts'
import { hasRedisServer, type RedisServer, startRedisServer } from '../../testing/redis-server.ts'
import type { BuiltinAdmission } from '../admission.ts'
import { admissionWith, call, grantWith } from '../../testing/limited-grant.ts'

vi.setConfig({ testTimeout: 60_000 })

const pollOptions = { timeout: 50_000, interval: 20 }
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface Replica {
  readonly admission: BuiltinAdmission
  readonly store: SharedStore
  /** Number of replicas that it counts. */
  replicaCount(): number
  /** Number of times it has synced a quota with the other replicas. */
  syncCount(): number
}

function replicaWith(store: SharedStore, usedSoFar: () => number): Replica {
  let [replicaCount, syncCount] = [0, 0]
  const script: SharedStore['script'] = async (source, keys, values) => {
    const result = await store.script(source, keys, values)
    if (keys.includes('fairlead:replicas')) replicaCount = Number(result)
    if (keys[0]?.startsWith('fairlead:quota:') === true) syncCount += 1
    return result
  }
  const observedStore = Object.assign(Object.create(store) as SharedStore, { script })
  return {
    store,
    admission: admissionWith({ store: observedStore, usedSoFar }),
    replicaCount: () => replicaCount,
    syncCount: () => syncCount,
  }
}

describe.skipIf(!hasRedisServer)('limits of three replicas (skipped where there is no redis-server)', () => {
  let server: RedisServer
  let replicas: Replica[] = []
  const used = { written: 0 }

  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(() => server.kill())
  afterEach(async () => {
    for (const { admission, store } of replicas) {
      await admission.close()
      await store.close()
    }
  })

  /** Starts three replicas that share a store. */
  async function start(): Promise<void> {
    const log = pino({ level: 'silent' })
    // On a busy machine, a slow store must not count as unavailable.
    const stores = [1, 2, 3].map(() => openSharedStore(server.url, log, 10_000))
    await vi.waitFor(() => expect(stores.every(({ isUp }) => isUp)).toBe(true), pollOptions)
    await stores[0]?.run(['FLUSHALL'])
    replicas = stores.map((store) => replicaWith(store, () => used.written))
    await vi.waitFor(async () => {
      expect(await stores[0]?.run(['ZCARD', 'fairlead:replicas'])).toBe(3)
    }, pollOptions)
  }

  /**
   * Calls all replicas as fast as possible for a while, and returns how many calls passed in which time. The refill
   * seconds leave out the time in which a full bucket receives no tokens: a step counts at most the refill time of the
   * burst.
   */
  async function rush(
    grant: Grant,
    ms: number,
  ): Promise<{ passed: number; seconds: number; refillSeconds: number }> {
    const { requestsPerSecond = 1, burst = requestsPerSecond } = grant.limits?.credential?.rate ?? {}
    const startedAt = performance.now()
    let [passed, refillSeconds, stepAt] = [0, 0, startedAt]
    while (performance.now() - startedAt < ms) {
      for (const { admission } of replicas) {
        for (let index = 0; index < 20; index++) if (call(admission, grant) === 'passed') passed += 1
      }
      await wait(2)
      const now = performance.now()
      refillSeconds += Math.min((now - stepAt) / 1_000, burst / requestsPerSecond)
      stepAt = now
    }
    return { passed, seconds: (performance.now() - startedAt) / 1_000, refillSeconds }
  }

  it('admit at most the calls of one replica and two leases per replica', async () => {
    await start()
    const grant = grantWith({ limits: { credential: { rate: { requestsPerSecond: 200 } } } })
    const { passed, seconds } = await rush(grant, 3_000)
    const ofOneReplica = 200 + 200 * seconds
    const lease = 200 * 0.05
    expect(passed).toBeLessThanOrEqual(Math.ceil(ofOneReplica + 3 * 2 * lease))
    // And not much less.
    expect(passed).toBeGreaterThan(ofOneReplica * 0.75)
  })

  it('apply to a rate of less than one call per replica', async () => {
    await start()
    const grant = grantWith({
      credentialId: 'slow',
      limits: { credential: { rate: { requestsPerSecond: 2, burst: 1 } } },
    })
    const { passed, seconds } = await rush(grant, 2_000)
    expect(passed).toBeLessThanOrEqual(Math.ceil(1 + 2 * seconds + 3 * 2))
    expect(passed).toBeGreaterThanOrEqual(3)
  })

  it('are divided between replicas while the store is disconnected, and shared when it reconnects', async () => {
    await start()
    const grant = grantWith({
      credentialId: 'left alone',
      limits: { credential: { rate: { requestsPerSecond: 300, burst: 30 } } },
    })
    await vi.waitFor(
      () => expect(replicas.map(({ replicaCount }) => replicaCount())).toEqual([3, 3, 3]),
      pollOptions,
    )
    expect((await rush(grant, 100)).passed).toBeGreaterThan(0)
    // Commands that are pending when the store becomes unavailable would wait for their timeout, ten seconds here.
    for (const { store } of replicas) await store.run(['PING'])
    await server.kill()
    await vi.waitFor(() => expect(replicas.some(({ store }) => store.isUp)).toBe(false), pollOptions)
    await rush(grant, 500)
    const disconnected = await rush(grant, 1_000)
    // Each replica may also pass its share of the burst.
    expect(disconnected.passed).toBeLessThanOrEqual(Math.ceil(300 * disconnected.seconds + 30 + 3))
    expect(disconnected.passed).toBeGreaterThan(300 * disconnected.refillSeconds * 0.5)
    await server.start()
    await vi.waitFor(() => expect(replicas.every(({ store }) => store.isUp)).toBe(true), pollOptions)
    await rush(grant, 1_500)
    const reconnected = await rush(grant, 1_000)
    expect(reconnected.passed).toBeLessThanOrEqual(Math.ceil(300 * reconnected.seconds + 30 + 3 * 2 * 7))
    expect(reconnected.passed).toBeGreaterThan(300 * reconnected.refillSeconds * 0.5)
  })

  it('of a day are counted across replicas, including the earlier usage', async () => {
    await start()
    used.written = 70
    const grant = grantWith({ credentialId: 'daily', limits: { credential: { requestsPerDay: 100 } } })
    const passedAt = (at: number, count: number) => {
      const admission = replicas[at]?.admission
      const results = Array.from({ length: count }, () => admission && call(admission, grant))
      return results.filter((result) => result === 'passed').length
    }
    expect(passedAt(0, 20)).toBe(20)
    // The other replicas are notified shortly.
    await vi.waitFor(async () => expect(await counted()).toBe('90'), pollOptions)
    passedAt(1, 1)
    await vi.waitFor(async () => expect(await counted()).toBe('91'), pollOptions)
    await vi.waitFor(() => expect(replicas[1]?.syncCount()).toBeGreaterThan(0), pollOptions)
    expect(passedAt(1, 20)).toBe(9)
    // The replicas restore the data that the store has lost from their own counts.
    await vi.waitFor(async () => expect(await counted()).toBe('100'), pollOptions)
    await replicas[0]?.store.run(['FLUSHALL'])
    used.written = 0
    expect(passedAt(1, 1)).toBe(0)
    await vi.waitFor(async () => expect(await counted()).toBe('100'), pollOptions)
    passedAt(2, 1)
    await vi.waitFor(() => expect(replicas[2]?.syncCount()).toBeGreaterThan(0), pollOptions)
    expect(passedAt(2, 5)).toBe(0)

    function counted() {
      const day = new Date().toISOString().slice(0, 10)
      return replicas[0]?.store.run(['GET', `fairlead:quota:credential:daily:requests:${day}`])
    }
  })
})
