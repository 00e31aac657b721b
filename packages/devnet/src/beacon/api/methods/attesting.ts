import type { Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import { ForkName, SYNC_COMMITTEE_SIZE, SYNC_COMMITTEE_SUBNET_COUNT } from '@lodestar/params'
import type { electra } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import type { BeaconChain } from '../../chain/beacon-chain.ts'
import { NotFound } from '../../chain/not-found.ts'
import { Refused } from '../../chain/refused.ts'
import { acceptEach } from '../error-response.ts'

type AttestingMethods = Pick<
  ApplicationMethods<Endpoints['validator']>,
  | 'produceAttestationData'
  | 'getAggregatedAttestationV2'
  | 'publishAggregateAndProofsV2'
  | 'produceSyncCommitteeContribution'
  | 'publishContributionAndProofs'
  | 'prepareBeaconCommitteeSubnet'
  | 'prepareSyncCommitteeSubnets'
  | 'prepareBeaconProposer'
>

const addressPattern = /^0x[a-fA-F0-9]{40}$/

/**
 * Creates the operations of `/eth/v1/validator` by which validators attest, aggregate and prepare for both.
 *
 * @param chain The chain to participate in.
 * @returns The methods by operation id.
 */
export function createAttestingMethods(chain: BeaconChain): AttestingMethods {
  function requireValidators(indices: readonly number[]): void {
    const { length } = chain.state('head').state.validators
    if (indices.some((index) => index >= length)) {
      throw new Refused('The body contains a validator index that the head state does not have.')
    }
  }

  return {
    async produceAttestationData({ slot, committeeIndex = 0 }) {
      if (committeeIndex !== 0) throw new Refused('Since Electra committee_index must be 0.')
      return { data: chain.attestationData(slot) }
    },
    async getAggregatedAttestationV2({ attestationDataRoot, slot, committeeIndex }) {
      const dataRoot = requireRoot('attestation_data_root', attestationDataRoot)
      const data = chain.aggregate({ dataRoot, slot, committeeIndex })
      if (data === undefined) throw new NotFound('No attestation with this data is known.')
      return { data, meta: { version: ForkName.fulu } }
    },
    async publishAggregateAndProofsV2({ signedAggregateAndProofs }) {
      await acceptEach(signedAggregateAndProofs, (signed) => {
        if (!isOfElectra(signed)) {
          throw new Refused('Since Electra an aggregate names its committees in committee_bits.')
        }
        chain.pools.aggregates.add(signed)
      })
    },
    async produceSyncCommitteeContribution({ slot, subcommitteeIndex, beaconBlockRoot }) {
      const blockRoot = requireRoot('beacon_block_root', beaconBlockRoot)
      if (subcommitteeIndex >= SYNC_COMMITTEE_SUBNET_COUNT) {
        throw new Refused(`subcommittee_index must be below ${SYNC_COMMITTEE_SUBNET_COUNT}.`)
      }
      const data = chain.syncCommitteeContribution({ slot, subcommitteeIndex, blockRoot })
      if (data === undefined) throw new NotFound('No message of this subcommittee for the block is known.')
      return { data }
    },
    async publishContributionAndProofs({ contributionAndProofs }) {
      await acceptEach(contributionAndProofs, (signed) => chain.pools.contributions.add(signed))
    },
    // There is no network to subscribe to: this process receives every message of its chain anyway.
    async prepareBeaconCommitteeSubnet({ subscriptions }) {
      requireValidators(subscriptions.map(({ validatorIndex }) => validatorIndex))
      if (subscriptions.some(({ committeeIndex, committeesAtSlot }) => committeeIndex >= committeesAtSlot)) {
        throw new Refused('committee_index must be below committees_at_slot.')
      }
    },
    async prepareSyncCommitteeSubnets({ subscriptions }) {
      requireValidators(subscriptions.map(({ validatorIndex }) => validatorIndex))
      if (
        subscriptions.some((item) => item.syncCommitteeIndices.some((index) => index >= SYNC_COMMITTEE_SIZE))
      ) {
        throw new Refused(`Each of sync_committee_indices must be below ${SYNC_COMMITTEE_SIZE}.`)
      }
    },
    async prepareBeaconProposer({ proposers }) {
      requireValidators(proposers.map(({ validatorIndex }) => validatorIndex))
      if (!proposers.every(({ feeRecipient }) => addressPattern.test(feeRecipient))) {
        throw new Refused('fee_recipient must be an address of 20 bytes in hex.')
      }
      for (const { validatorIndex, feeRecipient } of proposers)
        chain.prepareProposer(validatorIndex, feeRecipient)
    },
  }
}

// A request may name an older fork in its header; its aggregates then have the older type.
function isOfElectra(signed: { message: { aggregate: object } }): signed is electra.SignedAggregateAndProof {
  return 'committeeBits' in signed.message.aggregate
}

function requireRoot(name: string, root: Uint8Array): string {
  if (root.length !== 32) throw new Refused(`${name} must be a root of 32 bytes in hex.`)
  return toRootHex(root)
}
