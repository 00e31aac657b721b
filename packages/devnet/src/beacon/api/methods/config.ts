import type { Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import { chainConfigToJson, specValuesToJson } from '@lodestar/config'
import * as params from '@lodestar/params'
import type { BeaconChain } from '../../chain/beacon-chain.ts'

/** The constants of the specification, by their names in the specification. */
const constants = {
  GENESIS_SLOT: params.GENESIS_SLOT,
  GENESIS_EPOCH: params.GENESIS_EPOCH,
  FAR_FUTURE_EPOCH: params.FAR_FUTURE_EPOCH,
  BASE_REWARDS_PER_EPOCH: params.BASE_REWARDS_PER_EPOCH,
  DEPOSIT_CONTRACT_TREE_DEPTH: params.DEPOSIT_CONTRACT_TREE_DEPTH,
  JUSTIFICATION_BITS_LENGTH: params.JUSTIFICATION_BITS_LENGTH,
  BLS_WITHDRAWAL_PREFIX: Uint8Array.of(params.BLS_WITHDRAWAL_PREFIX),
  ETH1_ADDRESS_WITHDRAWAL_PREFIX: Uint8Array.of(params.ETH1_ADDRESS_WITHDRAWAL_PREFIX),
  COMPOUNDING_WITHDRAWAL_PREFIX: Uint8Array.of(params.COMPOUNDING_WITHDRAWAL_PREFIX),
  DOMAIN_BEACON_PROPOSER: params.DOMAIN_BEACON_PROPOSER,
  DOMAIN_BEACON_ATTESTER: params.DOMAIN_BEACON_ATTESTER,
  DOMAIN_RANDAO: params.DOMAIN_RANDAO,
  DOMAIN_DEPOSIT: params.DOMAIN_DEPOSIT,
  DOMAIN_VOLUNTARY_EXIT: params.DOMAIN_VOLUNTARY_EXIT,
  DOMAIN_SELECTION_PROOF: params.DOMAIN_SELECTION_PROOF,
  DOMAIN_AGGREGATE_AND_PROOF: params.DOMAIN_AGGREGATE_AND_PROOF,
  DOMAIN_SYNC_COMMITTEE: params.DOMAIN_SYNC_COMMITTEE,
  DOMAIN_SYNC_COMMITTEE_SELECTION_PROOF: params.DOMAIN_SYNC_COMMITTEE_SELECTION_PROOF,
  DOMAIN_CONTRIBUTION_AND_PROOF: params.DOMAIN_CONTRIBUTION_AND_PROOF,
  DOMAIN_BLS_TO_EXECUTION_CHANGE: params.DOMAIN_BLS_TO_EXECUTION_CHANGE,
  DOMAIN_APPLICATION_MASK: params.DOMAIN_APPLICATION_MASK,
  TIMELY_SOURCE_FLAG_INDEX: params.TIMELY_SOURCE_FLAG_INDEX,
  TIMELY_TARGET_FLAG_INDEX: params.TIMELY_TARGET_FLAG_INDEX,
  TIMELY_HEAD_FLAG_INDEX: params.TIMELY_HEAD_FLAG_INDEX,
  TIMELY_SOURCE_WEIGHT: params.TIMELY_SOURCE_WEIGHT,
  TIMELY_TARGET_WEIGHT: params.TIMELY_TARGET_WEIGHT,
  TIMELY_HEAD_WEIGHT: params.TIMELY_HEAD_WEIGHT,
  SYNC_REWARD_WEIGHT: params.SYNC_REWARD_WEIGHT,
  PROPOSER_WEIGHT: params.PROPOSER_WEIGHT,
  WEIGHT_DENOMINATOR: params.WEIGHT_DENOMINATOR,
  TARGET_AGGREGATORS_PER_COMMITTEE: params.TARGET_AGGREGATORS_PER_COMMITTEE,
  TARGET_AGGREGATORS_PER_SYNC_SUBCOMMITTEE: params.TARGET_AGGREGATORS_PER_SYNC_SUBCOMMITTEE,
  ATTESTATION_SUBNET_COUNT: params.ATTESTATION_SUBNET_COUNT,
  SYNC_COMMITTEE_SUBNET_COUNT: params.SYNC_COMMITTEE_SUBNET_COUNT,
  BYTES_PER_FIELD_ELEMENT: params.BYTES_PER_FIELD_ELEMENT,
  MAX_REQUEST_LIGHT_CLIENT_UPDATES: params.MAX_REQUEST_LIGHT_CLIENT_UPDATES,
  UNSET_DEPOSIT_REQUESTS_START_INDEX: params.UNSET_DEPOSIT_REQUESTS_START_INDEX,
  FULL_EXIT_REQUEST_AMOUNT: params.FULL_EXIT_REQUEST_AMOUNT,
}

/**
 * Creates the operations of `/eth/v1/config`.
 *
 * @param chain The chain whose configuration is returned.
 * @returns The methods by operation id.
 */
export function createConfigMethods(chain: BeaconChain): ApplicationMethods<Endpoints['config']> {
  const { config } = chain
  const spec = {
    ...params.presetToJson(params.activePreset),
    ...chainConfigToJson(config),
    ...specValuesToJson(constants),
  }
  return {
    async getDepositContract() {
      return { data: { chainId: config.DEPOSIT_CHAIN_ID, address: config.DEPOSIT_CONTRACT_ADDRESS } }
    },
    async getForkSchedule() {
      const scheduled = config.forksAscendingEpochOrder.filter(({ epoch }) => epoch !== Infinity)
      return {
        data: scheduled.map(({ prevVersion, version, epoch }) => ({
          previousVersion: prevVersion,
          currentVersion: version,
          epoch,
        })),
      }
    },
    async getSpec() {
      return { data: spec }
    },
  }
}
