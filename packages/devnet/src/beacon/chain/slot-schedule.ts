import { SLOTS_PER_EPOCH } from '@lodestar/params'
import type { Slot } from '@lodestar/types'

/**
 * The schedule by which the chain branches.
 *
 * The schedule repeats after eight epochs (64 slots). All branches result from honest messages that arrive late: no
 * validator signs two blocks for a slot or two votes for an epoch.
 *
 * - Even epochs: the block of the fourth slot arrives after its attesters have voted for its parent, and the next
 *   proposer builds on that parent (consensus-specs, `get_proposer_head`): a reorganization of depth 1, and a branch
 *   without votes.
 * - Odd epochs: the network is split from the third to the sixth slot. The proposers of the third and the fifth slot
 *   are on this side of the split; those of the fourth and the sixth are on the other side, and the messages of the
 *   other side arrive when the seventh slot begins.
 *   - First and fifth epoch of the schedule: most validators are on this side. The other branch loses and stays
 *     optimistic, because this side never executes its payloads.
 *   - Third epoch: most validators are on the other side; their branch wins, a reorganization over three slots.
 *   - Seventh epoch: the same, but the execution client of their last proposer is faulty. No attester on that side
 *     accepts its block; this side detects the invalid payload when the branch wins.
 *
 * As every split lies within an epoch, all votes name the same target, and every epoch is justified and finalized.
 */
export interface SlotPlan {
  /** Whether the block arrives after the votes of its slot. */
  readonly isDelayed: boolean
  /** Which side of the split proposes; `undefined` when there is no split. */
  readonly split?: SplitPlan
}

/** The plan of a slot during a split. */
export interface SplitPlan {
  readonly proposer: 'local' | 'remote'
  /** How many of eight validators are on the other side. */
  readonly remoteEighths: number
  /** Whether the payload is invalid. */
  readonly isFaulty: boolean
}

/** The slots of an epoch in which the network is split, with the side of the proposer. */
export const splitSlots: ReadonlyMap<number, SplitPlan['proposer']> = new Map([
  [2, 'local'],
  [3, 'remote'],
  [4, 'local'],
  [5, 'remote'],
])

const epochsPerRound = 8
const delayedSlot = 3
const lastAwaySlot = 5
const minority = 3
const majority = 5

/**
 * Returns the plan of a slot.
 *
 * @param slot The slot.
 * @returns See {@link SlotPlan}.
 */
export function planSlot(slot: Slot): SlotPlan {
  const slotOfEpoch = slot % SLOTS_PER_EPOCH
  const epochOfRound = Math.floor(slot / SLOTS_PER_EPOCH) % epochsPerRound
  if (epochOfRound % 2 === 0) return { isDelayed: slotOfEpoch === delayedSlot }
  const proposer = splitSlots.get(slotOfEpoch)
  if (proposer === undefined) return plainSlot
  const remoteEighths = epochOfRound === 3 || epochOfRound === 7 ? majority : minority
  const isFaulty = epochOfRound === 7 && slotOfEpoch === lastAwaySlot
  return { isDelayed: false, split: { proposer, remoteEighths, isFaulty } }
}

/** A slot in which all messages arrive in time. */
export const plainSlot: SlotPlan = { isDelayed: false }
