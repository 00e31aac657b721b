/** An operation of the beacon node API that this server rejects with status 501. */
export interface NotOffered {
  method: 'GET' | 'POST'
  /** Path with `:name` for parameters. */
  path: string
  /** The reason, as a sentence for the client. */
  reason: string
}

const gloas = 'This chain runs Fulu; the operation belongs to Gloas.'
const distributed =
  'Selections are combined by the middleware of a distributed validator, which this node is not.'
const builder = 'This node builds every payload itself and has no external builder.'
const network = 'This node is not part of a peer-to-peer network and has no peer identity.'

/** The operations that this server rejects with status 501, with the reasons. */
export const notOffered: readonly NotOffered[] = [
  { method: 'GET', path: '/eth/v1/node/identity', reason: network },
  { method: 'POST', path: '/eth/v1/validator/register_validator', reason: builder },
  { method: 'POST', path: '/eth/v1/validator/beacon_committee_selections', reason: distributed },
  { method: 'POST', path: '/eth/v1/validator/sync_committee_selections', reason: distributed },
  { method: 'POST', path: '/eth/v1/beacon/states/:state_id/builders', reason: gloas },
  { method: 'POST', path: '/eth/v1/beacon/execution_payload_bids', reason: gloas },
  { method: 'POST', path: '/eth/v1/beacon/execution_payload_envelopes', reason: gloas },
  { method: 'GET', path: '/eth/v1/beacon/execution_payload_envelopes/:block_id', reason: gloas },
  { method: 'GET', path: '/eth/v1/beacon/pool/payload_attestations', reason: gloas },
  { method: 'POST', path: '/eth/v1/beacon/pool/payload_attestations', reason: gloas },
  { method: 'POST', path: '/eth/v1/validator/duties/ptc/:epoch', reason: gloas },
  { method: 'GET', path: '/eth/v4/validator/blocks/:slot', reason: gloas },
  { method: 'GET', path: '/eth/v1/validator/payload_attestation_data', reason: gloas },
  { method: 'POST', path: '/eth/v1/validator/proposer_preferences', reason: gloas },
  { method: 'GET', path: '/eth/v1/validator/execution_payload_bids/:slot/:builder_index', reason: gloas },
  {
    method: 'GET',
    path: '/eth/v1/validator/execution_payload_envelopes/:slot/:beacon_block_root',
    reason: gloas,
  },
]
