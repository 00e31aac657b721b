import type { SecretKey } from '@chainsafe/blst'
import type { BeaconConfig } from '@lodestar/config'
import {
  DOMAIN_AGGREGATE_AND_PROOF,
  DOMAIN_APPLICATION_BUILDER,
  DOMAIN_BEACON_ATTESTER,
  DOMAIN_BEACON_PROPOSER,
  DOMAIN_BLS_TO_EXECUTION_CHANGE,
  DOMAIN_CONTRIBUTION_AND_PROOF,
  DOMAIN_RANDAO,
  DOMAIN_SELECTION_PROOF,
  DOMAIN_SYNC_COMMITTEE,
  DOMAIN_SYNC_COMMITTEE_SELECTION_PROOF,
  ForkName,
  SLOTS_PER_EPOCH,
} from '@lodestar/params'
import { computeDomain, computeSigningRoot, interopSecretKey, ZERO_HASH } from '@lodestar/state-transition'
import {
  type altair,
  type capella,
  type electra,
  type fulu,
  type phase0,
  ssz,
  type ValidatorIndex,
} from '@lodestar/types'

/** Signs as the validators of a development chain do. Their keys are the well-known interop keys. */
export function createValidators(config: BeaconConfig) {
  const keys = new Map<ValidatorIndex, SecretKey>()
  const keyOf = (index: ValidatorIndex): SecretKey => {
    const key = keys.get(index) ?? interopSecretKey(index)
    keys.set(index, key)
    return key
  }
  const sign = (index: ValidatorIndex, root: Uint8Array): Uint8Array => keyOf(index).sign(root).toBytes()
  const domainAt = (slot: number, type: Uint8Array) => config.getDomain(slot, type)

  return {
    publicKey: (index: ValidatorIndex) => keyOf(index).toPublicKey().toBytes(),

    randaoReveal: (index: ValidatorIndex, slot: number) =>
      sign(
        index,
        computeSigningRoot(ssz.Epoch, Math.floor(slot / SLOTS_PER_EPOCH), domainAt(slot, DOMAIN_RANDAO)),
      ),

    block: (message: fulu.BeaconBlock): fulu.SignedBeaconBlock => ({
      message,
      signature: sign(
        message.proposerIndex,
        computeSigningRoot(ssz.fulu.BeaconBlock, message, domainAt(message.slot, DOMAIN_BEACON_PROPOSER)),
      ),
    }),

    attestation: (
      attesterIndex: ValidatorIndex,
      committeeIndex: number,
      data: phase0.AttestationData,
    ): electra.SingleAttestation => ({
      committeeIndex,
      attesterIndex,
      data,
      signature: sign(
        attesterIndex,
        computeSigningRoot(ssz.phase0.AttestationData, data, domainAt(data.slot, DOMAIN_BEACON_ATTESTER)),
      ),
    }),

    aggregateAndProof: (
      aggregatorIndex: ValidatorIndex,
      aggregate: electra.Attestation,
    ): electra.SignedAggregateAndProof => {
      const { slot } = aggregate.data
      const selectionProof = sign(
        aggregatorIndex,
        computeSigningRoot(ssz.Slot, slot, domainAt(slot, DOMAIN_SELECTION_PROOF)),
      )
      const message = { aggregatorIndex, aggregate, selectionProof }
      const domain = domainAt(slot, DOMAIN_AGGREGATE_AND_PROOF)
      return {
        message,
        signature: sign(aggregatorIndex, computeSigningRoot(ssz.electra.AggregateAndProof, message, domain)),
      }
    },

    syncCommitteeMessage: (
      validatorIndex: ValidatorIndex,
      slot: number,
      beaconBlockRoot: Uint8Array,
    ): altair.SyncCommitteeMessage => ({
      slot,
      beaconBlockRoot,
      validatorIndex,
      signature: sign(
        validatorIndex,
        computeSigningRoot(ssz.Root, beaconBlockRoot, domainAt(slot, DOMAIN_SYNC_COMMITTEE)),
      ),
    }),

    contributionAndProof: (
      aggregatorIndex: ValidatorIndex,
      contribution: altair.SyncCommitteeContribution,
    ): altair.SignedContributionAndProof => {
      const { slot, subcommitteeIndex } = contribution
      const selectionProof = sign(
        aggregatorIndex,
        computeSigningRoot(
          ssz.altair.SyncAggregatorSelectionData,
          { slot, subcommitteeIndex },
          domainAt(slot, DOMAIN_SYNC_COMMITTEE_SELECTION_PROOF),
        ),
      )
      const message = { aggregatorIndex, contribution, selectionProof }
      const domain = domainAt(slot, DOMAIN_CONTRIBUTION_AND_PROOF)
      return {
        message,
        signature: sign(
          aggregatorIndex,
          computeSigningRoot(ssz.altair.ContributionAndProof, message, domain),
        ),
      }
    },

    voluntaryExit: (validatorIndex: ValidatorIndex, epoch: number): phase0.SignedVoluntaryExit => {
      const message = { epoch, validatorIndex }
      const domain = config.getDomainForVoluntaryExit(epoch * SLOTS_PER_EPOCH)
      return {
        message,
        signature: sign(validatorIndex, computeSigningRoot(ssz.phase0.VoluntaryExit, message, domain)),
      }
    },

    blsToExecutionChange: (
      validatorIndex: ValidatorIndex,
      toExecutionAddress: Uint8Array,
    ): capella.SignedBLSToExecutionChange => {
      const fromBlsPubkey = keyOf(validatorIndex).toPublicKey().toBytes()
      const message = { validatorIndex, fromBlsPubkey, toExecutionAddress }
      // Valid across all forks, so it is signed for the first fork.
      const domain = config.getDomainAtFork(ForkName.phase0, DOMAIN_BLS_TO_EXECUTION_CHANGE)
      return {
        signature: sign(
          validatorIndex,
          computeSigningRoot(ssz.capella.BLSToExecutionChange, message, domain),
        ),
        message,
      }
    },

    /** Two headers of one proposer for the same slot. */
    proposerSlashing: (proposerIndex: ValidatorIndex, slot: number): phase0.ProposerSlashing => {
      const domain = domainAt(slot, DOMAIN_BEACON_PROPOSER)
      const header = (fill: number): phase0.SignedBeaconBlockHeaderBigint => {
        const root = new Uint8Array(32).fill(fill)
        const message = {
          slot: BigInt(slot),
          proposerIndex,
          parentRoot: root,
          stateRoot: root,
          bodyRoot: root,
        }
        const signingRoot = computeSigningRoot(ssz.phase0.BeaconBlockHeaderBigint, message, domain)
        return { message, signature: sign(proposerIndex, signingRoot) }
      }
      return { signedHeader1: header(1), signedHeader2: header(2) }
    },

    /** Two votes of one validator for the same target epoch. */
    attesterSlashing: (attesterIndex: ValidatorIndex, slot: number): electra.AttesterSlashing => {
      const domain = domainAt(slot, DOMAIN_BEACON_ATTESTER)
      const vote = (fill: number) => {
        const root = new Uint8Array(32).fill(fill)
        const data = {
          slot: BigInt(slot),
          index: 0n,
          beaconBlockRoot: root,
          source: { epoch: 0n, root },
          target: { epoch: BigInt(Math.floor(slot / SLOTS_PER_EPOCH)), root },
        }
        const signingRoot = computeSigningRoot(ssz.phase0.AttestationDataBigint, data, domain)
        return { attestingIndices: [attesterIndex], data, signature: sign(attesterIndex, signingRoot) }
      }
      return { attestation1: vote(1), attestation2: vote(2) }
    },

    registration: (index: ValidatorIndex) => {
      const message = {
        feeRecipient: new Uint8Array(20).fill(0xfe),
        gasLimit: 30_000_000,
        timestamp: Math.floor(Date.now() / 1_000),
        pubkey: keyOf(index).toPublicKey().toBytes(),
      }
      const domain = computeDomain(DOMAIN_APPLICATION_BUILDER, config.GENESIS_FORK_VERSION, ZERO_HASH)
      return {
        message,
        signature: sign(index, computeSigningRoot(ssz.bellatrix.ValidatorRegistrationV1, message, domain)),
      }
    },
  }
}

export type Validators = ReturnType<typeof createValidators>
