import { aggregateSignatures, Signature } from '@chainsafe/blst'
import { BitArray } from '@chainsafe/ssz'
import {
  SYNC_COMMITTEE_SIZE,
  SYNC_COMMITTEE_SUBNET_COUNT,
  SYNC_COMMITTEE_SUBNET_SIZE,
} from '@lodestar/params'
import { G2_POINT_AT_INFINITY } from '@lodestar/state-transition'
import type { altair, RootHex, Slot } from '@lodestar/types'
import { fromHex } from '@lodestar/utils'
import { mergeVotes, type AggregateVotes } from './merge-votes.ts'

/** Verified signatures of seats of one subcommittee for a block root. */
export interface SubcommitteeVotes extends AggregateVotes {
  readonly slot: Slot
  readonly blockRoot: RootHex
  readonly subcommitteeIndex: number
}

/** Sync committee signatures that wait for inclusion in the next block. */
export class SyncCommitteePool {
  readonly #pooled = new Map<Slot, Map<string, SubcommitteeVotes>>()

  /** Adds signatures; when they overlap existing ones, the larger set remains. */
  add(votes: SubcommitteeVotes): void {
    const bySlot = this.#pooled.get(votes.slot) ?? new Map<string, SubcommitteeVotes>()
    this.#pooled.set(votes.slot, bySlot)
    const known = bySlot.get(keyOf(votes))
    bySlot.set(keyOf(votes), known === undefined ? votes : mergeVotes(known, votes))
  }

  contribution(of: {
    slot: Slot
    blockRoot: RootHex
    subcommitteeIndex: number
  }): altair.SyncCommitteeContribution | undefined {
    const votes = this.#pooled.get(of.slot)?.get(keyOf(of))
    return (
      votes && {
        slot: votes.slot,
        beaconBlockRoot: fromHex(votes.blockRoot),
        subcommitteeIndex: votes.subcommitteeIndex,
        aggregationBits: bitsOf(votes, SYNC_COMMITTEE_SUBNET_SIZE),
        signature: votes.signature,
      }
    )
  }

  /**
   * @param slot The slot before the block's.
   * @param blockRoot The parent of the block.
   * @returns The sync aggregate of the block for its parent; empty when there are no signatures.
   */
  aggregate(slot: Slot, blockRoot: RootHex): altair.SyncAggregate {
    const bits = BitArray.fromBitLen(SYNC_COMMITTEE_SIZE)
    const signatures: Signature[] = []
    for (let subcommitteeIndex = 0; subcommitteeIndex < SYNC_COMMITTEE_SUBNET_COUNT; subcommitteeIndex++) {
      const votes = this.#pooled.get(slot)?.get(keyOf({ blockRoot, subcommitteeIndex }))
      if (votes === undefined) continue
      signatures.push(Signature.fromBytes(votes.signature))
      const start = subcommitteeIndex * SYNC_COMMITTEE_SUBNET_SIZE
      for (const position of votes.positions) bits.set(start + position, true)
    }
    return {
      syncCommitteeBits: bits,
      syncCommitteeSignature:
        signatures.length === 0 ? G2_POINT_AT_INFINITY : aggregateSignatures(signatures).toBytes(),
    }
  }

  /** Returns all signatures, to be added to another pool. */
  votes(): SubcommitteeVotes[] {
    return [...this.#pooled.values()].flatMap((bySlot) => [...bySlot.values()])
  }

  /** Removes signatures that the next block cannot contain. */
  prune(currentSlot: Slot): void {
    for (const slot of this.#pooled.keys()) {
      if (slot < currentSlot - 1) this.#pooled.delete(slot)
    }
  }

  /** Number of slots with signatures. */
  get size(): number {
    return this.#pooled.size
  }
}

function keyOf(votes: { blockRoot: RootHex; subcommitteeIndex: number }): string {
  return `${votes.blockRoot}/${votes.subcommitteeIndex}`
}

function bitsOf(votes: SubcommitteeVotes, length: number): BitArray {
  return BitArray.fromBoolArray(Array.from({ length }, (_, position) => votes.positions.includes(position)))
}
