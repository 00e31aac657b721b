import { GrpcError, Status } from '@fairlead/grpc-transport'
import { once } from 'node:events'
import { settled } from '@fairlead/vitest/settled'
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import type { SubscribeUpdateTransaction } from '../../generated/geyser.ts'
import { blockhashOf, bytesOf, labelOf, slotUpdates } from '../testing/chain.ts'
import { updateOf } from '../testing/geyser-server.ts'
import { createSubscriptionBench, readUpdates, waitUntil } from '../testing/subscription-bench.ts'
import type { Checkpoint } from './checkpoint.ts'

const bench = createSubscriptionBench()
afterEach(() => void vi.useRealTimers())
const { subscribe, called } = bench

describe('updates', () => {
  it('match the filters only, although the subscription follows the blocks', async () => {
    const updates = subscribe({ transactions: { one: {}, two: {} } })
    const reading = updates.next()
    await called()
    bench.server.push(...slotUpdates(100n))
    const { value } = await reading
    expect(value?.filters).toEqual(['one', 'two'])
    expect(await readUpdates(updates, 2)).toEqual(['100 t1', '100 t2'])
    expect(Object.keys(bench.server.calls[0]?.[0]?.blocksMeta ?? {})).toEqual(['__fairlead'])
    await updates.return()
  })

  it('include the block meta if it is requested', async () => {
    const updates = subscribe({ blocksMeta: { mine: {} }, slots: { all: {} } })
    const reading = readUpdates(updates, 2)
    await called()
    bench.server.push(...slotUpdates(100n))
    expect(await reading).toEqual(['100 m', '100 s0'])
    expect(Object.keys(bench.server.calls[0]?.[0]?.blocksMeta ?? {})).toEqual(['mine'])
    await updates.return()
  })

  it('are returned in order for concurrent reads', async () => {
    const updates = subscribe({ transactions: { one: {} } })
    const reads = [updates.next(), updates.next(), updates.next(), updates.next()]
    await called()
    bench.server.push(...slotUpdates(100n, { transactions: 4 }))
    const results = await Promise.all(reads)
    expect(results.map(({ value }) => value && labelOf(value))).toEqual([
      '100 t0',
      '100 t1',
      '100 t2',
      '100 t3',
    ])
    const last = updates.next()
    await updates.return()
    expect(await last).toEqual({ done: true, value: undefined })
  })

  it('have the type of their filters', () => {
    const updates = subscribe({ transactions: { one: {} } })
    expectTypeOf(updates.next)
      .returns.resolves.extract<{ done?: false }>()
      .toHaveProperty('value')
      .toHaveProperty('updateOneof')
      .toEqualTypeOf<{ $case: 'transaction'; value: SubscribeUpdateTransaction }>()
    // @ts-expect-error a kind that was not in the initial filters
    expect(() => updates.setFilters({ blocks: { b: {} } })).not.toThrow()
  })

  it('are read from the server only as fast as the reader reads them', async () => {
    const updates = subscribe({ accounts: { a: {} } })
    const reading = updates.next()
    await called()
    const size = 256 * 1024
    const total = 600
    for (let index = 0; index < total; index++) {
      bench.server.push(
        updateOf({
          $case: 'account',
          value: {
            slot: 100n,
            isStartup: false,
            account: {
              pubkey: bytesOf(index, 32),
              lamports: 1n,
              owner: bytesOf(1, 32),
              executable: false,
              rentEpoch: 0n,
              data: new Uint8Array(size),
              writeVersion: 1n,
              txnSignature: bytesOf(index, 64),
            },
          },
        }),
      )
    }
    await reading
    await settled(() => bench.server.sent, bench.roundTrip)
    // The windows of the call and the socket buffers, out of 150 MiB.
    expect(bench.server.sent * size).toBeLessThan(40 * 1024 * 1024)
    const received = new Set(await readUpdates(updates, total - 1))
    expect(bench.server.sent).toBe(total)
    expect(received.size).toBeGreaterThan(1)
    await updates.return()
  })
})

describe('the watchdog', () => {
  it('opens another call when nothing arrives', async () => {
    const updates = subscribe({ entry: { e: {} } }, { silentMs: 60, pingMs: 60_000 })
    const reading = readUpdates(updates, 1)
    await called(2)
    bench.server.push(...slotUpdates(100n))
    expect(await reading).toEqual(['100 e0'])
    expect(bench.notices).toContainEqual(
      expect.objectContaining({ kind: 'disconnected', detail: 'nothing has arrived for 60 ms' }),
    )
    await updates.return()
  })

  it('counts pings of the server as activity', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const updates = subscribe({ entry: { e: {} } }, { silentMs: 150, pingMs: 60_000 })
    const reading = readUpdates(updates, 1)
    await called()
    // Longer in total than the inactivity timeout of the server.
    for (let round = 1; round <= 20; round++) {
      vi.advanceTimersByTime(20)
      bench.server.publish(updateOf({ $case: 'ping', value: {} }))
      await waitUntil(() => bench.server.calls[0]?.filter(({ ping }) => ping).length === round)
    }
    expect(bench.server.calls).toHaveLength(1)
    await updates.return()
    await reading
  })

  it('does not treat a slow reader as an inactive server', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const updates = subscribe({ entry: { e: {} } }, { silentMs: 40 })
    const reading = readUpdates(updates, 1)
    await called()
    bench.server.push(...slotUpdates(100n))
    await reading
    vi.advanceTimersByTime(200)
    bench.server.push(...slotUpdates(101n))
    expect(await readUpdates(updates, 1)).toEqual(['101 e0'])
    expect(bench.server.calls).toHaveLength(1)
    await updates.return()
  })
})

describe('errors', () => {
  it.each([Status.UNAUTHENTICATED, Status.PERMISSION_DENIED, Status.INVALID_ARGUMENT, Status.UNIMPLEMENTED])(
    'ends immediately with status %i',
    async (code) => {
      bench.server.refuse(() => new GrpcError(code, 'No valid auth token'))
      const updates = subscribe({ entry: { e: {} } })
      await expect(updates.next()).rejects.toMatchObject({ code: 'GRPC_STATUS', details: { status: code } })
      expect(bench.server.calls).toHaveLength(1)
      expect(await updates.next()).toEqual({ done: true, value: undefined })
    },
  )

  it('end the subscription after the maximum number of consecutive attempts', async () => {
    bench.server.refuse(() => new GrpcError(Status.UNAVAILABLE, 'restart'))
    const updates = subscribe({ entry: { e: {} } }, { reconnect: { initialMs: 1, maxAttempts: 3 } })
    await expect(updates.next()).rejects.toMatchObject({ details: { status: Status.UNAVAILABLE } })
    expect(bench.server.calls).toHaveLength(4)
    expect(bench.notices.map((notice) => notice.kind === 'disconnected' && notice.attempt)).toEqual([1, 2, 3])
  })

  it('of a lagging reader are reported as such, and recovered from', async () => {
    const updates = subscribe({ entry: { e: {} } })
    const reading = readUpdates(updates, 2)
    await called()
    bench.server.push(...slotUpdates(100n))
    await bench.taken('100 e0')
    bench.server.kill({ code: Status.INTERNAL, detail: 'lagged to send an update' })
    await waitUntil(() => bench.notices.some(({ kind }) => kind === 'lagging'))
    bench.server.refuse(undefined)
    bench.server.push(...slotUpdates(101n))
    expect(await reading).toEqual(['100 e0', '101 e0'])
    await updates.return()
  })

  it('reject invalid settings', () => {
    expect(() => subscribe({}, { silentMs: 0 })).toThrow('silentMs')
    expect(() => subscribe({}, { reconnect: { maxMs: Number.NaN } })).toThrow('reconnect.maxMs')
    expect(() => subscribe({}, { fromSlot: -1n })).toThrow('fromSlot')
    // @ts-expect-error no such policy
    expect(() => subscribe({}, { onGap: 'ignore' })).toThrow('onGap')
  })
})

describe('the end', () => {
  it('has the reason of the signal, in the middle of a wait', async () => {
    const abort = new AbortController()
    const updates = subscribe({ entry: { e: {} } }, { signal: abort.signal })
    const reading = updates.next()
    await called()
    const reason = new Error('enough')
    abort.abort(reason)
    await expect(reading).rejects.toBe(reason)
    expect(await updates.next()).toEqual({ done: true, value: undefined })
  })

  it('precedes the first call if the signal is already aborted', async () => {
    const updates = subscribe({ entry: { e: {} } }, { signal: AbortSignal.abort('no') })
    await expect(updates.next()).rejects.toBe('no')
    expect(bench.server.calls).toHaveLength(0)
  })

  it('follows break and disposal, and cancels the call', async () => {
    const cancelled = once(bench.server.events, 'cancelled')
    const updates = subscribe({ entry: { e: {} } })
    const reading = (async () => {
      for await (const { updateOneof } of updates) return updateOneof.value.slot
      return undefined
    })()
    await called()
    bench.server.push(...slotUpdates(100n))
    expect(await reading).toBe(100n)
    await cancelled
    const next = once(bench.server.events, 'cancelled')
    {
      await using second = subscribe({ entry: { e: {} } })
      void second.next()
      await called(2)
    }
    await next
  })

  it('can occur during an outage', async () => {
    bench.server.refuse(() => new GrpcError(Status.UNAVAILABLE, 'restart'))
    const updates = subscribe({ entry: { e: {} } }, { reconnect: { initialMs: 60_000 } })
    const reading = updates.next()
    await waitUntil(() => bench.notices.length > 0)
    await updates.return()
    expect(await reading).toEqual({ done: true, value: undefined })
  })
})

describe('checkpoints', () => {
  const store = () => {
    const saved: string[] = []
    return {
      saved,
      load: () => Promise.resolve(undefined),
      save: ({ slot, blockhash }: Checkpoint) => {
        saved.push(blockhash === undefined ? `${slot} begun` : slot)
        return Promise.resolve()
      },
    }
  }

  it('are saved once per block, after the reader has processed its updates', async () => {
    const checkpoint = store()
    const updates = subscribe({ entry: { e: {} } }, { checkpoint })
    const reading = readUpdates(updates, 5)
    await called()
    for (let slot = 100n; slot < 110n; slot++) bench.server.push(...slotUpdates(slot))
    expect(await reading).toEqual(['100 e0', '101 e0', '102 e0', '103 e0', '104 e0'])
    expect(checkpoint.saved).toEqual(['100 begun', '100', '101'])
    expect(updates.checkpoint).toEqual({ slot: '101', blockhash: blockhashOf(101n) })
    await readUpdates(updates, 1)
    expect(checkpoint.saved).toEqual(['100 begun', '100', '101', '102'])
    await updates.return()
  })

  it('are first saved before the first update is delivered', async () => {
    const checkpoint = store()
    const updates = subscribe({ entry: { e: {} } }, { checkpoint })
    const reading = readUpdates(updates, 1)
    await called()
    bench.server.push(...slotUpdates(100n))
    await reading
    expect(checkpoint.saved).toEqual(['100 begun'])
    expect(updates.checkpoint).toEqual({ slot: '100' })
    await updates.return()
  })

  it('let another process resume after them, and detect a fork', async () => {
    for (let slot = 100n; slot < 104n; slot++) bench.server.push(...slotUpdates(slot))
    const from = (blockhash: string | undefined) => ({
      ...store(),
      load: () => Promise.resolve({ slot: '101', blockhash }),
    })
    const same = subscribe({ entry: { e: {} } }, { checkpoint: from(blockhashOf(101n)) })
    expect(same.checkpoint).toBeUndefined()
    expect(await readUpdates(same, 2)).toEqual(['102 e0', '103 e0'])
    expect(same.checkpoint?.slot).toBe('101')
    await same.return()
    const second = subscribe({ entry: { e: {} } }, { checkpoint: from(blockhashOf(101n, 1)) })
    expect(await readUpdates(second, 2)).toEqual(['101 e0', '102 e0'])
    expect(bench.notices).toContainEqual({
      kind: 'fork',
      slot: 101n,
      blockhash: blockhashOf(101n),
      previousBlockhash: blockhashOf(101n, 1),
    })
    await second.return()
    const without = subscribe({ entry: { e: {} } }, { checkpoint: from(undefined) })
    expect(await readUpdates(without, 1)).toEqual(['101 e0'])
    await without.return()
  })

  it('propagate errors of their store to the reader', async () => {
    for (let slot = 100n; slot < 104n; slot++) bench.server.push(...slotUpdates(slot))
    const full = new Error('disk full')
    const failing = subscribe(
      { entry: { e: {} } },
      { fromSlot: 100n, checkpoint: { ...store(), save: () => Promise.reject(full) } },
    )
    await expect(readUpdates(failing, 4)).rejects.toBe(full)
    const broken = subscribe({}, { checkpoint: { ...store(), load: () => Promise.resolve({ slot: 'x' }) } })
    await expect(broken.next()).rejects.toThrow('checkpoint.slot')
  })
})
