import { describe, expect, it } from 'vitest'
import type { SubscribeUpdate } from '../../generated/geyser.ts'
import { reservedName } from '../filters/to-request.ts'
import { blockhashOf, slotUpdates } from '../testing/chain.ts'
import type { ForkNotice } from './notice.ts'
import { createSlotTracker } from './slot-tracker.ts'

/** A tracker with the input of a node, for a reader of transactions, and its fork notices. */
function createTracker() {
  const forks: ForkNotice[] = []
  const tracker = createSlotTracker((notice) => forks.push(notice))
  const processUpdates = (updates: readonly SubscribeUpdate[]) => {
    for (const update of updates) {
      const kind = update.updateOneof?.$case
      if (kind === 'transaction') tracker.process({ ...update, filters: ['t'] }, [])
      if (kind === 'blockMeta') tracker.process({ ...update, filters: [reservedName] }, [])
    }
  }
  return {
    tracker,
    forks,
    processUpdates,
    /** Adds whole blocks, each on top of the previous one. */
    build: (from: bigint, to: bigint, parent = from - 1n) => {
      processUpdates(slotUpdates(from, { parent }))
      for (let slot = from + 1n; slot <= to; slot++) processUpdates(slotUpdates(slot))
    },
  }
}

const forkOf = (slot: bigint, previousBlockhash?: string) => ({
  kind: 'fork',
  slot,
  blockhash: undefined,
  previousBlockhash,
})
const lost = (slot: bigint) => forkOf(slot, blockhashOf(slot))

describe('a fork notice, during one call,', () => {
  it('reports an abandoned incomplete slot, once, when the chain without it is final', () => {
    const { forks, processUpdates, build } = createTracker()
    build(100n, 115n)
    processUpdates(slotUpdates(116n).slice(0, 3))
    build(117n, 148n, 115n)
    expect(forks).toEqual([])
    build(149n, 149n)
    expect(forks).toEqual([forkOf(116n)])
    processUpdates(slotUpdates(116n).slice(3, 4))
    build(150n, 260n)
    expect(forks).toHaveLength(1)
  })

  it('reports a complete block, with its hash', () => {
    const { forks, build } = createTracker()
    build(100n, 116n)
    build(117n, 260n, 115n)
    expect(forks).toEqual([lost(116n)])
  })

  it('reports the shorter of two branches, although four newer blocks were built without the longer one', () => {
    const { forks, build } = createTracker()
    build(100n, 119n)
    build(120n, 123n, 115n)
    build(124n, 260n, 119n)
    expect(forks).toEqual([120n, 121n, 122n, 123n].map(lost))
  })

  it('reports a long branch, and one whose blocks are interleaved with those of the canonical chain', () => {
    const { forks, processUpdates, build } = createTracker()
    build(100n, 115n)
    for (let slot = 116n; slot < 140n; slot++) {
      processUpdates(slotUpdates(slot, { parent: slot < 118n ? 115n : slot - 2n }))
    }
    build(140n, 260n, 139n)
    const evenSlots = Array.from({ length: 12 }, (_, index) => 116n + 2n * BigInt(index))
    expect(forks).toEqual(evenSlots.map(lost))
  })

  it('reports a slot whose updates all arrived late', () => {
    const { forks, processUpdates, build } = createTracker()
    build(100n, 115n)
    build(117n, 125n, 115n)
    processUpdates(slotUpdates(116n))
    build(126n, 260n)
    expect(forks).toEqual([lost(116n)])
  })

  it('reports a slot also when a block arrives after its child', () => {
    const { forks, processUpdates, build } = createTracker()
    build(100n, 116n)
    build(117n, 130n, 115n)
    build(132n, 155n)
    processUpdates(slotUpdates(131n))
    build(156n, 260n)
    expect(forks).toEqual([lost(116n)])
  })

  it('is not sent for slots without delivered updates', () => {
    const { tracker, forks, processUpdates, build } = createTracker()
    build(100n, 115n)
    processUpdates(slotUpdates(116n, { transactions: 0 }))
    build(120n, 258n, 115n)
    processUpdates(slotUpdates(259n, { transactions: 0 }))
    tracker.reconnect()
    processUpdates(slotUpdates(257n))
    processUpdates(slotUpdates(259n, { transactions: 0, fork: 1, parent: 257n }))
    build(260n, 330n, 257n)
    expect(forks).toEqual([lost(258n)])
  })

  it('is not sent for an unknown start', () => {
    const { forks, processUpdates, build } = createTracker()
    // The end of a block, and a block whose relation to it is unknown.
    processUpdates(slotUpdates(100n).slice(2, 4))
    processUpdates(slotUpdates(101n, { parent: 99n }))
    build(102n, 260n, 100n)
    expect(forks).toEqual([lost(101n)])
  })

  it('is not sent across missing blocks', () => {
    const { tracker, forks, processUpdates, build } = createTracker()
    build(100n, 120n)
    processUpdates(slotUpdates(121n).slice(0, 3))
    tracker.startAt(undefined)
    tracker.reconnect()
    build(150n, 260n)
    expect(forks).toEqual([])
  })
})

describe('a fork notice, after an outage,', () => {
  it('is not sent because a node has nothing to replay', () => {
    const { tracker, forks, build } = createTracker()
    build(100n, 120n)
    tracker.reconnect()
    build(121n, 260n)
    expect(forks).toEqual([])
  })

  it('is sent once for a block that was replaced by one without delivered updates', () => {
    const { tracker, forks, processUpdates, build } = createTracker()
    build(100n, 120n)
    tracker.reconnect()
    processUpdates(slotUpdates(118n, { transactions: 0, fork: 1 }))
    build(121n, 260n, 117n)
    expect(forks).toEqual([{ ...lost(118n), blockhash: blockhashOf(118n, 1) }, lost(119n), lost(120n)])
  })

  it('reports a block that another process received', () => {
    const { tracker, forks, build } = createTracker()
    tracker.startAt(101n, blockhashOf(101n))
    tracker.reconnect()
    build(102n, 260n, 100n)
    expect(forks).toEqual([lost(101n)])
  })

  it('reports blocks that a replay does not reach', () => {
    const { tracker, forks, processUpdates, build } = createTracker()
    build(100n, 120n)
    tracker.reconnect()
    // 118 is the first slot of the replay; its block is now on top of another 117.
    processUpdates(slotUpdates(118n, { fork: 1, parentFork: 1 }))
    processUpdates(slotUpdates(119n, { fork: 1, parentFork: 1 }))
    processUpdates(slotUpdates(120n, { fork: 1, parentFork: 1 }))
    processUpdates(slotUpdates(121n, { parentFork: 1 }))
    build(122n, 260n)
    expect(forks.map(({ slot, blockhash }) => [slot, blockhash])).toEqual(
      [118n, 119n, 120n, 117n].map((slot) => [slot, blockhashOf(slot, 1)]),
    )
  })
})
