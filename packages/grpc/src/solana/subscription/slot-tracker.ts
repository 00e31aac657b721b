import type { SubscribeUpdate } from '../../generated/geyser.ts'
import { reservedName } from '../filters/to-request.ts'
import type { Checkpoint } from './checkpoint.ts'
import { createDeduplicator, type Deduplicator } from './deduplicator.ts'
import { createForkTracker } from './fork-tracker.ts'
import type { ForkNotice } from './notice.ts'
import { slotOf } from './update-key.ts'

/** Tracks the delivered updates of each recent slot, so that a replay adds missing updates and repeats none. */
export interface SlotTracker {
  /** Appends the new parts of an update to `out`, and updates that waited for it. */
  process(update: SubscribeUpdate, out: SubscribeUpdate[]): void
  /** Reports that a new connection begins, which replays everything from {@link resumeSlot} on. */
  reconnect(): void
  /** Begins with a slot; earlier state is dropped. Without a slot, the stream continues at any position. */
  startAt(slot: bigint | undefined, blockhash?: string): void
  /** The slot to replay from; undefined before the first update. */
  readonly resumeSlot: bigint | undefined
  /** The slot of the latest complete block. */
  readonly latestBlock: bigint | undefined
  /** The latest slot of which no further update is expected. */
  readonly checkpoint: Checkpoint | undefined
  /** Increases with every new update. */
  readonly progress: number
}

interface SlotRecord {
  deduplicator: Deduplicator
  /** Known once the block is complete. */
  blockhash: string | undefined
  /** Whether another process delivered the whole block. */
  readonly deliveredElsewhere: boolean
  /** Whether the reader has any update of its block. */
  hasDelivered: boolean
  /** Whether further updates of it may be repetitions. */
  repeated: boolean
  /** Repeated updates, held until the block shows whether it is still the same; undefined when there are none. */
  held: SubscribeUpdate[] | undefined
  /** The statuses that were delivered, one bit each. */
  statuses: number
}

// The block meta may arrive before the last updates of a block, so the two latest blocks count as incomplete.
const recentBlockCount = 3
const maxSlots = 10_000
const maxKeys = 500_000
const maxHeld = 100_000

export function createSlotTracker(onFork: (notice: ForkNotice) => void): SlotTracker {
  const records = new Map<bigint, SlotRecord>()
  const forkTracker = createForkTracker(onFork)
  let recentBlocks: { readonly slot: bigint; readonly blockhash: string }[] = []
  // Updates of one slot are usually consecutive.
  let latest: { readonly slot: bigint; readonly record: SlotRecord } | undefined
  let minSlot: bigint | undefined
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
    if (!record.repeated) record.deduplicator.append(update)
    else if (!record.deduplicator.add(update)) return
    keys++
    if (emit(update, out)) record.hasDelivered = true
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
      keys -= record.deduplicator.size
      record.deduplicator = createDeduplicator()
      record.hasDelivered = false
      record.statuses = 0
    }
    const skip = record.deliveredElsewhere && !forked && blockhash !== undefined
    for (const update of waiting) {
      if (!skip) deliver(record, update, out)
      else if (record.deduplicator.add(update)) keys++
    }
    record.blockhash = blockhash ?? record.blockhash
  }

  const evict = (slot: bigint, record: SlotRecord, out: SubscribeUpdate[]) => {
    if (record.held) release(slot, record, undefined, out)
    if (record.hasDelivered) forkTracker.record(slot, record.blockhash)
    records.delete(slot)
    latest = undefined
    keys -= record.deduplicator.size
  }

  const evictBefore = (slot: bigint, out: SubscribeUpdate[]) => {
    minSlot = slot
    for (const [key, record] of records) if (key < slot) evict(key, record, out)
  }

  const complete = (slot: bigint, blockhash: string, out: SubscribeUpdate[]) => {
    recentBlocks = [...recentBlocks.filter((block) => block.slot !== slot), { slot, blockhash }]
      .toSorted((a, b) => (a.slot < b.slot ? -1 : 1))
      .slice(-recentBlockCount)
    const [oldest] = recentBlocks
    if (!oldest || recentBlocks.length < recentBlockCount || (minSlot !== undefined && oldest.slot < minSlot))
      return
    if (checkpoint?.slot === String(oldest.slot) && checkpoint.blockhash === oldest.blockhash) return
    checkpoint = { slot: String(oldest.slot), blockhash: oldest.blockhash }
    evictBefore(oldest.slot, out)
  }

  const limit = (out: SubscribeUpdate[]) => {
    if (keys <= maxKeys && records.size <= maxSlots) return
    // Reached only when blocks never become complete; the cost is a replay from a later slot.
    const slots = [...records.keys()].toSorted((a, b) => (a < b ? -1 : 1))
    // A tenth at a time, because sorting them for each additional one would be too slow.
    const next = slots[Math.max(1, Math.floor(slots.length / 10))]
    if (next !== undefined) evictBefore(next, out)
  }

  /** A status is self-contained, and may arrive long before the block at this level. */
  const processStatus = (slot: bigint, status: number, update: SubscribeUpdate, out: SubscribeUpdate[]) => {
    if (minSlot !== undefined && slot < minSlot) {
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
    process(update, out) {
      const { updateOneof } = update
      const slot = slotOf(update)
      if (slot === undefined) {
        if (updateOneof?.$case === 'account') emit(update, out)
        return
      }
      if (updateOneof?.$case === 'slot') return processStatus(slot, updateOneof.value.status, update, out)
      // It was already delivered, or not requested: only a node that lags sends it.
      if (begin !== undefined && slot < begin) return
      minSlot ??= slot
      const block = updateOneof?.$case === 'blockMeta' ? updateOneof.value : undefined
      if (slot < minSlot) {
        if (emit(update, out)) forkTracker.record(slot)
        if (block) forkTracker.complete(block)
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
        forkTracker.complete(block)
      }
      limit(out)
    },
    reconnect() {
      begin = minSlot
      held = 0
      for (const record of records.values()) {
        record.repeated = true
        record.held = record.hasDelivered && record.blockhash !== undefined ? [] : undefined
      }
    },
    startAt(slot, blockhash) {
      latest = undefined
      if (slot === undefined) {
        records.clear()
        recentBlocks = []
        keys = 0
      } else {
        for (const key of records.keys()) if (key < slot) records.delete(key)
        recentBlocks = recentBlocks.filter((block) => block.slot >= slot)
        keys = [...records.values()].reduce((sum, { deduplicator }) => sum + deduplicator.size, 0)
      }
      minSlot = slot
      begin = slot
      if (slot === undefined || blockhash === undefined) return
      checkpoint = { slot: String(slot), blockhash }
      recentBlocks = [{ slot, blockhash }]
      records.set(slot, {
        ...newRecord(),
        blockhash,
        deliveredElsewhere: true,
        hasDelivered: true,
        repeated: true,
        held: [],
      })
    },
    get resumeSlot() {
      return minSlot
    },
    get latestBlock() {
      return recentBlocks.at(-1)?.slot
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
    deduplicator: createDeduplicator(),
    blockhash: undefined,
    deliveredElsewhere: false,
    hasDelivered: false,
    repeated: false,
    held: undefined,
    statuses: 0,
  }
}
