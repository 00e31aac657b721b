import { signedBeaconBlockToBlinded } from '@lodestar/state-transition'
import { ssz } from '@lodestar/types'
import type { CallsOf } from './call.ts'
import { gloasSlot } from './chain.ts'
import { attestation, signedBlockInTime, syncCommitteeMessage } from './duties.ts'

/** One call of each operation in the namespace `beacon`. */
export const beaconCalls: CallsOf<'beacon'> = {
  getGenesis: ({ api }, init) => api.beacon.getGenesis(init),
  getBlockV2: ({ api }, init) => api.beacon.getBlockV2({ blockId: 'head' }, init),
  getBlindedBlock: ({ api }, init) => api.beacon.getBlindedBlock({ blockId: 'head' }, init),
  getBlockAttestationsV2: ({ api }, init) => api.beacon.getBlockAttestationsV2({ blockId: 'head' }, init),
  getBlockHeader: ({ api }, init) => api.beacon.getBlockHeader({ blockId: 'finalized' }, init),
  getBlockHeaders: ({ api, headSlot }, init) => api.beacon.getBlockHeaders({ slot: headSlot }, init),
  getBlockRoot: ({ api }, init) => api.beacon.getBlockRoot({ blockId: 'genesis' }, init),
  publishBlockV2: async (context, init) => {
    const signedBlock = await signedBlockInTime(context)
    const signedBlockContents = { signedBlock, kzgProofs: [], blobs: [] }
    return context.api.beacon.publishBlockV2({ signedBlockContents }, init)
  },
  publishBlindedBlockV2: async (context, init) => {
    const signedBlindedBlock = signedBeaconBlockToBlinded(context.config, await signedBlockInTime(context))
    return context.api.beacon.publishBlindedBlockV2({ signedBlindedBlock }, init)
  },
  publishExecutionPayloadEnvelope: ({ api }, init) => {
    const signedEnvelopeOrContents = ssz.gloas.SignedExecutionPayloadEnvelope.defaultValue()
    signedEnvelopeOrContents.message.payload.slotNumber = gloasSlot
    return api.beacon.publishExecutionPayloadEnvelope({ signedEnvelopeOrContents }, init)
  },
  publishExecutionPayloadBid: ({ api }, init) => {
    const signedExecutionPayloadBid = ssz.gloas.SignedExecutionPayloadBid.defaultValue()
    signedExecutionPayloadBid.message.slot = gloasSlot
    return api.beacon.publishExecutionPayloadBid({ signedExecutionPayloadBid }, init)
  },
  getSignedExecutionPayloadEnvelope: ({ api }, init) =>
    api.beacon.getSignedExecutionPayloadEnvelope({ blockId: 'head' }, init),
  getBlobSidecars: ({ api }, init) => api.beacon.getBlobSidecars({ blockId: 'head' }, init),
  getBlobs: ({ api }, init) => api.beacon.getBlobs({ blockId: 'head' }, init),
  getPoolAttestationsV2: ({ api }, init) => api.beacon.getPoolAttestationsV2({}, init),
  getPoolPayloadAttestations: ({ api }, init) => api.beacon.getPoolPayloadAttestations({}, init),
  getPoolAttesterSlashingsV2: ({ api }, init) => api.beacon.getPoolAttesterSlashingsV2(init),
  getPoolProposerSlashings: ({ api }, init) => api.beacon.getPoolProposerSlashings(init),
  getPoolVoluntaryExits: ({ api }, init) => api.beacon.getPoolVoluntaryExits(init),
  getPoolBLSToExecutionChanges: ({ api }, init) => api.beacon.getPoolBLSToExecutionChanges(init),
  submitPoolAttestationsV2: async (context, init) => {
    const signedAttestations = [await attestation(context)]
    return context.api.beacon.submitPoolAttestationsV2({ signedAttestations }, init)
  },
  submitPoolAttesterSlashingsV2: ({ api, validators, headSlot, subjects }, init) => {
    const attesterSlashing = validators.attesterSlashing(subjects.attesterSlashing, headSlot)
    return api.beacon.submitPoolAttesterSlashingsV2({ attesterSlashing }, init)
  },
  submitPoolProposerSlashings: ({ api, validators, headSlot, subjects }, init) => {
    const proposerSlashing = validators.proposerSlashing(subjects.proposerSlashing, headSlot)
    return api.beacon.submitPoolProposerSlashings({ proposerSlashing }, init)
  },
  submitPoolVoluntaryExit: ({ api, validators, epoch, subjects }, init) => {
    const signedVoluntaryExit = validators.voluntaryExit(subjects.voluntaryExit, epoch)
    return api.beacon.submitPoolVoluntaryExit({ signedVoluntaryExit }, init)
  },
  submitPoolBLSToExecutionChange: ({ api, validators, subjects }, init) => {
    const address = new Uint8Array(20).fill(0xad)
    const blsToExecutionChanges = [validators.blsToExecutionChange(subjects.blsToExecutionChange, address)]
    return api.beacon.submitPoolBLSToExecutionChange({ blsToExecutionChanges }, init)
  },
  submitPoolSyncCommitteeSignatures: async (context, init) => {
    const signatures = [(await syncCommitteeMessage(context)).message]
    return context.api.beacon.submitPoolSyncCommitteeSignatures({ signatures }, init)
  },
  submitPayloadAttestationMessages: ({ api }, init) => {
    const message = ssz.gloas.PayloadAttestationMessage.defaultValue()
    message.data.slot = gloasSlot
    return api.beacon.submitPayloadAttestationMessages({ payloadAttestationMessages: [message] }, init)
  },
  getEpochCommittees: ({ api, epoch }, init) =>
    api.beacon.getEpochCommittees({ stateId: 'head', epoch }, init),
  getEpochSyncCommittees: ({ api }, init) => api.beacon.getEpochSyncCommittees({ stateId: 'head' }, init),
  getStateFinalityCheckpoints: ({ api }, init) =>
    api.beacon.getStateFinalityCheckpoints({ stateId: 'head' }, init),
  getStateFork: ({ api }, init) => api.beacon.getStateFork({ stateId: 'finalized' }, init),
  getStateRoot: ({ api }, init) => api.beacon.getStateRoot({ stateId: 'justified' }, init),
  getStateRandao: ({ api, epoch }, init) => api.beacon.getStateRandao({ stateId: 'head', epoch }, init),
  getStateValidator: ({ api }, init) =>
    api.beacon.getStateValidator({ stateId: 'head', validatorId: 0 }, init),
  getStateValidators: ({ api }, init) =>
    api.beacon.getStateValidators(
      { stateId: 'head', validatorIds: [0, 1], statuses: ['active_ongoing'] },
      init,
    ),
  postStateValidators: ({ api }, init) =>
    api.beacon.postStateValidators({ stateId: 'head', validatorIds: [0, 1] }, init),
  getStateBuilders: ({ api }, init) => api.beacon.getStateBuilders({ stateId: 'head' }, init),
  postStateValidatorIdentities: ({ api }, init) =>
    api.beacon.postStateValidatorIdentities({ stateId: 'head', validatorIds: [3] }, init),
  getStateValidatorBalances: ({ api }, init) =>
    api.beacon.getStateValidatorBalances({ stateId: 'head', validatorIds: [3] }, init),
  postStateValidatorBalances: ({ api }, init) =>
    api.beacon.postStateValidatorBalances({ stateId: 'head', validatorIds: [3] }, init),
  getPendingDeposits: ({ api }, init) => api.beacon.getPendingDeposits({ stateId: 'head' }, init),
  getPendingPartialWithdrawals: ({ api }, init) =>
    api.beacon.getPendingPartialWithdrawals({ stateId: 'head' }, init),
  getPendingConsolidations: ({ api }, init) => api.beacon.getPendingConsolidations({ stateId: 'head' }, init),
  getProposerLookahead: ({ api }, init) => api.beacon.getProposerLookahead({ stateId: 'head' }, init),
  getBlockRewards: ({ api }, init) => api.beacon.getBlockRewards({ blockId: 'head' }, init),
  getAttestationsRewards: ({ api, epoch }, init) =>
    api.beacon.getAttestationsRewards({ epoch: epoch - 2, validatorIds: [0] }, init),
  getSyncCommitteeRewards: ({ api }, init) =>
    api.beacon.getSyncCommitteeRewards({ blockId: 'head', validatorIds: [0] }, init),
}
