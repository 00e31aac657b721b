import {
  DOMAIN_AGGREGATE_AND_PROOF,
  DOMAIN_CONTRIBUTION_AND_PROOF,
  DOMAIN_SELECTION_PROOF,
  DOMAIN_SYNC_COMMITTEE,
  DOMAIN_SYNC_COMMITTEE_SELECTION_PROOF,
  SYNC_COMMITTEE_SUBNET_COUNT,
  SYNC_COMMITTEE_SUBNET_SIZE,
} from '@lodestar/params'
import {
  computeEpochAtSlot,
  computeSigningRoot,
  getAttestationDataSigningRoot,
  isSyncCommitteeAggregator,
  SignatureSetType,
  verifySignatureSet,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import { ssz, type altair, type electra, type phase0, type Slot, type ValidatorIndex } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import type { CommitteeVotes } from './attestation-pool.ts'
import type { ForkChoice } from './fork-choice.ts'
import { Refused } from './refused.ts'
import type { SubcommitteeVotes } from './sync-committee-pool.ts'

/** The data that messages are verified against. */
export interface GossipContext {
  /** The state of the head, advanced to the epoch of the current slot. */
  readonly state: CachedBeaconStateFulu
  readonly forkChoice: ForkChoice
}

/**
 * Verifies a single vote by the rules of the topic `beacon_attestation_{subnet_id}` (consensus-specs, p2p interface).
 *
 * @returns The vote in the format of the pools.
 * @throws Refused with the rule that it breaks.
 */
export function verifySingleAttestation(
  context: GossipContext,
  attestation: electra.SingleAttestation,
): CommitteeVotes {
  const { data, committeeIndex, attesterIndex, signature } = attestation
  const committee = requireCommittee(context, data, committeeIndex)
  const position = committee.indexOf(attesterIndex)
  if (position < 0) throw new Refused('The attester is not in the committee.')
  requireSignature(
    context,
    [attesterIndex],
    getAttestationDataSigningRoot(context.state.config, data.slot, data),
    signature,
    'The signature of the attestation is wrong.',
  )
  return toVotes(context, { data, committeeIndex, committee, positions: [position], signature })
}

/**
 * Verifies an aggregate by the rules of the topic `beacon_aggregate_and_proof`.
 *
 * @returns The votes in the format of the pools.
 * @throws Refused with the rule that it breaks.
 */
export function verifyAggregateAndProof(
  context: GossipContext,
  signed: electra.SignedAggregateAndProof,
): CommitteeVotes {
  const { aggregate, aggregatorIndex, selectionProof } = signed.message
  const { data } = aggregate
  const { config, epochCtx } = context.state
  const [committeeIndex, ...others] = aggregate.committeeBits.getTrueBitIndexes()
  if (committeeIndex === undefined || others.length > 0) {
    throw new Refused('An aggregate must have one bit in committee_bits.')
  }
  const committee = requireCommittee(context, data, committeeIndex)
  if (aggregate.aggregationBits.bitLen !== committee.length) {
    throw new Refused('aggregation_bits must be as long as the committee.')
  }
  const positions = aggregate.aggregationBits.getTrueBitIndexes()
  if (positions.length === 0) throw new Refused('An aggregate must contain at least one vote.')
  if (!committee.includes(aggregatorIndex)) throw new Refused('The aggregator is not in the committee.')
  if (!epochCtx.isAggregator(data.slot, committeeIndex, selectionProof)) {
    throw new Refused('The selection proof does not select the validator as an aggregator.')
  }
  requireSignature(
    context,
    [aggregatorIndex],
    computeSigningRoot(ssz.Slot, data.slot, config.getDomain(data.slot, DOMAIN_SELECTION_PROOF)),
    selectionProof,
    'The selection proof is wrong.',
  )
  requireSignature(
    context,
    [aggregatorIndex],
    computeSigningRoot(
      ssz.electra.AggregateAndProof,
      signed.message,
      config.getDomain(data.slot, DOMAIN_AGGREGATE_AND_PROOF),
    ),
    signed.signature,
    'The signature of the aggregator is wrong.',
  )
  requireSignature(
    context,
    positions.flatMap((position) => committee[position] ?? []),
    getAttestationDataSigningRoot(config, data.slot, data),
    aggregate.signature,
    'The signature of the aggregate is wrong.',
  )
  return toVotes(context, { data, committeeIndex, committee, positions, signature: aggregate.signature })
}

/**
 * Verifies a message by the rules of the topic `sync_committee_{subnet_id}`.
 *
 * @returns The votes of each subcommittee that the validator has a seat in.
 * @throws Refused with the rule that it breaks.
 */
export function verifySyncCommitteeMessage(
  context: GossipContext,
  { slot, beaconBlockRoot, validatorIndex, signature }: altair.SyncCommitteeMessage,
): SubcommitteeVotes[] {
  requireCurrent(context, slot)
  const { config, epochCtx } = context.state
  const seats = epochCtx.getIndexedSyncCommittee(slot).validatorIndexMap.get(validatorIndex)
  if (seats === undefined) throw new Refused('The validator is not in the sync committee.')
  requireSignature(
    context,
    [validatorIndex],
    computeSigningRoot(ssz.Root, beaconBlockRoot, config.getDomain(slot, DOMAIN_SYNC_COMMITTEE)),
    signature,
    'The signature of the sync committee message is wrong.',
  )
  return seats.map((seat) => ({
    slot,
    blockRoot: toRootHex(beaconBlockRoot),
    subcommitteeIndex: Math.floor(seat / SYNC_COMMITTEE_SUBNET_SIZE),
    positions: [seat % SYNC_COMMITTEE_SUBNET_SIZE],
    signature,
  }))
}

/**
 * Verifies a contribution by the rules of the topic `sync_committee_contribution_and_proof`.
 *
 * @returns The votes in the format of the pools.
 * @throws Refused with the rule that it breaks.
 */
export function verifyContributionAndProof(
  context: GossipContext,
  signed: altair.SignedContributionAndProof,
): SubcommitteeVotes {
  const { contribution, aggregatorIndex, selectionProof } = signed.message
  const { slot, subcommitteeIndex, beaconBlockRoot, aggregationBits, signature } = contribution
  const { config } = context.state
  requireCurrent(context, slot)
  if (subcommitteeIndex >= SYNC_COMMITTEE_SUBNET_COUNT) {
    throw new Refused(`subcommittee_index must be below ${SYNC_COMMITTEE_SUBNET_COUNT}.`)
  }
  const positions = aggregationBits.getTrueBitIndexes()
  if (positions.length === 0) throw new Refused('A contribution must contain at least one vote.')
  const members = subcommitteeMembers(context.state, slot, subcommitteeIndex)
  if (!members.includes(aggregatorIndex)) throw new Refused('The aggregator is not in the subcommittee.')
  if (!isSyncCommitteeAggregator(selectionProof)) {
    throw new Refused('The selection proof does not select the validator as an aggregator.')
  }
  requireSignature(
    context,
    [aggregatorIndex],
    computeSigningRoot(
      ssz.altair.SyncAggregatorSelectionData,
      { slot, subcommitteeIndex },
      config.getDomain(slot, DOMAIN_SYNC_COMMITTEE_SELECTION_PROOF),
    ),
    selectionProof,
    'The selection proof is wrong.',
  )
  requireSignature(
    context,
    [aggregatorIndex],
    computeSigningRoot(
      ssz.altair.ContributionAndProof,
      signed.message,
      config.getDomain(slot, DOMAIN_CONTRIBUTION_AND_PROOF),
    ),
    signed.signature,
    'The signature of the aggregator is wrong.',
  )
  requireSignature(
    context,
    positions.flatMap((position) => members[position] ?? []),
    computeSigningRoot(ssz.Root, beaconBlockRoot, config.getDomain(slot, DOMAIN_SYNC_COMMITTEE)),
    signature,
    'The signature of the contribution is wrong.',
  )
  return { slot, blockRoot: toRootHex(beaconBlockRoot), subcommitteeIndex, positions, signature }
}

/** Returns the validators in the seats of a subcommittee, for messages of a slot. */
export function subcommitteeMembers(
  state: CachedBeaconStateFulu,
  slot: Slot,
  subcommitteeIndex: number,
): ValidatorIndex[] {
  const { validatorIndices } = state.epochCtx.getIndexedSyncCommittee(slot)
  const start = subcommitteeIndex * SYNC_COMMITTEE_SUBNET_SIZE
  return Array.from(validatorIndices.slice(start, start + SYNC_COMMITTEE_SUBNET_SIZE))
}

function requireCommittee(
  { state, forkChoice }: GossipContext,
  data: phase0.AttestationData,
  committeeIndex: number,
): readonly ValidatorIndex[] {
  const { slot, index, target } = data
  const currentEpoch = computeEpochAtSlot(forkChoice.currentSlot)
  const epoch = computeEpochAtSlot(slot)
  if (slot > forkChoice.currentSlot) throw new Refused('The slot of the attestation is in the future.')
  if (epoch < currentEpoch - 1) throw new Refused('The attestation is older than the previous epoch.')
  if (target.epoch !== epoch) throw new Refused('The target must be of the epoch of the slot.')
  if (index !== 0) throw new Refused('Since Electra the index in the attestation data must be 0.')
  if (committeeIndex >= state.epochCtx.getCommitteeCountPerSlot(epoch)) {
    throw new Refused('There is no committee with this index in the slot.')
  }
  const blockRoot = toRootHex(data.beaconBlockRoot)
  const block = forkChoice.get(blockRoot)
  if (block === undefined)
    throw new Refused('The attested block is not known, or older than the finalized one.')
  if (block.validity === 'invalid') throw new Refused('The payload of the attested block is invalid.')
  if (block.slot > slot) throw new Refused('The attested block is newer than the attestation.')
  if (forkChoice.checkpointBlock(blockRoot, target.epoch) !== toRootHex(target.root)) {
    throw new Refused('The target is not the checkpoint of the attested block.')
  }
  return Array.from(state.epochCtx.getBeaconCommittee(slot, committeeIndex))
}

function requireCurrent({ forkChoice }: GossipContext, slot: Slot): void {
  if (slot !== forkChoice.currentSlot) throw new Refused('The slot must be the current one.')
}

function requireSignature(
  { state }: GossipContext,
  indices: ValidatorIndex[],
  signingRoot: Uint8Array,
  signature: Uint8Array,
  message: string,
): void {
  const set = { type: SignatureSetType.aggregate as const, indices, signingRoot, signature }
  let isValid: boolean
  try {
    isValid = verifySignatureSet(set, state.epochCtx.pubkeyCache)
  } catch {
    // The library throws on bytes that are not a point on the curve.
    isValid = false
  }
  if (!isValid) throw new Refused(message)
}

function toVotes(
  { state }: GossipContext,
  of: {
    data: phase0.AttestationData
    committeeIndex: number
    committee: readonly ValidatorIndex[]
    positions: readonly number[]
    signature: Uint8Array
  },
): CommitteeVotes {
  const { committee, ...votes } = of
  return {
    ...votes,
    committeeSize: committee.length,
    decisionRoot: state.epochCtx.getShufflingDecisionRoot(of.data.target.epoch),
  }
}
