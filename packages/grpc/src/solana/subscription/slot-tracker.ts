import type { SubscribeUpdate } from '../../generated/geyser.ts'
import { reservedName } from '../filters/to-request.ts'
import type { Checkpoint } from './checkpoint.ts'
import { createDelivered, type Delivered } from './deduplicator.ts'
import { createLineage } from './fork-tracker.ts'
import type { ForkNotice } from './notice.ts'
import { slotOf } from './update-key.ts'

/** Tracks the delivered updates of each recent slot, so that a replay adds missing updates and repeats none. */
export interface SlotTracker {
  /** Appends the new parts of an update to `out`, and updates that waited for it. */
  take(update: SubscribeUpdate, out: SubscribeUpdate[]): void
  /** Reports that a new connection begins, which replays everything from {@link resumeSlot} on. */
  reconnect(): void
  /** Begins with a slot; earlier state is dropped. Without a slot, the stream continues at any position. */
  startAt(slot: bigint | undefined, blockhash?: string): void
  /** The slot to replay from; undefined before the first update. */
  readonly resumeSlot: bigint | undefined
  /** The slot of the latest complete block. */
  readonly newestBlock: bigint | undefined
  /** The latest slot of which no further update is expected. */
  readonly checkpoint: Checkpoint | undefined
  /** Increases with every new update. */
  readonly progress: number
}

interface SlotRecord {
  delivered: Delivered
  /** Known once the block is complete. */
  blockhash: string | undefined
  /** Whether another process delivered the whole block. */
  readonly whole: boolean
  /** Whether the reader has any update of its block. */
  shown: boolean
  /** Whether further updates of it may be repetitions. */
  repeated: boolean
  /** Repeated updates, held until the block shows whether it is still the same; undefined when there are none. */
  held: SubscribeUpdate[] | undefined
  /** The statuses that were delivered, one bit each. */
  statuses: number
}

// The block meta may arrive before the last updates of a block, so the two latest blocks count as incomplete.
const blocksKept = 3
const maxSlots = 10_000
const maxKeys = 500_000
const maxHeld = 100_000

export function createSlotTracker(onFork: (notice: ForkNotice) => void): SlotTracker {
  const records = new Map<bigint, SlotRecord>()
  const lineage = createLineage(onFork)
  let newest: { readonly slot: bigint; readonly blockhash: string }[] = []
  // Updates of one slot are usually consecutive.
  let latest: { readonly slot: bigint; readonly record: SlotRecord } | undefined
  let floor: bigint | undefined
  // First slot of the connection; undefined for one that is live from the start.
  let begin: bigint | undefined
  let checkpoint: Checkpoint | undefined
  let keys = 0
  let held = 0
  let progress = 0

  const recordOf = (slot: bigint): SlotRecord => {
    if (latest?.slot === slot) return latest.record
    const record = records.get(slot) ?? newRecord()
    records.set(slot, record)
    latest = { slot, record }
    return record
  }

  /** Emits an update; returns false when it is only for the subscription itself. */
  const emit = (update: SubscribeUpdate, out: SubscribeUpdate[]) => {
    progress++
    if (update.updateOneof?.$case !== 'blockMeta' || !update.filters.includes(reservedName)) {
      out.push(update)
      return true
    }
    const filters = update.filters.filter((name) => name !== reservedName)
    if (filters.length > 0) out.push({ ...update, filters })
    return filters.length > 0
  }

  const deliver = (record: SlotRecord, update: SubscribeUpdate, out: SubscribeUpdate[]) => {
    if (!record.repeated) record.delivered.note(update)
    else if (!record.delivered.add(update)) return
    keys++
    if (emit(update, out)) record.shown = true
  }

  /** Releases the held updates: all of them when the block is another one, else the missing ones. */
  const release = (
    slot: bigint,
    record: SlotRecord,
    blockhash: string | undefined,
    out: SubscribeUpdate[],
  ) => {
    const waiting = record.held ?? []
    held -= waiting.length
    record.held = undefined
    const forked = blockhash !== undefined && blockhash !== record.blockhash
    if (forked) {
      onFork({ kind: 'fork', slot, blockhash, previousBlockhash: record.blockhash })
      keys -= record.delivered.size
      record.delivered = createDelivered()
      record.shown = false
      record.statuses = 0
    }
    const skip = record.whole && !forked && blockhash !== undefined
    for (const update of waiting) {
      if (!skip) deliver(record, update, out)
      else if (record.delivered.add(update)) keys++
    }
    record.blockhash = blockhash ?? record.blockhash
  }

  const forget = (slot: bigint, record: SlotRecord, out: SubscribeUpdate[]) => {
    if (record.held) release(slot, record, undefined, out)
    if (record.shown) lineage.note(slot, record.blockhash)
    records.delete(slot)
    latest = undefined
    keys -= record.delivered.size
  }

  const forgetBefore = (slot: bigint, out: SubscribeUpdate[]) => {
    floor = slot
    for (const [old, record] of records) if (old < slot) forget(old, record, out)
  }

  const complete = (slot: bigint, blockhash: string, out: SubscribeUpdate[]) => {
    newest = [...newest.filter((block) => block.slot !== slot), { slot, blockhash }]
      .toSorted((one, other) => (one.slot < other.slot ? -1 : 1))
      .slice(-blocksKept)
    const [oldest] = newest
    if (!oldest || newest.length < blocksKept || (floor !== undefined && oldest.slot < floor)) return
    if (checkpoint?.slot === String(oldest.slot) && checkpoint.blockhash === oldest.blockhash) return
    checkpoint = { slot: String(oldest.slot), blockhash: oldest.blockhash }
    forgetBefore(oldest.slot, out)
  }

  const limit = (out: SubscribeUpdate[]) => {
    if (keys <= maxKeys && records.size <= maxSlots) return
    // Reached only when blocks never become complete; the cost is a replay from a later slot.
    const slots = [...records.keys()].toSorted((one, other) => (one < other ? -1 : 1))
    // A tenth at a time, because sorting them for each additional one would be too slow.
    const next = slots[Math.max(1, Math.floor(slots.length / 10))]
    if (next !== undefined) forgetBefore(next, out)
  }

  /** A status is self-contained, and may arrive long before the block at this level. */
  const takeStatus = (slot: bigint, status: number, update: SubscribeUpdate, out: SubscribeUpdate[]) => {
    if (floor !== undefined && slot < floor) {
      emit(update, out)
      return
    }
    const record = recordOf(slot)
    const bit = 1 << status
    if (record.repeated && record.statuses & bit) return
    record.statuses |= bit
    emit(update, out)
    limit(out)
  }

  return {
    take(update, out) {
      const { updateOneof } = update
      const slot = slotOf(update)
      if (slot === undefined) {
        if (updateOneof?.$case === 'account') emit(update, out)
        return
      }
      if (updateOneof?.$case === 'slot') return takeStatus(slot, updateOneof.value.status, update, out)
      // It was already delivered, or not requested: only a node that lags sends it.
      if (begin !== undefined && slot < begin) return
      floor ??= slot
      const block = updateOneof?.$case === 'blockMeta' ? updateOneof.value : undefined
      if (slot < floor) {
        if (emit(update, out)) lineage.note(slot)
        if (block) lineage.complete(block)
        return
      }
      const record = recordOf(slot)
      const blockhash = block?.blockhash
      if (record.held) {
        record.held.push(update)
        held++
        if (blockhash !== undefined || held > maxHeld) release(slot, record, blockhash, out)
      } else {
        // Where the replay meets the live updates, a node may send the latest blocks twice.
        if (begin !== undefined && record.blockhash !== undefined) record.repeated = true
        deliver(record, update, out)
        record.blockhash = blockhash ?? record.blockhash
      }
      if (block) {
        complete(slot, block.blockhash, out)
        lineage.complete(block)
      }
      limit(out)
    },
    reconnect() {
      begin = floor
      held = 0
      for (const record of records.values()) {
        record.repeated = true
        record.held = record.shown && record.blockhash !== undefined ? [] : undefined
      }
    },
    startAt(slot, blockhash) {
      latest = undefined
      if (slot === undefined) {
        records.clear()
        newest = []
        keys = 0
      } else {
        for (const old of records.keys()) if (old < slot) records.delete(old)
        newest = newest.filter((block) => block.slot >= slot)
        keys = [...records.values()].reduce((sum, { delivered }) => sum + delivered.size, 0)
      }
      floor = slot
      begin = slot
      if (slot === undefined || blockhash === undefined) return
      checkpoint = { slot: String(slot), blockhash }
      newest = [{ slot, blockhash }]
      records.set(slot, { ...newRecord(), blockhash, whole: true, shown: true, repeated: true, held: [] })
    },
    get resumeSlot() {
      return floor
    },
    get newestBlock() {
      return newest.at(-1)?.slot
    },
    get checkpoint() {
      return checkpoint
    },
    get progress() {
      return progress
    },
  }
}

function newRecord(): SlotRecord {
  return {
    delivered: createDelivered(),
    blockhash: undefined,
    whole: false,
    shown: false,
    repeated: false,
    held: undefined,
    statuses: 0,
  }
}
