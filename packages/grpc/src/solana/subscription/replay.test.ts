import { GrpcError, Status } from '@fairlead/grpc-transport'
import { describe, expect, it } from 'vitest'
import { labelOf, slotUpdates } from '../testing/chain.ts'
import { createSubscriptionBench, readUntil, waitUntil } from '../testing/subscription-bench.ts'
import type { GeyserSubscriptionOptions } from './options.ts'

const bench = createSubscriptionBench()
const { noticesOf, called } = bench
const subscribe = (options?: GeyserSubscriptionOptions) =>
  bench.subscribe(
    { accounts: { a: {} }, transactions: { t: {} }, entry: { e: {} }, slots: { s: {} } },
    options,
  )

const labels = (slot: bigint) =>
  slotUpdates(slot)
    .map(labelOf)
    .filter((label) => !label.endsWith(' m'))

describe('a replay', () => {
  it('can contain only complete blocks, which is not a fork', async () => {
    const updates = subscribe()
    const reading = readUntil(updates, '104 s0')
    await called()
    bench.server.push(...slotUpdates(102n), ...slotUpdates(103n).slice(0, 2))
    await bench.taken('103 t0')
    bench.server.kill()
    bench.server.replace(103n, [])
    await called(2)
    bench.server.push(...slotUpdates(103n).slice(3), ...slotUpdates(104n))
    const expected = [102n, 103n, 104n].flatMap(labels).filter((label) => label !== '103 t1')
    expect(await reading).toEqual(expected)
    expect(noticesOf('fork')).toEqual([])
    await updates.return()
  })

  it('can overlap with live updates', async () => {
    const updates = subscribe()
    const reading = readUntil(updates, '105 s0')
    await called()
    bench.server.push(...slotUpdates(102n))
    await bench.taken('102 s0')
    bench.server.kill()
    bench.server.push(...slotUpdates(103n), ...slotUpdates(104n))
    await called(2)
    // Updates that were queued for the call while the node looked up the replay.
    bench.server.push(...slotUpdates(103n).slice(3), ...slotUpdates(104n), ...slotUpdates(105n))
    expect(await reading).toEqual([102n, 103n, 104n, 105n].flatMap(labels))
    await updates.return()
  })

  it('does not repeat statuses from before the first block', async () => {
    const updates = subscribe()
    const reading = readUntil(updates, '103 s0')
    await called()
    const [status] = slotUpdates(102n).slice(-1)
    if (status) bench.server.push(status)
    await bench.taken('102 s0')
    bench.server.push(...slotUpdates(102n).slice(0, -1))
    await bench.taken('102 e0')
    bench.server.kill()
    bench.server.replace(102n, slotUpdates(102n))
    await called(2)
    bench.server.push(...slotUpdates(103n))
    expect((await reading).filter((label) => label.includes(' s'))).toEqual(['102 s0', '103 s0'])
    await updates.return()
  })

  it.each(['error', 'resume'] as const)('that omits blocks is a gap, with onGap %s', async (onGap) => {
    const updates = subscribe({ onGap })
    const reading = readUntil(updates, '151 e0')
    await called()
    const sent = [100n, 101n, 102n, 103n]
    for (const slot of sent) bench.server.push(...slotUpdates(slot))
    await waitUntil(() => updates.checkpoint?.slot === '101')
    bench.server.kill()
    // A node that has just started has no slots to replay.
    for (const slot of sent) bench.server.replace(slot, [])
    await called(2)
    for (const slot of [150n, 151n, 152n]) bench.server.push(...slotUpdates(slot))
    if (onGap === 'error') {
      await expect(reading).rejects.toMatchObject({ code: 'STREAM_GAP' })
      return
    }
    await reading
    expect(noticesOf('gap')).toEqual([{ kind: 'gap', from: 104n, to: 149n }])
    expect(noticesOf('fork')).toEqual([])
    await updates.return()
  })

  it('drops updates of a node that lags', async () => {
    const updates = subscribe()
    const reading = readUntil(updates, '106 e0')
    await called()
    const sent = [100n, 101n, 102n, 103n, 104n, 105n]
    for (const slot of sent) bench.server.push(...slotUpdates(slot))
    await waitUntil(() => updates.checkpoint?.slot === '103')
    bench.server.kill()
    for (const slot of sent) bench.server.replace(slot, [])
    await called(2)
    for (const slot of [...sent, 106n]) bench.server.push(...slotUpdates(slot))
    const content = (await reading).filter((label) => !label.includes(' s'))
    expect(content).toEqual([...sent, 106n].flatMap(labels).filter((label) => !label.includes(' s')))
    await updates.return()
  })

  it('begins no earlier than requested', async () => {
    const updates = subscribe({ fromSlot: 103n })
    const reading = readUntil(updates, '103 e0')
    await called()
    bench.server.push(...slotUpdates(102n), ...slotUpdates(103n))
    expect((await reading).filter((label) => !label.includes(' s'))).toEqual(labels(103n).slice(0, -1))
    await updates.return()
  })

  it.each([
    [Status.INTERNAL, 'broadcast from 100 is not available, last available: 150'],
    [Status.INVALID_ARGUMENT, 'replay from 100, first available slot: 150'],
    [Status.INVALID_ARGUMENT, 'failed to get replay position for slot 100'],
    [Status.OUT_OF_RANGE, 'too old'],
  ])('that is rejected with status %i, %s, is a gap', async (code, detail) => {
    for (let slot = 150n; slot < 160n; slot++) bench.server.push(...slotUpdates(slot))
    bench.server.refuse(() => new GrpcError(code, detail))
    const updates = subscribe({ fromSlot: 100n })
    await expect(updates.next()).rejects.toMatchObject({
      code: 'STREAM_GAP',
      details: { firstAvailableSlot: '150' },
    })
    expect(bench.server.calls).toHaveLength(1)
  })

  it('waits for a node that does not have the slot yet', async () => {
    for (let slot = 100n; slot < 103n; slot++) bench.server.push(...slotUpdates(slot))
    let refusals = 0
    bench.server.refuse(({ fromSlot }) =>
      refusals++ < 3
        ? new GrpcError(Status.INVALID_ARGUMENT, `failed to get replay position for slot ${fromSlot}`)
        : undefined,
    )
    const updates = subscribe({ fromSlot: 103n })
    const reading = readUntil(updates, '103 e0')
    await called()
    bench.server.push(...slotUpdates(103n))
    expect(await reading).toEqual(labels(103n).slice(0, -1))
    await updates.return()
  })
})
