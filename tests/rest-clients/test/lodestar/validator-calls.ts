import { type electra, ssz } from '@lodestar/types'
import { fromHex } from '@lodestar/utils'
import type { CallsOf } from './call.ts'
import { gloasSlot } from './chain.ts'
import { aggregateRequest, blockRequest, contributionRequest } from './duties.ts'

/** One call of each operation in the namespace `validator`. */
export const validatorCalls: CallsOf<'validator'> = {
  getAttesterDuties: ({ api, epoch }, init) =>
    api.validator.getAttesterDuties({ epoch, indices: [0, 1, 2, 3] }, init),
  getProposerDuties: ({ api, epoch }, init) => api.validator.getProposerDuties({ epoch }, init),
  getProposerDutiesV2: ({ api, epoch }, init) => api.validator.getProposerDutiesV2({ epoch }, init),
  getSyncCommitteeDuties: ({ api, epoch }, init) =>
    api.validator.getSyncCommitteeDuties({ epoch, indices: [0, 1, 2, 3] }, init),
  getPtcDuties: ({ api, epoch }, init) => api.validator.getPtcDuties({ epoch, indices: [0] }, init),
  produceBlockV3: async (context, init) =>
    context.api.validator.produceBlockV3(await blockRequest(context), init),
  produceBlockV4: async (context, init) => {
    const builderConfig = { minBid: 0n, builderBoostFactor: 0n, builders: [] }
    const request = { ...(await blockRequest(context)), includePayload: true, builderConfig }
    return context.api.validator.produceBlockV4(request, init)
  },
  getExecutionPayloadEnvelope: ({ api, headSlot, headRoot }, init) =>
    api.validator.getExecutionPayloadEnvelope({ slot: headSlot, beaconBlockRoot: fromHex(headRoot) }, init),
  produceAttestationData: ({ api, headSlot }, init) =>
    api.validator.produceAttestationData({ slot: headSlot, committeeIndex: 0 }, init),
  producePayloadAttestationData: ({ api, headSlot }, init) =>
    api.validator.producePayloadAttestationData({ slot: headSlot }, init),
  produceSyncCommitteeContribution: async (context, init) =>
    context.api.validator.produceSyncCommitteeContribution(await contributionRequest(context), init),
  getAggregatedAttestationV2: async (context, init) => {
    const { request } = await aggregateRequest(context)
    return context.api.validator.getAggregatedAttestationV2(request, init)
  },
  publishAggregateAndProofsV2: async (context, init) => {
    const { api, validators } = context
    const { request, attesterIndex } = await aggregateRequest(context)
    const aggregate = (await api.validator.getAggregatedAttestationV2(request)).value() as electra.Attestation
    const signed = validators.aggregateAndProof(attesterIndex, aggregate)
    return api.validator.publishAggregateAndProofsV2({ signedAggregateAndProofs: [signed] }, init)
  },
  publishContributionAndProofs: async (context, init) => {
    const { api, validators } = context
    const { validatorIndex, ...request } = await contributionRequest(context)
    const contribution = (await api.validator.produceSyncCommitteeContribution(request)).value()
    const signed = validators.contributionAndProof(validatorIndex, contribution)
    return api.validator.publishContributionAndProofs({ contributionAndProofs: [signed] }, init)
  },
  prepareBeaconCommitteeSubnet: ({ api, headSlot }, init) =>
    api.validator.prepareBeaconCommitteeSubnet(
      {
        subscriptions: [
          {
            validatorIndex: 0,
            committeeIndex: 0,
            committeesAtSlot: 1,
            slot: headSlot + 1,
            isAggregator: false,
          },
        ],
      },
      init,
    ),
  prepareSyncCommitteeSubnets: ({ api, epoch }, init) =>
    api.validator.prepareSyncCommitteeSubnets(
      { subscriptions: [{ validatorIndex: 0, syncCommitteeIndices: [0], untilEpoch: epoch + 1 }] },
      init,
    ),
  prepareBeaconProposer: ({ api }, init) =>
    api.validator.prepareBeaconProposer(
      { proposers: [{ validatorIndex: 0, feeRecipient: `0x${'fe'.repeat(20)}` }] },
      init,
    ),
  submitBeaconCommitteeSelections: ({ api, headSlot }, init) =>
    api.validator.submitBeaconCommitteeSelections(
      { selections: [{ validatorIndex: 0, slot: headSlot, selectionProof: new Uint8Array(96) }] },
      init,
    ),
  submitSyncCommitteeSelections: ({ api, headSlot }, init) =>
    api.validator.submitSyncCommitteeSelections(
      {
        selections: [
          { validatorIndex: 0, slot: headSlot, subcommitteeIndex: 0, selectionProof: new Uint8Array(96) },
        ],
      },
      init,
    ),
  getLiveness: ({ api, epoch }, init) =>
    api.validator.getLiveness({ epoch: epoch - 1, indices: [0, 1] }, init),
  registerValidator: ({ api, validators }, init) =>
    api.validator.registerValidator({ registrations: [validators.registration(0)] }, init),
  submitProposerPreferences: ({ api }, init) => {
    const preferences = ssz.gloas.SignedProposerPreferences.defaultValue()
    preferences.message.proposalSlot = gloasSlot
    return api.validator.submitProposerPreferences({ signedProposerPreferences: [preferences] }, init)
  },
  submitBuilderPreferences: ({ api }, init) =>
    api.validator.submitBuilderPreferences({ builderPreferences: [] }, init),
}
