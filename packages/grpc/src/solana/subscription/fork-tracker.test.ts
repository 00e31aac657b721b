import { describe, expect, it } from 'vitest'
import type { SubscribeUpdate } from '../../generated/geyser.ts'
import { reservedName } from '../filters/to-request.ts'
import { blockhashOf, slotUpdates } from '../testing/chain.ts'
import type { ForkNotice } from './notice.ts'
import { createSlotTracker } from './slot-tracker.ts'

/** A tracker with the input of a node, for a reader of transactions, and its fork notices. */
function trackerAlone() {
  const forks: ForkNotice[] = []
  const tracker = createSlotTracker((notice) => forks.push(notice))
  const take = (updates: readonly SubscribeUpdate[]) => {
    for (const update of updates) {
      const kind = update.updateOneof?.$case
      if (kind === 'transaction') tracker.take({ ...update, filters: ['t'] }, [])
      if (kind === 'blockMeta') tracker.take({ ...update, filters: [reservedName] }, [])
    }
  }
  return {
    tracker,
    forks,
    take,
    /** Adds whole blocks, each on top of the previous one. */
    build: (from: bigint, to: bigint, parent = from - 1n) => {
      take(slotUpdates(from, { parent }))
      for (let slot = from + 1n; slot <= to; slot++) take(slotUpdates(slot))
    },
  }
}

const gone = (slot: bigint, previousBlockhash?: string) => ({
  kind: 'fork',
  slot,
  blockhash: undefined,
  previousBlockhash,
})
const lost = (slot: bigint) => gone(slot, blockhashOf(slot))

describe('a fork notice, while the call holds,', () => {
  it('tells a slot that died half way, once, when the chain without it is final', () => {
    const { forks, take, build } = trackerAlone()
    build(100n, 115n)
    take(slotUpdates(116n).slice(0, 3))
    build(117n, 148n, 115n)
    expect(forks).toEqual([])
    build(149n, 149n)
    expect(forks).toEqual([gone(116n)])
    take(slotUpdates(116n).slice(3, 4))
    build(150n, 260n)
    expect(forks).toHaveLength(1)
  })

  it('tells a block that was complete, with its hash', () => {
    const { forks, build } = trackerAlone()
    build(100n, 116n)
    build(117n, 260n, 115n)
    expect(forks).toEqual([lost(116n)])
  })

  it('tells the shorter of two branches, although four newer blocks were built without the longer one', () => {
    const { forks, build } = trackerAlone()
    build(100n, 119n)
    build(120n, 123n, 115n)
    build(124n, 260n, 119n)
    expect(forks).toEqual([120n, 121n, 122n, 123n].map(lost))
  })

  it('tells a long branch, and one whose blocks came in turn with those that stayed', () => {
    const { forks, take, build } = trackerAlone()
    build(100n, 115n)
    for (let slot = 116n; slot < 140n; slot++) {
      take(slotUpdates(slot, { parent: slot < 118n ? 115n : slot - 2n }))
    }
    build(140n, 260n, 139n)
    const even = Array.from({ length: 12 }, (_, index) => 116n + 2n * BigInt(index))
    expect(forks).toEqual(even.map(lost))
  })

  it('tells a slot of which all came late', () => {
    const { forks, take, build } = trackerAlone()
    build(100n, 115n)
    build(117n, 125n, 115n)
    take(slotUpdates(116n))
    build(126n, 260n)
    expect(forks).toEqual([lost(116n)])
  })

  it('tells a slot also when a block came after its child', () => {
    const { forks, take, build } = trackerAlone()
    build(100n, 116n)
    build(117n, 130n, 115n)
    build(132n, 155n)
    take(slotUpdates(131n))
    build(156n, 260n)
    expect(forks).toEqual([lost(116n)])
  })

  it('is not told of slots of which the reader has nothing', () => {
    const { tracker, forks, take, build } = trackerAlone()
    build(100n, 115n)
    take(slotUpdates(116n, { transactions: 0 }))
    build(120n, 258n, 115n)
    take(slotUpdates(259n, { transactions: 0 }))
    tracker.reconnect()
    take(slotUpdates(257n))
    take(slotUpdates(259n, { transactions: 0, fork: 1, parent: 257n }))
    build(260n, 330n, 257n)
    expect(forks).toEqual([lost(258n)])
  })

  it('is not told of a beginning that is unknown', () => {
    const { forks, take, build } = trackerAlone()
    // The end of a block, and a block whose relation to it is unknown.
    take(slotUpdates(100n).slice(2, 4))
    take(slotUpdates(101n, { parent: 99n }))
    build(102n, 260n, 100n)
    expect(forks).toEqual([lost(101n)])
  })

  it('is not told across blocks that are missing', () => {
    const { tracker, forks, take, build } = trackerAlone()
    build(100n, 120n)
    take(slotUpdates(121n).slice(0, 3))
    tracker.startAt(undefined)
    tracker.reconnect()
    build(150n, 260n)
    expect(forks).toEqual([])
  })
})

describe('a fork notice, after an outage,', () => {
  it('is not told because a node has nothing to replay', () => {
    const { tracker, forks, build } = trackerAlone()
    build(100n, 120n)
    tracker.reconnect()
    build(121n, 260n)
    expect(forks).toEqual([])
  })

  it('is told once of a block that was replaced by one of which the reader has nothing', () => {
    const { tracker, forks, take, build } = trackerAlone()
    build(100n, 120n)
    tracker.reconnect()
    take(slotUpdates(118n, { transactions: 0, fork: 1 }))
    build(121n, 260n, 117n)
    expect(forks).toEqual([{ ...lost(118n), blockhash: blockhashOf(118n, 1) }, lost(119n), lost(120n)])
  })

  it('tells a block that another process was given', () => {
    const { tracker, forks, build } = trackerAlone()
    tracker.startAt(101n, blockhashOf(101n))
    tracker.reconnect()
    build(102n, 260n, 100n)
    expect(forks).toEqual([lost(101n)])
  })

  it('tells blocks that a replay does not reach', () => {
    const { tracker, forks, take, build } = trackerAlone()
    build(100n, 120n)
    tracker.reconnect()
    // 118 is the first slot of the replay; its block is now on top of another 117.
    take(slotUpdates(118n, { fork: 1, parentFork: 1 }))
    take(slotUpdates(119n, { fork: 1, parentFork: 1 }))
    take(slotUpdates(120n, { fork: 1, parentFork: 1 }))
    take(slotUpdates(121n, { parentFork: 1 }))
    build(122n, 260n)
    expect(forks.map(({ slot, blockhash }) => [slot, blockhash])).toEqual(
      [118n, 119n, 120n, 117n].map((slot) => [slot, blockhashOf(slot, 1)]),
    )
  })
})
