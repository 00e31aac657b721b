import type { Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import { EPOCHS_PER_HISTORICAL_VECTOR, SLOTS_PER_EPOCH, SYNC_COMMITTEE_SUBNET_SIZE } from '@lodestar/params'
import { getRandaoMix, type CachedBeaconStateFulu } from '@lodestar/state-transition'
import type { Epoch } from '@lodestar/types'
import type { BeaconChain } from '../../chain/beacon-chain.ts'
import { NotFound } from '../../chain/not-found.ts'
import { Refused } from '../../chain/refused.ts'
import { finalityFlags, versionedFlags } from '../finality-flags.ts'
import {
  findValidator,
  findValidators,
  limitIdsInQuery,
  readValidator,
  statusFilter,
} from '../validator-ids.ts'

type StateMethods = Pick<
  ApplicationMethods<Endpoints['beacon']>,
  | 'getGenesis'
  | 'getStateRoot'
  | 'getStateFork'
  | 'getStateFinalityCheckpoints'
  | 'getStateRandao'
  | 'getStateValidators'
  | 'postStateValidators'
  | 'getStateValidator'
  | 'getStateValidatorBalances'
  | 'postStateValidatorBalances'
  | 'postStateValidatorIdentities'
  | 'getEpochCommittees'
  | 'getEpochSyncCommittees'
  | 'getPendingDeposits'
  | 'getPendingPartialWithdrawals'
  | 'getPendingConsolidations'
  | 'getProposerLookahead'
>

type ValidatorIds = readonly (string | number)[] | undefined

/**
 * Creates the operations of `/eth/v1/beacon` that read genesis and states.
 *
 * @param chain The chain to read from.
 * @returns The methods by operation id.
 */
export function createStateMethods(chain: BeaconChain): StateMethods {
  const validators = (
    stateId: string | number,
    ids: ValidatorIds,
    statuses: readonly string[] | undefined,
  ) => {
    const matches = statusFilter(statuses)
    const record = chain.state(stateId)
    const { state } = record
    return {
      data: findValidators(state, ids)
        .map((index) => readValidator(state, index))
        .filter(({ status }) => matches(status)),
      meta: finalityFlags(record),
    }
  }
  const balances = (stateId: string | number, ids: ValidatorIds) => {
    const record = chain.state(stateId)
    const { state } = record
    return {
      data: findValidators(state, ids).map((index) => ({ index, balance: state.balances.get(index) })),
      meta: finalityFlags(record),
    }
  }

  return {
    async getGenesis() {
      const { config, genesisTime } = chain
      return {
        data: {
          genesisTime,
          genesisValidatorsRoot: config.genesisValidatorsRoot,
          genesisForkVersion: config.GENESIS_FORK_VERSION,
        },
      }
    },
    async getStateRoot({ stateId }) {
      const record = chain.state(stateId)
      return { data: { root: record.state.hashTreeRoot() }, meta: finalityFlags(record) }
    },
    async getStateFork({ stateId }) {
      const record = chain.state(stateId)
      return { data: record.state.fork.toValue(), meta: finalityFlags(record) }
    },
    async getStateFinalityCheckpoints({ stateId }) {
      const record = chain.state(stateId)
      const { previousJustifiedCheckpoint, currentJustifiedCheckpoint, finalizedCheckpoint } = record.state
      return {
        data: {
          previousJustified: previousJustifiedCheckpoint.toValue(),
          currentJustified: currentJustifiedCheckpoint.toValue(),
          finalized: finalizedCheckpoint.toValue(),
        },
        meta: finalityFlags(record),
      }
    },
    async getStateRandao({ stateId, epoch }) {
      const record = chain.state(stateId)
      const current = record.state.epochCtx.epoch
      const wanted = epoch ?? current
      if (wanted > current || wanted + EPOCHS_PER_HISTORICAL_VECTOR <= current) {
        throw new Refused('The state does not contain the RANDAO mix of this epoch.')
      }
      return { data: { randao: getRandaoMix(record.state, wanted) }, meta: finalityFlags(record) }
    },
    async getStateValidators({ stateId, validatorIds, statuses }) {
      limitIdsInQuery(validatorIds)
      return validators(stateId, validatorIds, statuses)
    },
    async postStateValidators({ stateId, validatorIds, statuses }) {
      return validators(stateId, validatorIds, statuses ?? undefined)
    },
    async getStateValidator({ stateId, validatorId }) {
      const record = chain.state(stateId)
      const index = findValidator(record.state, validatorId)
      if (index === undefined) throw new NotFound('The state has no such validator.')
      return { data: readValidator(record.state, index), meta: finalityFlags(record) }
    },
    async getStateValidatorBalances({ stateId, validatorIds }) {
      limitIdsInQuery(validatorIds)
      return balances(stateId, validatorIds)
    },
    async postStateValidatorBalances({ stateId, validatorIds }) {
      return balances(stateId, validatorIds)
    },
    async postStateValidatorIdentities({ stateId, validatorIds }) {
      const record = chain.state(stateId)
      const { state } = record
      return {
        data: findValidators(state, validatorIds).map((index) => {
          const { pubkey, activationEpoch } = state.validators.getReadonly(index)
          return { index, pubkey, activationEpoch }
        }),
        meta: finalityFlags(record),
      }
    },
    async getEpochCommittees({ stateId, epoch, index, slot }) {
      const record = chain.state(stateId)
      const committees = committeesOf(record.state, epoch ?? record.state.epochCtx.epoch)
      if (slot !== undefined && !committees.some((committee) => committee.slot === slot)) {
        throw new Refused('slot must lie in the requested epoch.')
      }
      if (index !== undefined && !committees.some((committee) => committee.index === index)) {
        throw new Refused('index must be below the number of committees per slot.')
      }
      const matches = (committee: { index: number; slot: number }) =>
        (slot === undefined || committee.slot === slot) && (index === undefined || committee.index === index)
      return { data: committees.filter(matches), meta: finalityFlags(record) }
    },
    async getEpochSyncCommittees({ stateId, epoch }) {
      const record = chain.state(stateId)
      const validatorIndices = syncCommitteeOf(record.state, epoch ?? record.state.epochCtx.epoch)
      const validatorAggregates: number[][] = []
      for (let start = 0; start < validatorIndices.length; start += SYNC_COMMITTEE_SUBNET_SIZE) {
        validatorAggregates.push(validatorIndices.slice(start, start + SYNC_COMMITTEE_SUBNET_SIZE))
      }
      return { data: { validators: validatorIndices, validatorAggregates }, meta: finalityFlags(record) }
    },
    async getPendingDeposits({ stateId }) {
      const record = chain.state(stateId)
      return { data: record.state.pendingDeposits.toValue(), meta: versionedFlags(record) }
    },
    async getPendingPartialWithdrawals({ stateId }) {
      const record = chain.state(stateId)
      return { data: record.state.pendingPartialWithdrawals.toValue(), meta: versionedFlags(record) }
    },
    async getPendingConsolidations({ stateId }) {
      const record = chain.state(stateId)
      return { data: record.state.pendingConsolidations.toValue(), meta: versionedFlags(record) }
    },
    async getProposerLookahead({ stateId }) {
      const record = chain.state(stateId)
      return { data: record.state.proposerLookahead.toValue(), meta: versionedFlags(record) }
    },
  }
}

function committeesOf(
  state: CachedBeaconStateFulu,
  epoch: Epoch,
): { index: number; slot: number; validators: number[] }[] {
  const shuffling = state.epochCtx.getShufflingAtEpochOrNull(epoch)
  if (shuffling === null) {
    throw new Refused('epoch must be at most one epoch before or after the one of the state.')
  }
  return shuffling.committees.flatMap((committees, position) =>
    committees.map((validators, index) => ({
      index,
      slot: epoch * SLOTS_PER_EPOCH + position,
      validators: Array.from(validators),
    })),
  )
}

function syncCommitteeOf(state: CachedBeaconStateFulu, epoch: Epoch): number[] {
  try {
    return Array.from(state.epochCtx.getIndexedSyncCommitteeAtEpoch(epoch).validatorIndices)
  } catch {
    throw new Refused('epoch must lie in the sync committee period of the state or in the next one.')
  }
}
