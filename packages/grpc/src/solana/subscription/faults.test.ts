import { GrpcError, Status } from '@fairlead/grpc-transport'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { SubscribeUpdate } from '../../generated/geyser.ts'
import { blockhashOf, labelOf, randomOf, slotUpdates } from '../testing/chain.ts'
import { createSubscriptionBench, readUntil, waitUntil } from '../testing/subscription-bench.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { GeyserSubscriptionOptions } from './options.ts'

const bench = createSubscriptionBench()
const { noticesOf, called } = bench
const subscribe = (options?: GeyserSubscriptionOptions) =>
  bench.subscribe({ accounts: { a: {} }, transactions: { t: {} }, entry: { e: {} } }, options)

const content = (slot: bigint) =>
  slotUpdates(slot)
    .map(labelOf)
    .filter((label) => !/ [ms]/.test(label))

describe('subscribeGeyser, when a call breaks', () => {
  it('resumes in the middle of a slot, without missing or duplicate updates', async () => {
    const updates = subscribe()
    const reading = readUntil(updates, '105 e0')
    await called()
    for (let slot = 100n; slot < 103n; slot++) bench.server.push(...slotUpdates(slot))
    bench.server.push(...slotUpdates(103n).slice(0, 2))
    await bench.taken('103 t0')
    bench.server.kill()
    // The rest of the slot, and another one, arrive while there is no connection.
    bench.server.push(...slotUpdates(103n).slice(2), ...slotUpdates(104n))
    await called(2)
    bench.server.push(...slotUpdates(105n))
    expect(await reading).toEqual([100n, 101n, 102n, 103n, 104n, 105n].flatMap(content))
    expect(bench.server.calls[1]?.[0]?.fromSlot).toBe(100n)
    expect(noticesOf('disconnected')).toHaveLength(1)
    expect(noticesOf('resumed')).toMatchObject([{ fromSlot: 100n }])
    expect(noticesOf('fork')).toEqual([])
    await updates.return()
  })

  it('resumes from two blocks before the last complete one', async () => {
    const updates = subscribe()
    const reading = readUntil(updates, '121 e0')
    await called()
    for (let slot = 100n; slot <= 120n; slot++) bench.server.push(...slotUpdates(slot))
    await waitUntil(() => updates.checkpoint?.slot === '118')
    bench.server.kill()
    await called(2)
    bench.server.push(...slotUpdates(121n))
    await reading
    expect(bench.server.calls[1]?.[0]?.fromSlot).toBe(118n)
    expect(updates.checkpoint).toEqual({ slot: '118', blockhash: blockhashOf(118n) })
    await updates.return()
  })

  it('adds missing updates of a complete block, also when another node replays it', async () => {
    const updates = subscribe()
    const reading = readUntil(updates, '103 e0')
    await called()
    bench.server.push(...slotUpdates(100n), ...slotUpdates(101n))
    // The block meta arrives before the last transaction.
    const [account, first, second, lateUpdate, entry, meta, status] = slotUpdates(102n) as [
      SubscribeUpdate,
      SubscribeUpdate,
      SubscribeUpdate,
      SubscribeUpdate,
      SubscribeUpdate,
      SubscribeUpdate,
      SubscribeUpdate,
    ]
    bench.server.push(account, first, second, entry, meta, status)
    await bench.taken('102 e0')
    bench.server.kill()
    bench.server.replace(102n, slotUpdates(102n, { writeVersion: 9_000n }))
    await called(2)
    bench.server.push(...slotUpdates(103n))
    const labels = await reading
    expect(labels.toSorted()).toEqual([100n, 101n, 102n, 103n].flatMap(content).toSorted())
    expect(labels.filter((label) => label === labelOf(lateUpdate))).toHaveLength(1)
    expect(noticesOf('fork')).toEqual([])
    await updates.return()
  })

  it(
    'delivers 10,000 updates once although calls are killed at random times',
    { timeout: 60_000 },
    async () => {
      const random = randomOf(20_26)
      const slots = 1_000n
      const updates = subscribe()
      const counts = new Map<string, number>()
      let last = 0n
      const reached = () => last
      const reading = (async () => {
        for await (const update of updates) {
          const label = labelOf(update)
          counts.set(label, (counts.get(label) ?? 0) + 1)
          last = update.updateOneof.value.slot
          if (label === `${slots} e0`) break
        }
      })()
      await called()
      let kills = 0
      for (let slot = 1n; slot <= slots; slot++) {
        for (const update of slotUpdates(slot, { transactions: 8 })) {
          bench.server.push(update)
          if (random() < 0.05) await wait(0)
          // Before the first update, there is no position to resume from.
          if (reached() > 0n && random() < 0.008) {
            kills++
            bench.server.kill()
          }
        }
        // Slots older than the ring buffer of the server would be lost.
        await waitUntil(() => slot - reached() <= 100n)
      }
      await reading
      expect(kills).toBeGreaterThan(40)
      expect(counts.size).toBe(10_000)
      expect([...counts].filter(([, times]) => times !== 1)).toEqual([])
      expect(noticesOf('fork')).toEqual([])
      expect(noticesOf('gap')).toEqual([])
    },
  )
})

describe('subscribeGeyser, when the chain forks', () => {
  const forkAt = async (slot: bigint, half: boolean) => {
    const updates = subscribe()
    const reading = readUntil(updates, '103 e0')
    await called()
    bench.server.push(...slotUpdates(100n), ...slotUpdates(101n))
    const fullSlot = slotUpdates(slot)
    bench.server.push(...(half ? fullSlot.slice(0, 3) : fullSlot))
    await (half ? bench.taken(`${slot} t1`) : waitUntil(() => updates.checkpoint?.slot === '100'))
    bench.server.kill()
    bench.server.replace(slot, slotUpdates(slot, { fork: 1 }))
    await called(2)
    bench.server.push(...slotUpdates(103n))
    const labels = await reading
    await updates.return()
    return labels.filter((label) => label.startsWith(String(slot)))
  }

  it('delivers another block that replaces a complete one', async () => {
    expect(await forkAt(102n, false)).toEqual([...content(102n), ...content(102n)])
    expect(noticesOf('fork')).toEqual([
      {
        kind: 'fork',
        slot: 102n,
        blockhash: blockhashOf(102n, 1),
        previousBlockhash: blockhashOf(102n),
      },
    ])
  })

  it('cannot distinguish another block from the rest of an incomplete one', async () => {
    expect(await forkAt(102n, true)).toEqual([...content(102n).slice(0, 3), ...content(102n)])
    expect(noticesOf('fork')).toEqual([])
  })

  it('reports that a slot no longer has a block', async () => {
    const updates = subscribe()
    const reading = readUntil(updates, '140 e0')
    await called()
    for (const slot of [100n, 101n, 102n]) bench.server.push(...slotUpdates(slot))
    await waitUntil(() => updates.checkpoint?.slot === '100')
    bench.server.kill()
    bench.server.replace(102n, [])
    await called(2)
    bench.server.push(...slotUpdates(103n, { parent: 101n }))
    for (let slot = 104n; slot <= 140n; slot++) bench.server.push(...slotUpdates(slot))
    await reading
    expect(noticesOf('fork')).toEqual([
      { kind: 'fork', slot: 102n, blockhash: undefined, previousBlockhash: blockhashOf(102n) },
    ])
    await updates.return()
  })
})

describe('subscribeGeyser, with all faults combined', () => {
  // A reader that follows the notices ends with the same data as the server.
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('keeps the reader synchronized with the chain, seed %i', async (seed) => {
    const random = randomOf(seed)
    const view = new Map<string, Set<string>>()
    const chain = new Map<string, string[]>()
    const doubled: string[] = []
    const complete = new Set<bigint>()
    const filters = { accounts: { a: {} }, transactions: { t: {} }, entry: { e: {} }, blocksMeta: { m: {} } }
    const updates = bench.subscribe(filters, {
      onNotice: (notice) => {
        if (notice.kind === 'fork') view.delete(String(notice.slot))
        if (notice.kind === 'gap') doubled.push('gap')
      },
    })
    // The blocks that exist at the end.
    const forks = new Map([[9n, 0]])
    const blockOf = (slot: bigint, fork = 0) => {
      let parent = slot - 1n
      while (!forks.has(parent)) parent--
      forks.set(slot, fork)
      return slotUpdates(slot, { accounts: 2, fork, parent, parentFork: forks.get(parent) })
    }
    // A lost slot is reported when the chain without it is final.
    const last = 160n
    const reading = (async () => {
      for await (const update of updates) {
        const { slot } = update.updateOneof.value
        const key = String(slot)
        if (update.updateOneof.$case === 'blockMeta') complete.add(slot)
        const counts = view.get(key) ?? new Set()
        const label = `${labelOf(update)} ${idOf(update)}`
        if (counts.has(label)) doubled.push(label)
        view.set(key, counts.add(label))
        if (labelOf(update) === `${last} m`) return
      }
    })()
    await called()
    bench.server.push(...store(chain, blockOf(10n)))
    await waitUntil(() => view.size > 0)
    for (let slot = 11n; slot <= last; slot++) {
      const fullSlot = blockOf(slot)
      const cut = random() < 0.15 && slot < last - 36n ? Math.floor(random() * fullSlot.length) : undefined
      bench.server.push(...store(chain, fullSlot).slice(0, cut))
      if (random() < 0.4) await wait(Math.floor(random() * 4))
      if (cut === undefined) continue
      const { calls } = bench.server
      const begun = calls.length
      bench.server.kill({ code: Status.UNAVAILABLE, detail: 'restart' })
      await waitUntil(() => calls.length > begun)
      // Another block is detected by its hash, so the reader needs the hash of the first one.
      const dropped = complete.has(slot - 1n) && random() < 0.6 ? slot - 1n : slot
      const fork = dropped === slot ? 0 : 1
      const replacement = random() < 0.7 ? blockOf(dropped, fork) : []
      if (replacement.length === 0) forks.delete(dropped)
      if (dropped !== slot) bench.server.replace(slot, blockOf(slot))
      bench.server.replace(dropped, replacement)
      store(chain, replacement, dropped)
      bench.server.refuse(undefined)
    }
    await reading
    expect(doubled).toEqual([])
    const sorted = (entries: Iterable<[string, Iterable<string>]>) =>
      Object.fromEntries([...entries].map(([slot, labels]) => [slot, [...labels].toSorted()]))
    expect(sorted(view)).toEqual(sorted(chain))
  })
})

/** Records the updates that a reader should have of a slot at the end. */
function store(chain: Map<string, string[]>, updates: SubscribeUpdate[], slot?: bigint): SubscribeUpdate[] {
  const labels = updates
    .filter((update) => !/ s/.test(labelOf(update)))
    .map((update) => `${labelOf(update)} ${idOf(update)}`)
  const name = slot?.toString() ?? labels[0]?.split(' ')[0] ?? ''
  if (labels.length > 0) chain.set(name, labels)
  else chain.delete(name)
  return updates
}

/** Identifies an update, including its block. */
function idOf({ updateOneof }: SubscribeUpdate): string {
  if (updateOneof?.$case === 'transaction') return String(updateOneof.value.transaction?.signature[0])
  if (updateOneof?.$case === 'account') return String(updateOneof.value.account?.data[0])
  if (updateOneof?.$case === 'blockMeta') return updateOneof.value.blockhash
  return updateOneof?.$case === 'entry' ? String(updateOneof.value.hash[0]) : ''
}

describe('subscribeGeyser, when slots are no longer stored', () => {
  const outage = async (updates: { readonly checkpoint: Checkpoint | undefined }, missed: number) => {
    await called()
    for (let slot = 100n; slot < 104n; slot++) bench.server.push(...slotUpdates(slot))
    await waitUntil(() => updates.checkpoint?.slot === '101')
    bench.server.kill({ code: Status.UNAVAILABLE, detail: 'server is shutting down try again later' })
    for (let slot = 104n; slot < 104n + BigInt(missed); slot++) bench.server.push(...slotUpdates(slot))
    await waitUntil(() => noticesOf('disconnected').length > 1)
    bench.server.refuse(undefined)
  }

  it('ends with the first available slot', async () => {
    const updates = subscribe()
    const reading = readUntil(updates, 'never')
    const failed = expect(reading).rejects.toMatchObject({
      code: 'STREAM_GAP',
      details: { firstAvailableSlot: '154' },
    })
    await outage(updates, 200)
    await failed
    expect(await updates.next()).toEqual({ done: true, value: undefined })
  })

  it('resumes there and reports the gap, if configured', async () => {
    const updates = subscribe({ onGap: 'resume' })
    const reading = readUntil(updates, '303 e0')
    await outage(updates, 200)
    const labels = await reading
    expect(noticesOf('gap')).toEqual([{ kind: 'gap', from: 102n, to: 153n }])
    const expected = []
    for (let slot = 100n; slot <= 303n; slot++)
      if (slot < 104n || slot > 153n) expected.push(...content(slot))
    expect(labels).toEqual(expected)
    await updates.return()
  })

  it('queries the first slot if the server does not name it', async () => {
    const updates = subscribe({ onGap: 'resume' })
    const reading = readUntil(updates, '303 e0')
    await outage(updates, 200)
    bench.server.refuse(({ fromSlot = 0n }) =>
      fromSlot < 154n ? new GrpcError(Status.OUT_OF_RANGE, 'too old') : undefined,
    )
    await reading
    expect(noticesOf('gap')).toEqual([{ kind: 'gap', from: 102n, to: 153n }])
    await updates.return()
  })

  it('reports a start slot that is too old', async () => {
    for (let slot = 100n; slot < 300n; slot++) bench.server.push(...slotUpdates(slot))
    const early = subscribe({ fromSlot: 100n })
    await expect(early.next()).rejects.toMatchObject({ details: { firstAvailableSlot: '150' } })
    const later = subscribe({ fromSlot: 100n, onGap: 'resume' })
    expect(await readUntil(later, '150 e0')).toEqual(content(150n))
    expect(noticesOf('gap')).toEqual([{ kind: 'gap', from: 100n, to: 149n }])
    await later.return()
  })

  it('ends immediately if the server never replays', async () => {
    bench.server.refuse(() => new GrpcError(Status.INTERNAL, 'from_slot is not supported'))
    const updates = subscribe({ fromSlot: 100n })
    await expect(updates.next()).rejects.toMatchObject({ code: 'STREAM_GAP' })
    expect(bench.server.calls).toHaveLength(1)
  })

  it('abandons the replay after repeated INTERNAL, with delays in between', async () => {
    const updates = subscribe({ onGap: 'resume' })
    const reading = readUntil(updates, '400 e0')
    await called()
    for (let slot = 100n; slot < 104n; slot++) bench.server.push(...slotUpdates(slot))
    await waitUntil(() => updates.checkpoint?.slot === '101')
    bench.server.kill()
    bench.server.refuse(({ fromSlot }) =>
      fromSlot === undefined ? undefined : new GrpcError(Status.INTERNAL, 'failed to get replay response'),
    )
    await called(2)
    bench.server.push(...slotUpdates(400n))
    await reading
    expect(bench.server.calls.filter(([first]) => first?.fromSlot !== undefined)).toHaveLength(10)
    expect(noticesOf('gap')).toEqual([{ kind: 'gap', from: 102n, to: 400n }])
    await updates.return()
  })

  it('does not replay if replay is false', async () => {
    const updates = subscribe({ replay: false })
    const reading = readUntil(updates, '200 e0')
    await called()
    for (let slot = 100n; slot < 104n; slot++) bench.server.push(...slotUpdates(slot))
    await waitUntil(() => updates.checkpoint?.slot === '101')
    bench.server.kill()
    await called(2)
    bench.server.push(...slotUpdates(200n))
    expect(await reading).toEqual([100n, 101n, 102n, 103n, 200n].flatMap(content))
    expect(bench.server.calls[1]?.[0]?.fromSlot).toBeUndefined()
    expect(noticesOf('gap')).toEqual([{ kind: 'gap', from: 102n, to: 200n }])
    await updates.return()
  })
})
