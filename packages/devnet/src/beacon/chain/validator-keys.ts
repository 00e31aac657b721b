import { SecretKey } from '@chainsafe/blst'
import type { BeaconConfig } from '@lodestar/config'
import {
  DOMAIN_BEACON_ATTESTER,
  DOMAIN_BEACON_PROPOSER,
  DOMAIN_CONTRIBUTION_AND_PROOF,
  DOMAIN_RANDAO,
  DOMAIN_SYNC_COMMITTEE,
  DOMAIN_SYNC_COMMITTEE_SELECTION_PROOF,
} from '@lodestar/params'
import { computeEpochAtSlot, computeSigningRoot, interopSecretKeys } from '@lodestar/state-transition'
import { ssz, type altair, type fulu, type phase0, type Slot, type ValidatorIndex } from '@lodestar/types'
import { bigIntToBytes, bytesToBigInt } from '@lodestar/utils'

// Order of the scalar field of BLS12-381.
const curveOrder = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

/**
 * The keys that all validators of the chain sign with: the public interoperability keys (eth2.0-pm, interop mocked
 * start), which have no value and give no protection.
 */
export class ValidatorKeys {
  readonly pubkeys: readonly Uint8Array[]
  readonly #keys: readonly SecretKey[]
  readonly #scalars: readonly bigint[]

  /**
   * @param count Number of validators.
   */
  constructor(count: number) {
    this.#keys = interopSecretKeys(count)
    this.#scalars = this.#keys.map((key) => bytesToBigInt(key.toBytes(), 'be'))
    this.pubkeys = this.#keys.map((key) => key.toPublicKey().toBytes())
  }

  signBlock(config: BeaconConfig, block: fulu.BeaconBlock): Uint8Array {
    const domain = config.getDomain(block.slot, DOMAIN_BEACON_PROPOSER)
    return this.#sign([block.proposerIndex], computeSigningRoot(ssz.fulu.BeaconBlock, block, domain))
  }

  randaoReveal(config: BeaconConfig, slot: Slot, validator: ValidatorIndex): Uint8Array {
    const domain = config.getDomain(slot, DOMAIN_RANDAO)
    return this.#sign([validator], computeSigningRoot(ssz.Epoch, computeEpochAtSlot(slot), domain))
  }

  /** Returns the aggregate of the attesters' signatures; they sign the same data. */
  signAttestation(
    config: BeaconConfig,
    data: phase0.AttestationData,
    attesters: readonly ValidatorIndex[],
  ): Uint8Array {
    const domain = config.getDomain(data.slot, DOMAIN_BEACON_ATTESTER)
    return this.#sign(attesters, computeSigningRoot(ssz.phase0.AttestationData, data, domain))
  }

  /** Returns the aggregate of the signatures of a sync committee's seats; a validator with two seats signs twice. */
  signSyncCommitteeMessage(
    config: BeaconConfig,
    { slot, blockRoot }: { slot: Slot; blockRoot: Uint8Array },
    seats: readonly ValidatorIndex[],
  ): Uint8Array {
    const domain = config.getDomain(slot, DOMAIN_SYNC_COMMITTEE)
    return this.#sign(seats, computeSigningRoot(ssz.Root, blockRoot, domain))
  }

  /** Returns a signed sync committee contribution, as its aggregator publishes it. */
  signContribution(
    config: BeaconConfig,
    contribution: altair.SyncCommitteeContribution,
    aggregatorIndex: ValidatorIndex,
  ): altair.SignedContributionAndProof {
    const { slot, subcommitteeIndex } = contribution
    const selection = computeSigningRoot(
      ssz.altair.SyncAggregatorSelectionData,
      { slot, subcommitteeIndex },
      config.getDomain(slot, DOMAIN_SYNC_COMMITTEE_SELECTION_PROOF),
    )
    const message = {
      aggregatorIndex,
      contribution,
      selectionProof: this.#sign([aggregatorIndex], selection),
    }
    const domain = config.getDomain(slot, DOMAIN_CONTRIBUTION_AND_PROOF)
    const root = computeSigningRoot(ssz.altair.ContributionAndProof, message, domain)
    return { message, signature: this.#sign([aggregatorIndex], root) }
  }

  // The aggregate of signatures of one message equals the signature by the sum of the keys.
  #sign(validators: readonly ValidatorIndex[], signingRoot: Uint8Array): Uint8Array {
    const [first] = validators
    const single = first === undefined ? undefined : this.#keys[first]
    if (validators.length === 1 && single !== undefined) return single.sign(signingRoot).toBytes()
    const sum = validators.reduce((total, index) => total + (this.#scalars[index] ?? 0n), 0n) % curveOrder
    return SecretKey.fromBytes(bigIntToBytes(sum, 32, 'be'))
      .sign(signingRoot)
      .toBytes()
  }
}
