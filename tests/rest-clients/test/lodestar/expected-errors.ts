import type { ApiClient } from '@lodestar/api'
import type { Namespace } from './call.ts'

/** How an operation is rejected, and why. */
export interface ExpectedError {
  readonly status: number
  readonly message: RegExp
  /** The reason, in a few words. */
  readonly reason: string
}

/** For operations of the fork after the current one of the chain. */
export const gloas: ExpectedError = { status: 501, message: /belongs to Gloas/, reason: 'belongs to Gloas' }
const lodestarOnly: ExpectedError = {
  status: 404,
  message: /does not have this path/,
  reason: 'not part of the specification',
}
const distributed: ExpectedError = {
  status: 501,
  message: /distributed validator/,
  reason: 'there is no distributed validator',
}

type OperationName = { [name in Namespace]: `${name}.${keyof ApiClient[name] & string}` }[Namespace]

/** Operations for which the embedded chain does not respond with 2xx. Each rejection is the same in JSON and in SSZ. */
export const expectedErrors: { readonly [name in OperationName]?: ExpectedError } = {
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
    reason: 'does not accept POST',
  },
  'debug.getDebugForkChoiceV2': lodestarOnly,
  'debug.getProtoArrayNodes': lodestarOnly,
  'lightclient.getLightClientCommitteeRoot': lodestarOnly,
  'validator.submitBuilderPreferences': lodestarOnly,
  'validator.submitBeaconCommitteeSelections': distributed,
  'validator.submitSyncCommitteeSelections': distributed,
  'node.getNetworkIdentity': {
    status: 501,
    message: /peer-to-peer/,
    reason: 'there is no peer-to-peer network',
  },
  'node.getPeer': { status: 404, message: /peer/, reason: 'there are no peers' },
  'validator.registerValidator': {
    status: 501,
    message: /external builder/,
    reason: 'there is no external builder',
  },
}
