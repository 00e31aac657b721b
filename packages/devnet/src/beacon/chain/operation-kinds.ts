import {
  assertValidAttesterSlashing,
  assertValidProposerSlashing,
  getAttesterSlashableIndices,
  getVoluntaryExitValidity,
  isSlashableValidator,
  isValidBlsToExecutionChange,
  VoluntaryExitValidity,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import { ForkSeq } from '@lodestar/params'
import { ssz, type capella, type electra, type phase0, type ValidatorIndex } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import type { OperationKind } from './operation-pool.ts'

function validatorOf(state: CachedBeaconStateFulu, index: ValidatorIndex) {
  if (index >= state.validators.length) throw new Error('There is no validator with this index.')
  return state.validators.getReadonly(index)
}

/** Voluntary exits; one for each validator. */
export const voluntaryExit: OperationKind<phase0.SignedVoluntaryExit> = {
  key: ({ message }) => String(message.validatorIndex),
  affects: ({ message }) => [message.validatorIndex],
  verify(state, item, verifySignatures) {
    validatorOf(state, item.message.validatorIndex)
    const validity = getVoluntaryExitValidity(ForkSeq.fulu, state, item, verifySignatures)
    if (validity !== VoluntaryExitValidity.valid) {
      throw new Error(`The voluntary exit is not valid: ${validity.replaceAll('_', ' ')}.`)
    }
  },
}

/** Proposer slashings; one for each validator. */
export const proposerSlashing: OperationKind<phase0.ProposerSlashing> = {
  key: ({ signedHeader1 }) => String(signedHeader1.message.proposerIndex),
  affects: ({ signedHeader1 }) => [signedHeader1.message.proposerIndex],
  verify(state, item, verifySignatures) {
    const { config, epochCtx, slot } = state
    const proposer = validatorOf(state, item.signedHeader1.message.proposerIndex)
    assertValidProposerSlashing(config, epochCtx.pubkeyCache, slot, item, proposer, verifySignatures)
  },
}

/** Attester slashings. */
export const attesterSlashing: OperationKind<electra.AttesterSlashing> = {
  key: (item) => toRootHex(ssz.electra.AttesterSlashing.hashTreeRoot(item)),
  affects: (item) => getAttesterSlashableIndices(item),
  verify(state, item, verifySignatures) {
    const { config, epochCtx, slot, validators } = state
    assertValidAttesterSlashing(config, epochCtx.pubkeyCache, slot, validators.length, item, verifySignatures)
    const slashable = getAttesterSlashableIndices(item).some((index) =>
      isSlashableValidator(validatorOf(state, index), epochCtx.epoch),
    )
    if (!slashable) throw new Error('None of the attesters can still be slashed.')
  },
}

/** Changes of BLS withdrawal credentials; one for each validator. */
export const blsToExecutionChange: OperationKind<capella.SignedBLSToExecutionChange> = {
  key: ({ message }) => String(message.validatorIndex),
  affects: () => [],
  verify(state, item, verifySignatures) {
    const validator = validatorOf(state, item.message.validatorIndex)
    const validation = isValidBlsToExecutionChange(state.config, validator, item, verifySignatures)
    if (!validation.valid) throw validation.error
  },
}
