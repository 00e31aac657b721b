import type { Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import { SLOTS_PER_EPOCH } from '@lodestar/params'
import { computeEpochAtSlot, type CachedBeaconStateFulu } from '@lodestar/state-transition'
import type { Epoch, RootHex, ValidatorIndex } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import type { BeaconChain, StateRecord } from '../../chain/beacon-chain.ts'
import { Refused } from '../../chain/refused.ts'
import { finalityFlags } from '../finality-flags.ts'

type DutyMethods = Pick<
  ApplicationMethods<Endpoints['validator']>,
  'getAttesterDuties' | 'getProposerDuties' | 'getProposerDutiesV2' | 'getSyncCommitteeDuties' | 'getLiveness'
>

/**
 * Creates the operations of `/eth/v1/validator` that return validator duties.
 *
 * @param chain The chain to read from.
 * @returns The methods by operation id.
 */
export function createDutyMethods(chain: BeaconChain): DutyMethods {
  /** Returns a state that contains the committees and proposers of an epoch. */
  function stateFor(epoch: Epoch): StateRecord {
    const current = computeEpochAtSlot(chain.currentSlot)
    if (epoch > current + 1) throw new Refused('epoch must be at most one epoch ahead.')
    return chain.stateForEpoch(Math.min(epoch, current))
  }

  /** The last block before a slot, on the branch of the state; the genesis block when there is none. */
  function rootBefore(state: CachedBeaconStateFulu, slot: number): RootHex {
    if (slot <= 0) return chain.block('genesis').root
    const last = slot - 1
    return last < state.slot
      ? toRootHex(state.blockRoots.get(last % state.blockRoots.length))
      : chain.head.root
  }

  function proposerDuties(epoch: Epoch, dependsOnSlot: number) {
    const record = stateFor(epoch)
    const { epochCtx } = record.state
    const proposers =
      epoch === epochCtx.epoch ? epochCtx.getBeaconProposers() : epochCtx.getBeaconProposersNextEpoch()
    return {
      data: proposers.map((validatorIndex, position) => ({
        pubkey: pubkeyOf(record.state, validatorIndex),
        validatorIndex,
        slot: epoch * SLOTS_PER_EPOCH + position,
      })),
      meta: {
        executionOptimistic: finalityFlags(record).executionOptimistic,
        dependentRoot: rootBefore(record.state, dependsOnSlot),
      },
    }
  }

  return {
    async getAttesterDuties({ epoch, indices }) {
      const record = stateFor(epoch)
      const { state } = record
      const assignments = state.epochCtx.getCommitteeAssignments(epoch, known(state, indices))
      return {
        data: Array.from(assignments.values(), (duty) => ({
          ...duty,
          pubkey: pubkeyOf(state, duty.validatorIndex),
        })),
        meta: {
          executionOptimistic: finalityFlags(record).executionOptimistic,
          dependentRoot: state.epochCtx.getShufflingDecisionRoot(epoch),
        },
      }
    },
    async getProposerDuties({ epoch }) {
      return proposerDuties(epoch, epoch * SLOTS_PER_EPOCH)
    },
    async getProposerDutiesV2({ epoch }) {
      // Since Fulu, proposers are final one epoch earlier than the first version of the operation reports.
      return proposerDuties(epoch, (epoch - 1) * SLOTS_PER_EPOCH)
    },
    async getSyncCommitteeDuties({ epoch, indices }) {
      const record = chain.stateForEpoch(computeEpochAtSlot(chain.currentSlot))
      const { state } = record
      const positions = syncCommitteePositions(state, epoch)
      return {
        data: known(state, indices).flatMap((validatorIndex) => {
          const validatorSyncCommitteeIndices = positions.get(validatorIndex)
          if (validatorSyncCommitteeIndices === undefined) return []
          return [{ pubkey: pubkeyOf(state, validatorIndex), validatorIndex, validatorSyncCommitteeIndices }]
        }),
        meta: { executionOptimistic: finalityFlags(record).executionOptimistic },
      }
    },
    async getLiveness({ epoch, indices }) {
      const current = computeEpochAtSlot(chain.currentSlot)
      if (Math.abs(epoch - current) > 1) {
        throw new Refused('epoch must be the current one or one next to it.')
      }
      return { data: indices.map((index) => ({ index, isLive: chain.isLive(epoch, index) })) }
    },
  }
}

function pubkeyOf(state: CachedBeaconStateFulu, index: ValidatorIndex): Uint8Array {
  return state.validators.getReadonly(index).pubkey
}

function known(state: CachedBeaconStateFulu, indices: readonly ValidatorIndex[]): ValidatorIndex[] {
  if (indices.length === 0) throw new Refused('The body must contain at least one validator index.')
  if (indices.some((index) => index >= state.validators.length)) {
    throw new Refused('The body contains a validator index that the state does not have.')
  }
  return [...indices]
}

function syncCommitteePositions(state: CachedBeaconStateFulu, epoch: Epoch): Map<ValidatorIndex, number[]> {
  try {
    return state.epochCtx.getIndexedSyncCommitteeAtEpoch(epoch).validatorIndexMap
  } catch {
    throw new Refused('epoch must lie in the current sync committee period or in the next one.')
  }
}
