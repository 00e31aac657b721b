import { type FindType, isFrom, pubkey, uint64 } from './fork-types.ts'
import { type JsonCodec, listOf, recordOf } from './sequence.ts'

/** Metadata of a response that determines the type of its bytes. */
export interface ResponseMetadata {
  readonly version?: string | undefined
  readonly execution_payload_blinded?: boolean | undefined
  readonly execution_payload_included?: boolean | undefined
}

/** The type of every SSZ response by path. Light client updates are framed and therefore not included. */
export const responseTypes: Readonly<
  Record<string, (find: FindType, metadata: ResponseMetadata) => JsonCodec>
> = {
  '/eth/v1/beacon/states/{state_id}/validator_balances': () =>
    listOf(recordOf({ index: uint64, balance: uint64 })),
  '/eth/v1/beacon/states/{state_id}/validator_identities': () =>
    listOf(recordOf({ index: uint64, pubkey, activation_epoch: uint64 })),
  '/eth/v1/beacon/states/{state_id}/pending_consolidations': (find) => listOf(find('PendingConsolidation')),
  '/eth/v1/beacon/states/{state_id}/pending_deposits': (find) => listOf(find('PendingDeposit')),
  '/eth/v1/beacon/states/{state_id}/pending_partial_withdrawals': (find) =>
    listOf(find('PendingPartialWithdrawal')),
  '/eth/v1/beacon/states/{state_id}/proposer_lookahead': () => listOf(uint64),
  '/eth/v1/beacon/execution_payload_envelopes/{block_id}': (find) => find('SignedExecutionPayloadEnvelope'),
  '/eth/v2/beacon/blocks/{block_id}': (find) => find('SignedBeaconBlock'),
  '/eth/v1/beacon/blobs/{block_id}': (find) => find('Blobs', 'deneb'),
  '/eth/v1/beacon/blinded_blocks/{block_id}': (find, { version }) =>
    find(isFrom(version, 'bellatrix') ? 'SignedBlindedBeaconBlock' : 'SignedBeaconBlock'),
  '/eth/v1/beacon/light_client/bootstrap/{block_root}': (find) => find('LightClientBootstrap'),
  '/eth/v1/beacon/light_client/finality_update': (find) => find('LightClientFinalityUpdate'),
  '/eth/v1/beacon/light_client/optimistic_update': (find) => find('LightClientOptimisticUpdate'),
  '/eth/v1/beacon/pool/payload_attestations': (find) => listOf(find('PayloadAttestation')),
  '/eth/v1/debug/beacon/data_column_sidecars/{block_id}': (find) => listOf(find('DataColumnSidecar')),
  '/eth/v2/debug/beacon/states/{state_id}': (find) => find('BeaconState'),
  '/eth/v3/validator/blocks/{slot}': (find, { version, execution_payload_blinded }) => {
    if (execution_payload_blinded) return find('BlindedBeaconBlock')
    return find(isFrom(version, 'deneb') ? 'BlockContents' : 'BeaconBlock')
  },
  '/eth/v4/validator/blocks/{slot}': (find, { execution_payload_included }) =>
    find(execution_payload_included ? 'BlockContents' : 'BeaconBlock'),
  '/eth/v1/validator/attestation_data': (find) => find('AttestationData', 'phase0'),
  '/eth/v1/validator/payload_attestation_data': (find) => find('PayloadAttestationData'),
  '/eth/v2/validator/aggregate_attestation': (find) => find('Attestation'),
  '/eth/v1/validator/execution_payload_bids/{slot}/{builder_index}': (find) => find('ExecutionPayloadBid'),
  '/eth/v1/validator/execution_payload_envelopes/{slot}/{beacon_block_root}': (find) =>
    find('ExecutionPayloadEnvelope'),
}
