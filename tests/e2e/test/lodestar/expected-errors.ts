import type { ApiClient } from '@lodestar/api'
import type { Namespace } from './call.ts'

/** How an operation is rejected, and why. */
export interface Refusal {
  readonly status: number
  readonly message: RegExp
  /** The reason, in a few words. */
  readonly why: string
}

/** For operations of the fork after the current one of the chain. */
export const gloas: Refusal = { status: 501, message: /belongs to Gloas/, why: 'belongs to Gloas' }
const lodestarsOwn: Refusal = { status: 404, message: /has no such path/, why: 'is not of the specification' }
const distributed: Refusal = {
  status: 501,
  message: /distributed validator/,
  why: 'there is no distributed validator',
}

type OperationName = { [name in Namespace]: `${name}.${keyof ApiClient[name] & string}` }[Namespace]

/** Operations for which the embedded chain does not respond with 2xx. Each rejection is the same in JSON and in SSZ. */
export const expectedRefusals: { readonly [name in OperationName]?: Refusal } = {
  'beacon.publishExecutionPayloadEnvelope': gloas,
  'beacon.publishExecutionPayloadBid': gloas,
  'beacon.getSignedExecutionPayloadEnvelope': gloas,
  'beacon.getPoolPayloadAttestations': gloas,
  'beacon.submitPayloadAttestationMessages': gloas,
  'beacon.getStateBuilders': gloas,
  'validator.getPtcDuties': gloas,
  'validator.getExecutionPayloadEnvelope': gloas,
  'validator.producePayloadAttestationData': gloas,
  'validator.submitProposerPreferences': gloas,
  'validator.produceBlockV4': {
    status: 405,
    message: /GET/,
    why: 'is not called with POST',
  },
  'debug.getDebugForkChoiceV2': lodestarsOwn,
  'debug.getProtoArrayNodes': lodestarsOwn,
  'lightclient.getLightClientCommitteeRoot': lodestarsOwn,
  'validator.submitBuilderPreferences': lodestarsOwn,
  'validator.submitBeaconCommitteeSelections': distributed,
  'validator.submitSyncCommitteeSelections': distributed,
  'node.getNetworkIdentity': { status: 501, message: /peer-to-peer/, why: 'there is no network of peers' },
  'node.getPeer': { status: 404, message: /peer/, why: 'there are no peers' },
  'validator.registerValidator': {
    status: 501,
    message: /external builder/,
    why: 'there is no external builder',
  },
}
