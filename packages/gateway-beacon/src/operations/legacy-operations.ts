/** An operation of earlier releases of the beacon node API that many upstreams still support. */
export interface LegacyOperation {
  readonly operationId: string
  readonly method: 'GET' | 'POST'
  readonly path: string
}

/**
 * Operations that are forwarded although the contract no longer has them. The gateway checks nothing about them and
 * leaves their parameters to the upstream.
 */
export const legacyOperations: readonly LegacyOperation[] = [
  { operationId: 'getBlobSidecars', method: 'GET', path: '/eth/v1/beacon/blob_sidecars/{block_id}' },
  {
    operationId: 'getBlockAttestations',
    method: 'GET',
    path: '/eth/v1/beacon/blocks/{block_id}/attestations',
  },
  { operationId: 'getPoolAttestations', method: 'GET', path: '/eth/v1/beacon/pool/attestations' },
  { operationId: 'submitPoolAttestations', method: 'POST', path: '/eth/v1/beacon/pool/attestations' },
  { operationId: 'getPoolAttesterSlashings', method: 'GET', path: '/eth/v1/beacon/pool/attester_slashings' },
  {
    operationId: 'submitPoolAttesterSlashings',
    method: 'POST',
    path: '/eth/v1/beacon/pool/attester_slashings',
  },
  { operationId: 'publishBlock', method: 'POST', path: '/eth/v1/beacon/blocks' },
  { operationId: 'publishBlindedBlock', method: 'POST', path: '/eth/v1/beacon/blinded_blocks' },
  { operationId: 'getDepositSnapshot', method: 'GET', path: '/eth/v1/beacon/deposit_snapshot' },
  {
    operationId: 'getNextWithdrawals',
    method: 'GET',
    path: '/eth/v1/builder/states/{state_id}/expected_withdrawals',
  },
  { operationId: 'getAggregatedAttestation', method: 'GET', path: '/eth/v1/validator/aggregate_attestation' },
  {
    operationId: 'publishAggregateAndProofs',
    method: 'POST',
    path: '/eth/v1/validator/aggregate_and_proofs',
  },
  { operationId: 'produceBlockV2', method: 'GET', path: '/eth/v2/validator/blocks/{slot}' },
  { operationId: 'produceBlindedBlock', method: 'GET', path: '/eth/v1/validator/blinded_blocks/{slot}' },
]
