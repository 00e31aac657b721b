import { type FindType, isFrom } from './fork-types.ts'
import { type JsonCodec, listOf } from './sequence.ts'

/** The type of every SSZ request body by path. */
export const requestTypes: Readonly<
  Record<string, (find: FindType, version: string | undefined, json: unknown) => JsonCodec>
> = {
  '/eth/v2/beacon/blocks': (find, version) =>
    find(isFrom(version, 'deneb') && !isFrom(version, 'gloas') ? 'SignedBlockContents' : 'SignedBeaconBlock'),
  '/eth/v2/beacon/blinded_blocks': (find, version) =>
    find(isFrom(version, 'bellatrix') ? 'SignedBlindedBeaconBlock' : 'SignedBeaconBlock'),
  '/eth/v2/beacon/pool/attestations': (find, version) =>
    listOf(find(isFrom(version, 'electra') ? 'SingleAttestation' : 'Attestation')),
  '/eth/v2/validator/aggregate_and_proofs': (find) => listOf(find('SignedAggregateAndProof')),
  '/eth/v1/validator/register_validator': (find) =>
    listOf(find('SignedValidatorRegistrationV1', 'bellatrix')),
  '/eth/v1/beacon/execution_payload_bids': (find) => find('SignedExecutionPayloadBid'),
  '/eth/v1/beacon/execution_payload_envelopes': (find, _, json) =>
    find(
      typeof json === 'object' && json !== null && 'signed_execution_payload_envelope' in json
        ? 'SignedExecutionPayloadEnvelopeContents'
        : 'SignedExecutionPayloadEnvelope',
    ),
  '/eth/v1/beacon/pool/payload_attestations': (find) => listOf(find('PayloadAttestationMessage')),
  '/eth/v1/validator/proposer_preferences': (find) => listOf(find('SignedProposerPreferences')),
}
