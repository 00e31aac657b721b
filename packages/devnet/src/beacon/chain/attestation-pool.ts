import { aggregateSignatures, Signature } from '@chainsafe/blst'
import { BitArray } from '@chainsafe/ssz'
import { ForkSeq, MAX_ATTESTATIONS_ELECTRA, MAX_COMMITTEES_PER_SLOT } from '@lodestar/params'
import {
  BeaconStateView,
  computeEpochAtSlot,
  getAttestationParticipationStatus,
  RootCache,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import { ssz, type electra, type phase0, type RootHex, type Slot } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import { mergeVotes, type AggregateVotes } from './merge-votes.ts'

/** Verified votes of one committee. */
export interface CommitteeVotes extends AggregateVotes {
  readonly data: phase0.AttestationData
  readonly committeeIndex: number
  readonly committeeSize: number
  /** The root that determines the shuffling of the committee. */
  readonly decisionRoot: RootHex
}

interface PooledData {
  readonly data: phase0.AttestationData
  readonly decisionRoot: RootHex
  readonly committees: Map<number, CommitteeVotes>
}

/** Attestations that wait for inclusion in a block: one aggregate for each committee and each attestation data. */
export class AttestationPool {
  readonly #pooled = new Map<RootHex, PooledData>()

  /** Adds votes to the aggregate; when votes overlap it, the larger set remains. */
  add(votes: CommitteeVotes): void {
    const { data, committeeIndex, decisionRoot } = votes
    const dataRoot = rootOf(data)
    const pooled = this.#pooled.get(dataRoot) ?? { data, decisionRoot, committees: new Map() }
    this.#pooled.set(dataRoot, pooled)
    const known = pooled.committees.get(committeeIndex)
    pooled.committees.set(committeeIndex, known === undefined ? votes : mergeVotes(known, votes))
  }

  /** Whether the aggregate contains the vote of one position. */
  has(data: phase0.AttestationData, committeeIndex: number, position: number): boolean {
    const votes = this.#pooled.get(rootOf(data))?.committees.get(committeeIndex)
    return votes?.positions.includes(position) ?? false
  }

  aggregate(dataRoot: RootHex, committeeIndex: number): electra.Attestation | undefined {
    const votes = this.#pooled.get(dataRoot)?.committees.get(committeeIndex)
    return votes && toAttestation([votes])
  }

  /** Returns one attestation for each committee and each attestation data. */
  all(): electra.Attestation[] {
    return [...this.#pooled.values()].flatMap(({ committees }) =>
      Array.from(committees.values(), (votes) => toAttestation([votes])),
    )
  }

  /** Returns all votes, to be added to another pool. */
  votes(): CommitteeVotes[] {
    return [...this.#pooled.values()].flatMap(({ committees }) => [...committees.values()])
  }

  /**
   * Selects attestations for a block, ordered by new participation, highest first.
   *
   * @param state The state of the parent, advanced to the slot of the block.
   * @returns Attestations over all committees of their data, up to the limit of a block.
   */
  forBlock(state: CachedBeaconStateFulu): electra.Attestation[] {
    const cache = new RootCache(new BeaconStateView(state))
    return [...this.#pooled.values()]
      .filter(({ data, decisionRoot }) => isIncludable(state, data, decisionRoot))
      .map((pooled) => {
        const attestation = toAttestation([...pooled.committees.values()])
        return { attestation, gain: countNew(state, attestation, cache) }
      })
      .filter(({ gain }) => gain > 0)
      .toSorted((a, b) => b.gain - a.gain)
      .slice(0, MAX_ATTESTATIONS_ELECTRA)
      .map(({ attestation }) => attestation)
  }

  /** Removes votes that no future block may include. */
  prune(currentSlot: Slot): void {
    const oldest = computeEpochAtSlot(currentSlot) - 1
    for (const [root, { data }] of this.#pooled) {
      if (data.target.epoch < oldest) this.#pooled.delete(root)
    }
  }

  /** Number of distinct attestation data. */
  get size(): number {
    return this.#pooled.size
  }
}

function toAttestation(votes: readonly CommitteeVotes[]): electra.Attestation {
  const committees = votes.toSorted((a, b) => a.committeeIndex - b.committeeIndex)
  const [first] = committees
  if (first === undefined) throw new Error('An attestation needs at least one committee.')
  const committeeBits = BitArray.fromBitLen(MAX_COMMITTEES_PER_SLOT)
  for (const { committeeIndex } of committees) committeeBits.set(committeeIndex, true)
  const bits = committees.flatMap(({ committeeSize, positions }) =>
    Array.from({ length: committeeSize }, (_, position) => positions.includes(position)),
  )
  const signatures = committees.map(({ signature }) => Signature.fromBytes(signature))
  return {
    aggregationBits: BitArray.fromBoolArray(bits),
    data: first.data,
    signature: signatures.length === 1 ? first.signature : aggregateSignatures(signatures).toBytes(),
    committeeBits,
  }
}

function isIncludable(
  state: CachedBeaconStateFulu,
  data: phase0.AttestationData,
  decisionRoot: RootHex,
): boolean {
  const { epoch } = state.epochCtx
  if (data.slot >= state.slot || !(data.target.epoch === epoch || data.target.epoch === epoch - 1)) {
    return false
  }
  const source =
    data.target.epoch === epoch ? state.currentJustifiedCheckpoint : state.previousJustifiedCheckpoint
  return (
    ssz.phase0.Checkpoint.equals(data.source, source) &&
    state.epochCtx.getShufflingDecisionRoot(data.target.epoch) === decisionRoot
  )
}

// Counts the attesters that would gain a participation flag.
function countNew(state: CachedBeaconStateFulu, attestation: electra.Attestation, cache: RootCache): number {
  const { data } = attestation
  const { epoch } = state.epochCtx
  const { flags } = getAttestationParticipationStatus(
    ForkSeq.fulu,
    data,
    state.slot - data.slot,
    epoch,
    cache,
    null,
    null,
  )
  const participation =
    data.target.epoch === epoch ? state.currentEpochParticipation : state.previousEpochParticipation
  return state.epochCtx
    .getAttestingIndices(ForkSeq.fulu, attestation)
    .filter((index) => (flags & ~participation.get(index)) !== 0).length
}

function rootOf(data: phase0.AttestationData): RootHex {
  return toRootHex(ssz.phase0.AttestationData.hashTreeRoot(data))
}
