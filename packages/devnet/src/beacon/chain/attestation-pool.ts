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
  /** What the shuffling of the committee depends on. */
  readonly decisionRoot: RootHex
}

interface PooledData {
  readonly data: phase0.AttestationData
  readonly decisionRoot: RootHex
  readonly committees: Map<number, CommitteeVotes>
}

/** Attestations on their way into a block: one aggregate for every committee and every data that it voted for. */
export class AttestationPool {
  readonly #pooled = new Map<RootHex, PooledData>()

  /** Adds votes to the aggregate; of votes that overlap it the larger set stays. */
  add(votes: CommitteeVotes): void {
    const { data, committeeIndex, decisionRoot } = votes
    const dataRoot = rootOf(data)
    const pooled = this.#pooled.get(dataRoot) ?? { data, decisionRoot, committees: new Map() }
    this.#pooled.set(dataRoot, pooled)
    const known = pooled.committees.get(committeeIndex)
    pooled.committees.set(committeeIndex, known === undefined ? votes : mergeVotes(known, votes))
  }

  /** Whether the vote of one position is in the aggregate. */
  has(data: phase0.AttestationData, committeeIndex: number, position: number): boolean {
    const votes = this.#pooled.get(rootOf(data))?.committees.get(committeeIndex)
    return votes?.positions.includes(position) ?? false
  }

  aggregate(dataRoot: RootHex, committeeIndex: number): electra.Attestation | undefined {
    const votes = this.#pooled.get(dataRoot)?.committees.get(committeeIndex)
    return votes && toAttestation([votes])
  }

  /** One attestation for each committee and data. */
  all(): electra.Attestation[] {
    return [...this.#pooled.values()].flatMap(({ committees }) =>
      Array.from(committees.values(), (votes) => toAttestation([votes])),
    )
  }

  /** Everything, to be added to another pool. */
  votes(): CommitteeVotes[] {
    return [...this.#pooled.values()].flatMap(({ committees }) => [...committees.values()])
  }

  /**
   * Chooses attestations for a block, those with the most new participation first.
   *
   * @param state The state of the parent, advanced to the slot of the block.
   * @returns Attestations over all committees of their data, as many as a block may hold.
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
      .toSorted((one, other) => other.gain - one.gain)
      .slice(0, MAX_ATTESTATIONS_ELECTRA)
      .map(({ attestation }) => attestation)
  }

  /** Forgets votes that no block may hold any more. */
  prune(currentSlot: Slot): void {
    const oldest = computeEpochAtSlot(currentSlot) - 1
    for (const [root, { data }] of this.#pooled) {
      if (data.target.epoch < oldest) this.#pooled.delete(root)
    }
  }

  /** How many different data there are. */
  get size(): number {
    return this.#pooled.size
  }
}

function toAttestation(votes: readonly CommitteeVotes[]): electra.Attestation {
  const committees = votes.toSorted((one, other) => one.committeeIndex - other.committeeIndex)
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

// How many attesters would gain a participation flag.
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
