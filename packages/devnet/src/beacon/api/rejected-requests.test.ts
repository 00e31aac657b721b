import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { sendRequest, bytes, json, useBeaconNode, type Json } from '../../../test/beacon.ts'

const node = useBeaconNode()
const root = `0x${'ab'.repeat(32)}`
const exit = { message: { epoch: '0', validator_index: '1' }, signature: `0x${'00'.repeat(96)}` }
const ids = (count: number) => Array.from({ length: count }, (_, index) => `id=${index}`).join('&')

const states = '/eth/v1/beacon/states'
const exits = '/eth/v1/beacon/pool/voluntary_exits'

const refused: [title: string, status: number, path: string, init?: RequestInit][] = [
  ['an unknown operation', 404, '/eth/v1/beacon/nothing'],
  ['a known path by another method', 404, '/eth/v1/beacon/genesis', { method: 'DELETE' }],
  ['a path that is no address', 400, `${states}/%zz/root`],
  ['a state id that is none', 400, `${states}/unknown/root`],
  ['a state root of the wrong length', 400, `${states}/0xabcd/root`],
  ['a state root that is unknown', 404, `${states}/${root}/root`],
  ['a slot beyond the head', 404, `${states}/1000000/root`],
  ['a block id that is none', 400, '/eth/v2/beacon/blocks/unknown'],
  ['a block id that only states know', 400, '/eth/v2/beacon/blocks/justified'],
  ['a block root that is unknown', 404, `/eth/v1/beacon/headers/${root}`],
  ['a block of a slot beyond the head', 404, '/eth/v1/beacon/blocks/1000000/root'],
  ['a parent root that is none', 400, '/eth/v1/beacon/headers?parent_root=0x12'],
  ['a negative slot', 400, '/eth/v1/beacon/headers?slot=-1'],
  ['a slot in hex', 400, '/eth/v1/beacon/headers?slot=0x2'],
  ['a slot with an exponent', 400, '/eth/v1/beacon/headers?slot=1e1'],
  ['an epoch in hex, in the path', 400, '/eth/v1/validator/duties/proposer/0x2'],
  ['an empty slot number', 400, '/eth/v1/beacon/headers?slot='],
  ['a slot twice', 400, '/eth/v1/beacon/headers?slot=1&slot=2'],
  ['a validator index with an exponent', 400, `${states}/head/validators/1e1`],
  ['a validator index with an exponent, among others', 400, `${states}/head/validators?id=1&id=1e1`],
  ['a validator index with an exponent, in a body', 400, `${states}/head/validators`, json({ ids: ['1e1'] })],
  ['a validator index with a fraction, in a list', 400, `${states}/head/validator_balances`, json(['1.5'])],
  ['attester duties of an index in hex', 400, '/eth/v1/validator/duties/attester/1', json(['0x2'])],
  ['sync duties of an index with an exponent', 400, '/eth/v1/validator/duties/sync/1', json(['1e1'])],
  ['liveness of a negative index', 400, '/eth/v1/validator/liveness/5', json(['-1'])],
  ['a validator that does not exist', 404, `${states}/head/validators/64`],
  ['a validator id that is none', 400, `${states}/head/validators/0x12`],
  ['a validator id that is none, among others', 400, `${states}/head/validators?id=1&id=one`],
  ['a list with commas in place of repeated keys', 400, `${states}/head/validators?id=1,2`],
  ['a status that is none', 400, `${states}/head/validators?status=happy`],
  ['more ids than an address may hold', 414, `${states}/head/validators?${ids(65)}`],
  ['more ids than an address may hold, for balances', 414, `${states}/head/validator_balances?${ids(65)}`],
  ['an id that is none, in a body', 400, `${states}/head/validator_balances`, json(['x'])],
  ['ids that are not a list, in a body', 400, `${states}/head/validators`, json({ ids: '0' })],
  ['statuses that are not a list, in a body', 400, `${states}/head/validators`, json({ statuses: {} })],
  ['a health status of the 1xx class', 400, '/eth/v1/node/health?syncing_status=101'],
  ['a committee slot outside of the epoch', 400, `${states}/head/committees?epoch=0&slot=9`],
  ['a committee index beyond the last', 400, `${states}/head/committees?index=64`],
  ['committees of a far epoch', 400, `${states}/head/committees?epoch=1000`],
  ['a sync committee of a far epoch', 400, `${states}/head/sync_committees?epoch=100000`],
  ['a RANDAO mix of the future', 400, `${states}/head/randao?epoch=1000`],
  ['blobs by something that is no hash', 400, '/eth/v1/beacon/blobs/head?versioned_hashes=0x01'],
  ['rewards of an epoch that is not over', 404, '/eth/v1/beacon/rewards/attestations/1000', json([])],
  ['a bootstrap for something that is no root', 400, '/eth/v1/beacon/light_client/bootstrap/head'],
  ['a bootstrap for an unknown block', 404, `/eth/v1/beacon/light_client/bootstrap/${root}`],
  ['updates without a count', 400, '/eth/v1/beacon/light_client/updates?start_period=0'],
  ['a peer', 404, '/eth/v1/node/peers/16Uiu2HAm'],
  ['a peer state that is none', 400, '/eth/v1/node/peers?state=asleep'],
  ['a health status that is none', 400, '/eth/v1/node/health?syncing_status=1000'],
  ['duties of a far epoch', 400, '/eth/v1/validator/duties/proposer/1000'],
  ['duties of an epoch that is no number', 400, '/eth/v1/validator/duties/proposer/now'],
  ['attester duties of no validator', 400, '/eth/v1/validator/duties/attester/1', json([])],
  ['attester duties of an unknown validator', 400, '/eth/v1/validator/duties/attester/1', json(['64'])],
  ['sync duties of a far epoch', 400, '/eth/v1/validator/duties/sync/100000', json(['1'])],
  ['liveness of a far epoch', 400, '/eth/v1/validator/liveness/1000', json(['1'])],
  ['attestation data of the future', 400, '/eth/v1/validator/attestation_data?slot=1000000'],
  ['attestation data of a committee', 400, '/eth/v1/validator/attestation_data?slot=1&committee_index=1'],
  [
    'an aggregate of unknown data',
    404,
    `/eth/v2/validator/aggregate_attestation?attestation_data_root=${root}&slot=1&committee_index=0`,
  ],
  [
    'a contribution of a subcommittee beyond the last',
    400,
    `/eth/v1/validator/sync_committee_contribution?slot=1&subcommittee_index=4&beacon_block_root=${root}`,
  ],
  [
    'a contribution for an unknown block',
    404,
    `/eth/v1/validator/sync_committee_contribution?slot=1&subcommittee_index=0&beacon_block_root=${root}`,
  ],
  ['a block without a RANDAO reveal', 400, '/eth/v3/validator/blocks/1'],
  ['a block far ahead', 400, `/eth/v3/validator/blocks/1000000?randao_reveal=0x${'00'.repeat(96)}`],
  [
    'a block with graffiti of the wrong length',
    400,
    `/eth/v3/validator/blocks/1?randao_reveal=0x${'00'.repeat(96)}&graffiti=0x12`,
  ],
  ['JSON that is none', 400, exits, { ...json(''), body: '{' }],
  ['JSON of the wrong kind', 400, exits, json([])],
  ['JSON that lacks a field', 400, exits, json({ message: { epoch: '0' } })],
  ['no body where one is required', 400, exits, { method: 'POST' }],
  ['an exit with a wrong signature', 400, exits, json(exit)],
  ['SSZ of the wrong length', 400, exits, bytes(new Uint8Array(5))],
  ['a body of another media type', 415, exits, { ...json(exit), headers: { 'content-type': 'text/plain' } }],
  ['a body of no media type', 415, exits, { method: 'POST', body: new Uint8Array(3) }],
  ['SSZ where only JSON is read', 415, `${states}/head/validators`, bytes(new Uint8Array(3))],
  ['an oversize body', 413, exits, bytes(new Uint8Array(9 * 1024 * 1024))],
  ['an answer as text', 406, '/eth/v1/beacon/genesis', { headers: { accept: 'text/html' } }],
  [
    'an answer as SSZ that is JSON only',
    406,
    `${states}/head/validators`,
    { headers: { accept: 'application/octet-stream' } },
  ],
  [
    'the fork choice as SSZ',
    406,
    '/eth/v1/debug/fork_choice',
    { headers: { accept: 'application/octet-stream' } },
  ],
  ['events without a topic', 400, '/eth/v1/events'],
  ['events of an unknown topic', 400, '/eth/v1/events?topics=head&topics=weather'],
  [
    'a block with no fork named',
    400,
    '/eth/v2/beacon/blocks',
    { ...json({}), headers: { 'content-type': 'application/json' } },
  ],
  [
    'a block of a fork that is none',
    400,
    '/eth/v2/beacon/blocks',
    { ...json({}), headers: { 'content-type': 'application/json', 'eth-consensus-version': 'osaka' } },
  ],
  ['a block that is none', 400, '/eth/v2/beacon/blocks', json({ signed_block: {} })],
  ['a broadcast validation that is none', 400, '/eth/v2/beacon/blocks?broadcast_validation=hope', json({})],
  [
    'a fee recipient that is no address',
    400,
    '/eth/v1/validator/prepare_beacon_proposer',
    json([{ validator_index: '1', fee_recipient: '0x12' }]),
  ],
]

test.each(refused)('%s', async (_title, status, path, init) => {
  const response = await sendRequest(node.url, path, init)
  expect(response).toMatchObject({ status, body: { code: status, message: expect.any(String) } })
  expect(Object.keys(response.body)).toEqual(['code', 'message'])
  // A readable sentence without internals of the server.
  expect(response.body.message).toMatch(/^[^\n]{5,}$/)
  expect(response.body.message).not.toMatch(/\.ts|node_modules|undefined \(reading/)
})

test('an error response lists each invalid item of a batch', async () => {
  const change = {
    message: {
      validator_index: '1',
      from_bls_pubkey: `0x${'00'.repeat(48)}`,
      to_execution_address: `0x${'00'.repeat(20)}`,
    },
    signature: `0x${'00'.repeat(96)}`,
  }
  const { status, body } = await sendRequest(
    node.url,
    '/eth/v1/beacon/pool/bls_to_execution_changes',
    json([change, change]),
  )
  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 400, message: 'Refused items: 2.' })
  expect(body.failures.map((failure: Json) => failure.index)).toEqual([0, 1])
})

test('omits unknown validators from a list, and duplicates', async () => {
  const { body } = await sendRequest(node.url, `${states}/head/validators?id=64&id=1&id=1`)
  expect(body.data.map((entry: Json) => entry.index)).toEqual(['1'])
})

test('an empty JSON body requests all validators, like a missing body', async () => {
  const path = `${states}/head/validator_balances`
  const empty = await sendRequest(node.url, path, { ...json([]), body: '' })
  const withoutBody = await sendRequest(node.url, path, { method: 'POST' })
  expect(empty.body.data).toHaveLength(64)
  expect(withoutBody.body.data).toHaveLength(64)
})

test('responds with 400 to a malformed HTTP request and continues to serve other clients', async () => {
  const { port } = new URL(node.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.end('nonsense\r\n\r\n')
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 400 /)
  expect((await sendRequest(node.url, '/eth/v1/node/health')).status).toBe(200)
})
