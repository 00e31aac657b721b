import { SLOTS_PER_EPOCH } from '@lodestar/params'
import {
  computeEpochAtSlot,
  computeStartSlotAtEpoch,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import type { fulu, RootHex, Slot, ValidatorIndex } from '@lodestar/types'
import { AttestationPool, type CommitteeVotes } from './attestation-pool.ts'
import { splitSlots } from './slot-schedule.ts'
import { SyncCommitteePool } from './sync-committee-pool.ts'

/** Votes and their validators. */
export interface AttestersVotes {
  readonly votes: CommitteeVotes
  readonly attesters: number[]
}

/** The side of a network split whose messages do not arrive here yet, with all messages of that side. */
export class ForkSimulation {
  readonly remote: ReadonlySet<ValidatorIndex>
  /** The last common block of both sides. */
  readonly baseRoot: RootHex
  /** The block that the attesters on that side vote for. */
  tipRoot: RootHex
  readonly votes = new AttestationPool()
  readonly syncCommittee = new SyncCommitteePool()
  readonly blocks: { signed: fulu.SignedBeaconBlock; root: RootHex; postState: CachedBeaconStateFulu }[] = []
  readonly publishedVotes: AttestersVotes[] = []

  constructor(of: { remote: ReadonlySet<ValidatorIndex>; baseRoot: RootHex }) {
    this.remote = of.remote
    this.baseRoot = of.baseRoot
    this.tipRoot = of.baseRoot
  }

  /** The state after the tip; `undefined` when that side has not built a block yet. */
  get tipState(): CachedBeaconStateFulu | undefined {
    return this.blocks.find(({ root }) => root === this.tipRoot)?.postState
  }
}

/**
 * Divides the validators for a split: the proposers according to the schedule, and the requested share of the attesters
 * of every slot. Each validator stays on one side for the whole epoch.
 *
 * @param state A state that contains the committees and proposers of the slot's epoch.
 * @param slot A slot of the split.
 * @param remoteEighths How many of eight validators are on the other side.
 * @returns The validators on the other side.
 */
export function chooseRemoteValidators(
  state: CachedBeaconStateFulu,
  slot: Slot,
  remoteEighths: number,
): ReadonlySet<ValidatorIndex> {
  const start = computeStartSlotAtEpoch(computeEpochAtSlot(slot))
  const sides = new Map<ValidatorIndex, 'local' | 'remote'>()
  for (const [slotOfEpoch, side] of splitSlots) {
    sides.set(state.epochCtx.getBeaconProposer(start + slotOfEpoch), side)
  }
  const remote = new Set<ValidatorIndex>()
  for (let at = start; at < start + SLOTS_PER_EPOCH; at++) {
    const count = state.epochCtx.getCommitteeCountPerSlot(computeEpochAtSlot(at))
    const members = Array.from({ length: count }, (_, index) => index).flatMap((index) =>
      Array.from(state.epochCtx.getBeaconCommittee(at, index)),
    )
    const wanted = Math.round((members.length * remoteEighths) / 8)
    const rank = (member: ValidatorIndex) => ['remote', undefined, 'local'].indexOf(sides.get(member))
    const sorted = members.toSorted((a, b) => rank(a) - rank(b))
    for (const member of sorted.slice(0, wanted)) remote.add(member)
  }
  return remote
}
