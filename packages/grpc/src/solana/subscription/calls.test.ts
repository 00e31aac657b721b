import { Status } from '@fairlead/grpc-transport'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  CommitmentLevel,
  GeyserDefinition,
  type SubscribeRequest,
  type SubscribeUpdate,
} from '../../generated/geyser.ts'
import { createGrpcWebClient } from '../../web.ts'
import { labelOf, slotUpdates } from '../testing/chain.ts'
import { updateOf } from '../testing/geyser-server.ts'
import { startWebProxy } from '../testing/web-proxy.ts'
import { createSubscriptionBench, readUpdates, waitUntil } from '../testing/subscription-bench.ts'
import { subscribeGeyser } from './subscribe-geyser.ts'

const bench = createSubscriptionBench()
afterEach(() => void vi.useRealTimers())
const { subscribe, called } = bench

const filterRequests = (requests: readonly SubscribeRequest[] = []) => requests.filter(({ ping }) => !ping)

describe('setFilters', () => {
  it('changes the updates without another call', async () => {
    const updates = subscribe({ transactions: { one: {} }, entry: {} })
    const reading = readUpdates(updates, 3)
    await called()
    bench.server.push(...slotUpdates(100n))
    await reading
    updates.setFilters({ transactions: {}, entry: { two: {} } })
    const next = readUpdates(updates, 1)
    await called(2)
    bench.server.push(...slotUpdates(101n))
    expect(await next).toEqual(['101 e0'])
    expect(bench.server.calls).toHaveLength(1)
    expect(filterRequests(bench.server.calls[0])[1]?.fromSlot).toBeUndefined()
    await updates.return()
  })

  it('applies to the next call when it is made during an outage', async () => {
    const updates = subscribe({ transactions: { one: {} }, entry: {} })
    const reading = readUpdates(updates, 3)
    await called()
    bench.server.push(...slotUpdates(100n))
    await reading
    const next = readUpdates(updates, 1)
    bench.server.kill({ code: Status.UNAVAILABLE, detail: 'restart' })
    await waitUntil(() => bench.server.calls.length > 2)
    updates.setFilters({ transactions: {}, entry: { two: {} } })
    bench.server.refuse(undefined)
    bench.server.push(...slotUpdates(101n))
    // The replayed slots match the new filters.
    expect(await next).toEqual(['100 e0'])
    expect(await readUpdates(updates, 1)).toEqual(['101 e0'])
    const last = bench.server.calls.at(-1)?.[0]
    expect([last?.fromSlot, last?.transactions]).toEqual([100n, {}])
    expect(bench.notices.filter(({ kind }) => kind === 'fork')).toEqual([])
    await updates.return()
  })

  it('waits until the server has received the slot to replay from', async () => {
    bench.server.push(...slotUpdates(100n))
    const updates = subscribe({ transactions: { one: {} }, entry: {} }, { fromSlot: 100n })
    const reading = updates.next()
    // The call has begun, and no update has arrived.
    for (let tick = 0; tick < 10; tick++) await Promise.resolve()
    updates.setFilters({ transactions: {}, entry: { two: {} } })
    await waitUntil(() => filterRequests(bench.server.calls[0]).length === 2)
    expect(bench.server.calls[0]?.map(({ fromSlot }) => fromSlot)).toEqual([100n, undefined])
    expect(labelOf((await reading).value as SubscribeUpdate)).toBe('100 t0')
    await updates.return()
  })

  it('rejects other levels and invalid filters, and keeps the previous ones', async () => {
    const updates = subscribe({ slots: { all: {} }, commitment: CommitmentLevel.CONFIRMED })
    expect(() => updates.setFilters({ slots: {} })).toThrow('filters.commitment')
    expect(() => updates.setFilters({ slots: { __fairlead: {} } })).toThrow('__fairlead')
    const reading = updates.next()
    await called()
    expect(Object.keys(bench.server.calls[0]?.[0]?.slots ?? {})).toEqual(['all'])
    await updates.return()
    expect(await reading).toEqual({ done: true, value: undefined })
  })

  it('opens another call if a call sends a single request', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const updates = subscribe({ transactions: { one: {} }, entry: {} }, { duplex: false, pingMs: 5 })
    const reading = readUpdates(updates, 3)
    await called()
    bench.server.push(...slotUpdates(100n))
    await reading
    const next = readUpdates(updates, 1)
    vi.advanceTimersByTime(30)
    updates.setFilters({ transactions: {}, entry: { two: {} } })
    await called(2)
    bench.server.push(...slotUpdates(101n))
    expect([await next, await readUpdates(updates, 1)]).toEqual([['100 e0'], ['101 e0']])
    expect(bench.server.calls.map((requests) => requests.length)).toEqual([1, 1])
    expect(bench.notices.map(({ kind }) => kind)).toEqual(['connected'])
    await updates.return()
  })
})

describe('pings', () => {
  it('are sent and answered, and never replace the filters', async () => {
    const updates = subscribe({ entry: { e: {} } }, { pingMs: 5 })
    const reading = readUpdates(updates, 1)
    await waitUntil(() => (bench.server.calls[0]?.length ?? 0) > 3)
    const pings = bench.server.calls[0]?.slice(1).map(({ ping }) => ping?.id)
    expect(pings?.slice(0, 3)).toEqual([1, 2, 3])
    bench.server.kill()
    await called(2)
    expect(Object.keys(bench.server.calls[1]?.[0]?.entry ?? {})).toEqual(['e'])
    bench.server.push(...slotUpdates(100n))
    expect(await reading).toEqual(['100 e0'])
    await updates.return()
  })

  it('are sent in response to those of the server', async () => {
    const updates = subscribe({ entry: { e: {} } }, { pingMs: 60_000 })
    const reading = readUpdates(updates, 1)
    await called()
    bench.server.publish(updateOf({ $case: 'ping', value: {} }))
    await waitUntil(() => bench.server.calls[0]?.[1]?.ping?.id === 1)
    await updates.return()
    expect(await reading).toEqual([])
  })
})

describe('gRPC-web', () => {
  it('resumes a subscription after faults and new filters', async () => {
    const proxy = await startWebProxy(bench.server.url)
    const auth = { kind: 'x-token', token: 't0k3n' } as const
    const web = createGrpcWebClient(GeyserDefinition, { url: proxy.url, auth })
    const updates = subscribeGeyser(
      web,
      { transactions: { one: {} }, entry: {} },
      { duplex: false, reconnect: { initialMs: 1 } },
    )
    const reading = readUpdates(updates, 6)
    await called()
    bench.server.push(...slotUpdates(100n))
    bench.server.push(...slotUpdates(101n).slice(0, 2))
    await bench.taken('101 t0')
    bench.server.kill()
    bench.server.push(...slotUpdates(101n).slice(2))
    expect(await reading).toEqual(['100 t0', '100 t1', '100 t2', '101 t0', '101 t1', '101 t2'])
    updates.setFilters({ transactions: {}, entry: { two: {} } })
    expect(await readUpdates(updates, 2)).toEqual(['100 e0', '101 e0'])
    await updates.return()
    await web.close()
    proxy.close()
  })
})
