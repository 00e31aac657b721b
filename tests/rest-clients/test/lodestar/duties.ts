import { setTimeout as sleep } from 'node:timers/promises'
import { SLOTS_PER_EPOCH } from '@lodestar/params'
import { type fulu, ssz } from '@lodestar/types'
import { fromHex } from '@lodestar/utils'
import type { CallContext } from './call.ts'

/** The request of a proposer for the slot after the current one. */
export async function blockRequest({ api, validators, currentSlot }: CallContext) {
  const slot = currentSlot + 1
  const epoch = Math.floor(slot / SLOTS_PER_EPOCH)
  const duties = (await api.validator.getProposerDuties({ epoch })).value()
  const duty = duties.find((candidate) => candidate.slot === slot)
  if (!duty) throw new Error(`no proposer in slot ${slot}`)
  return { slot, randaoReveal: validators.randaoReveal(duty.validatorIndex, slot) }
}

/** Returns a block of the next slot shortly before the slot starts, because the node rejects much earlier blocks. */
export async function signedBlockInTime(context: CallContext): Promise<fulu.SignedBeaconBlock> {
  const { api, config, genesisTime, validators } = context
  const request = await blockRequest(context)
  const produced = (await api.validator.produceBlockV3(request)).value()
  const block = ('block' in produced ? produced.block : produced) as fulu.BeaconBlock
  const slotDuration = config.SLOT_DURATION_MS
  await sleep(genesisTime * 1_000 + (request.slot - 0.25) * slotDuration - Date.now())
  return validators.block(block)
}

/** A vote for the head, by a validator that is assigned to its slot. */
export async function attestation({ api, validators, headSlot }: CallContext) {
  const committees = (await api.beacon.getEpochCommittees({ stateId: 'head', slot: headSlot })).value()
  const [committee] = committees
  const attesterIndex = committee?.validators[0]
  if (!committee || attesterIndex === undefined) throw new Error('the head slot has no committee')
  const data = (await api.validator.produceAttestationData({ slot: headSlot, committeeIndex: 0 })).value()
  return validators.attestation(attesterIndex, committee.index, data)
}

/** Submits a vote, and returns the request for the aggregate that contains it. */
export async function aggregateRequest(context: CallContext) {
  const vote = await attestation(context)
  const { attesterIndex, committeeIndex, data } = vote
  ;(await context.api.beacon.submitPoolAttestationsV2({ signedAttestations: [vote] })).assertOk()
  const attestationDataRoot = ssz.phase0.AttestationData.hashTreeRoot(data)
  return { attesterIndex, request: { attestationDataRoot, slot: data.slot, committeeIndex } }
}

/** The message of a sync committee member for the head in the current slot. */
export async function syncCommitteeMessage({ api, validators, currentSlot, headRoot }: CallContext) {
  const committee = (await api.beacon.getEpochSyncCommittees({ stateId: 'head' })).value()
  const [validatorIndex] = committee.validators
  if (validatorIndex === undefined) throw new Error('the sync committee is empty')
  const message = validators.syncCommitteeMessage(validatorIndex, currentSlot, fromHex(headRoot))
  // The holder of the first seat belongs to the first subcommittee.
  return { message, subcommitteeIndex: 0 }
}

/** Signs the head, and returns the request for the contribution that contains the signature. */
export async function contributionRequest(context: CallContext) {
  const { message, subcommitteeIndex } = await syncCommitteeMessage(context)
  ;(await context.api.beacon.submitPoolSyncCommitteeSignatures({ signatures: [message] })).assertOk()
  const { slot, beaconBlockRoot, validatorIndex } = message
  return { validatorIndex, slot, subcommitteeIndex, beaconBlockRoot }
}
