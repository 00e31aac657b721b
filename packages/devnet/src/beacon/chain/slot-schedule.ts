import { SLOTS_PER_EPOCH } from '@lodestar/params'
import type { Slot } from '@lodestar/types'

/**
 * The schedule by which the chain branches. Eight epochs (64 slots) make a round; all of it is done by honest messages
 * that come late, so nobody signs two blocks for a slot or two votes for an epoch.
 *
 * - Even epochs: the block of the fourth slot comes after its attesters have voted for its parent, and the next
 *   proposer leaves it out (consensus-specs, `get_proposer_head`): a reorganization of depth 1, and a branch that
 *   nobody votes for.
 * - Odd epochs: from the third to the sixth slot the network is split. The proposers of the third and the fifth slot
 *   are at home with this node; those of the fourth and the sixth are away, and what is said there arrives when the
 *   seventh slot begins.
 *   - First and fifth epoch of the round: most validators are at home; the other branch loses, and as this node never
 *     executes its payloads, it stays optimistic.
 *   - Third epoch: most are away; their branch wins, a reorganization over three slots.
 *   - Seventh epoch: the same, but the execution client of their last proposer is faulty. No attester there accepts its
 *     block; this node learns that the payload is invalid when the branch wins.
 *
 * As every split lies within an epoch, all votes name the same target, and every epoch is justified and finalized.
 */
export interface SlotPlan {
  /** Whether the block comes after the votes of its slot. */
  readonly isLate: boolean
  /** Which side of the split proposes; none when there is no split. */
  readonly split?: SplitPlan
}

/** What happens in a slot of a split. */
export interface SplitPlan {
  readonly proposer: 'home' | 'away'
  /** How many of eight validators are away. */
  readonly awayOfEight: number
  /** Whether the payload does not execute. */
  readonly isFaulty: boolean
}

/** The slots of an epoch in which the network is split, with the side of the proposer. */
export const splitSlots: ReadonlyMap<number, SplitPlan['proposer']> = new Map([
  [2, 'home'],
  [3, 'away'],
  [4, 'home'],
  [5, 'away'],
])

const epochsPerRound = 8
const lateSlot = 3
const lastAwaySlot = 5
const minority = 3
const majority = 5

/**
 * Tells what a slot has in store.
 *
 * @param slot The slot.
 * @returns See {@link SlotPlan}.
 */
export function planSlot(slot: Slot): SlotPlan {
  const slotOfEpoch = slot % SLOTS_PER_EPOCH
  const epochOfRound = Math.floor(slot / SLOTS_PER_EPOCH) % epochsPerRound
  if (epochOfRound % 2 === 0) return { isLate: slotOfEpoch === lateSlot }
  const proposer = splitSlots.get(slotOfEpoch)
  if (proposer === undefined) return plainSlot
  const awayOfEight = epochOfRound === 3 || epochOfRound === 7 ? majority : minority
  const isFaulty = epochOfRound === 7 && slotOfEpoch === lastAwaySlot
  return { isLate: false, split: { proposer, awayOfEight, isFaulty } }
}

/** A slot in which everything comes in time. */
export const plainSlot: SlotPlan = { isLate: false }
