import type { Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import { SLOTS_PER_EPOCH } from '@lodestar/params'
import {
  computeAttestationsRewards,
  computeBlockRewards,
  computeSyncCommitteeRewards,
  processSlots,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import type { ValidatorIndex } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import type { BeaconChain, BlockRecord } from '../../chain/beacon-chain.ts'
import { finalityFlags } from '../finality-flags.ts'
import { findValidators } from '../validator-ids.ts'

type RewardMethods = Pick<
  ApplicationMethods<Endpoints['beacon']>,
  'getBlockRewards' | 'getAttestationsRewards' | 'getSyncCommitteeRewards'
>

/**
 * Creates the operations of `/eth/v1/beacon/rewards`.
 *
 * @param chain The chain to read from.
 * @returns The methods by operation id.
 */
export function createRewardMethods(chain: BeaconChain): RewardMethods {
  /** The state that a block was applied to. */
  function stateBefore({ block }: BlockRecord): CachedBeaconStateFulu {
    const parent = chain.block(toRootHex(block.message.parentRoot))
    const { state } = chain.state(toRootHex(parent.block.message.stateRoot))
    return processSlots(state, block.message.slot) as CachedBeaconStateFulu
  }

  return {
    async getBlockRewards({ blockId }) {
      const record = chain.block(blockId)
      const data = await computeBlockRewards(chain.config, record.block.message, stateBefore(record))
      return { data, meta: finalityFlags(record) }
    },
    async getAttestationsRewards({ epoch, validatorIds }) {
      // An attestation of this epoch can be included until the end of the next epoch.
      const record = chain.state((epoch + 2) * SLOTS_PER_EPOCH - 1)
      const { state } = record
      const wanted = chosen(state, validatorIds)
      const data = await computeAttestationsRewards(chain.config, state.epochCtx.pubkeyCache, state, wanted)
      return { data, meta: finalityFlags(record) }
    },
    async getSyncCommitteeRewards({ blockId, validatorIds }) {
      const record = chain.block(blockId)
      const state = stateBefore(record)
      const { pubkeyCache } = state.epochCtx
      const wanted = chosen(state, validatorIds)
      const data = await computeSyncCommitteeRewards(
        chain.config,
        pubkeyCache,
        record.block.message,
        state,
        wanted,
      )
      return { data, meta: finalityFlags(record) }
    },
  }
}

function chosen(
  state: CachedBeaconStateFulu,
  ids: readonly (string | number)[] | undefined,
): ValidatorIndex[] | undefined {
  return ids === undefined || ids.length === 0 ? undefined : findValidators(state, ids)
}
