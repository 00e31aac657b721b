import { describe, expect, inject, it } from 'vitest'

const {
  nodes: [, node],
} = inject('development')
const address = `${node.node_url}/beacon/${node.token}`
const unknownRoot = `0x${'ab'.repeat(32)}`
const futureSlot = '999999999'
const json = { 'content-type': 'application/json' }
const fulu = { 'eth-consensus-version': 'fulu' }
const post = (body: BodyInit, headers: Readonly<Record<string, string>> = json): RequestInit => ({
  method: 'POST',
  body,
  headers,
})
const manyIds = Array.from({ length: 65 }, (_, index) => `id=${index}`).join('&')

type Row = readonly [name: string, path: string, status: number, message: RegExp, init?: RequestInit]

const rows: readonly Row[] = [
  ['an invalid state id', '/eth/v1/beacon/states/nonsense/root', 400, /state_id/],
  ['a short root as a state', '/eth/v1/beacon/states/0x12/root', 400, /state_id/],
  ['a root with an invalid digit', `/eth/v1/beacon/states/0x${'zz'.repeat(32)}/root`, 400, /state_id/],
  ['a negative slot', '/eth/v1/beacon/states/-1/root', 400, /state_id/],
  ['an id that cannot be decoded', '/eth/v1/beacon/states/%E0%A4%A/root', 400, /./],
  ['a list with an empty item', '/eth/v1/beacon/states/head/validators?id=1,,2', 400, /id/],
  ['an unknown state', `/eth/v1/beacon/states/${unknownRoot}/root`, 404, /./],
  ['a state beyond the head', `/eth/v1/beacon/states/${futureSlot}/root`, 404, /./],
  ['a slot of more than 64 bits', `/eth/v1/beacon/states/${'9'.repeat(30)}/root`, 400, /state_id/],
  ['the block id justified', '/eth/v2/beacon/blocks/justified', 400, /block_id/],
  ['an unknown block', `/eth/v2/beacon/blocks/${unknownRoot}`, 404, /./],
  ['a block beyond the head', `/eth/v2/beacon/blocks/${futureSlot}`, 404, /./],
  ['a header with a malformed root', '/eth/v1/beacon/headers/0xabc', 400, /block_id/],
  ['headers with an invalid slot', '/eth/v1/beacon/headers?slot=abc', 400, /slot/],
  ['headers with a malformed parent root', '/eth/v1/beacon/headers?parent_root=0x1', 400, /parent_root/],
  [
    'a validator with a truncated public key',
    '/eth/v1/beacon/states/head/validators/0xabcd',
    400,
    /validator_id/,
  ],
  ['a validator that does not exist', '/eth/v1/beacon/states/head/validators/99999', 404, /./],
  ['an unknown status', '/eth/v1/beacon/states/head/validators?status=happy', 400, /status/],
  ['a URL that is too long', `/eth/v1/beacon/states/head/validators?${manyIds}`, 414, /./],
  ['an invalid epoch', '/eth/v1/beacon/rewards/attestations/abc', 400, /epoch/, post('[]')],
  [
    'light client updates without a count',
    '/eth/v1/beacon/light_client/updates?start_period=0',
    400,
    /count/,
  ],
  ['an unknown debug state', `/eth/v2/debug/beacon/states/${unknownRoot}`, 404, /./],
  ['an unknown event topic', '/eth/v1/events?topics=weather', 400, /topics/],
  ['events without a topic', '/eth/v1/events', 400, /topics/],
  ['an invalid syncing status code', '/eth/v1/node/health?syncing_status=99', 400, /syncing_status/],
  ['an unknown operation', '/eth/v1/beacon/weather', 404, /./],
  ['an operation of a later version', '/eth/v9/beacon/blocks/head', 404, /./],
  ['GET where POST is meant', '/eth/v1/validator/liveness/1', 405, /./],
  ['POST where GET is meant', '/eth/v1/beacon/genesis', 405, /./, post('{}')],
  ['a response in HTML', '/eth/v1/beacon/genesis', 406, /./, { headers: { accept: 'text/html' } }],
  [
    'SSZ where there is none',
    '/eth/v1/config/spec',
    406,
    /./,
    { headers: { accept: 'application/octet-stream' } },
  ],
  [
    'a body in plain text',
    '/eth/v1/validator/liveness/1',
    415,
    /./,
    post('[]', { 'content-type': 'text/plain' }),
  ],
  [
    'SSZ for an operation that takes JSON',
    '/eth/v1/beacon/pool/voluntary_exits',
    415,
    /./,
    post(new Uint8Array(112), { 'content-type': 'application/octet-stream' }),
  ],
  ['a block without its version', '/eth/v2/beacon/blocks', 400, /eth-consensus-version/i, post('{}')],
  [
    'a block with an unknown version',
    '/eth/v2/beacon/blocks',
    400,
    /eth-consensus-version/i,
    post('{}', { ...json, 'eth-consensus-version': 'gluten' }),
  ],
  ['a block that is not JSON', '/eth/v2/beacon/blocks', 400, /./, post('{', { ...json, ...fulu })],
  ['a block without fields', '/eth/v2/beacon/blocks', 400, /./, post('{}', { ...json, ...fulu })],
  [
    'a block with invalid SSZ',
    '/eth/v2/beacon/blocks',
    400,
    /./,
    post(new Uint8Array(7), { 'content-type': 'application/octet-stream', ...fulu }),
  ],
  [
    'an unknown broadcast validation',
    '/eth/v2/beacon/blocks?broadcast_validation=hope',
    400,
    /broadcast_validation/,
    post('{}', { ...json, ...fulu }),
  ],
  ['an exit without fields', '/eth/v1/beacon/pool/voluntary_exits', 400, /./, post('{"message":{}}')],
  [
    'an exit with an invalid signature',
    '/eth/v1/beacon/pool/voluntary_exits',
    400,
    /./,
    post(
      JSON.stringify({ message: { epoch: '0', validator_index: '0' }, signature: `0x${'00'.repeat(96)}` }),
    ),
  ],
  [
    'a body of 20 MiB',
    '/eth/v2/beacon/blocks',
    413,
    /./,
    post(' '.repeat(20 * 1024 * 1024), { ...json, ...fulu }),
  ],
]

const cases = rows.map(([name, path, status, message, init]) => ({ name, path, status, message, init }))

describe('the beacon API returns a status and a reason', () => {
  it.each(cases)('$name', async ({ path, status, message, init }) => {
    const response = await fetch(`${address}${path}`, init)
    const body: unknown = await response.json()
    expect({ status: response.status, body }).toEqual({
      status,
      body: expect.objectContaining({ code: status, message: expect.stringMatching(message) }),
    })
    expect(JSON.stringify(body)).not.toContain(node.token)
    if (status === 405) expect(response.headers.get('allow')).toMatch(/GET|POST/)
  })

  it('an unknown credential gets 401', async () => {
    const url = `${node.node_url}/beacon`
    const attempts = [
      fetch(`${url}/${'0'.repeat(32)}/eth/v1/beacon/genesis`),
      fetch(`${url}/eth/v1/beacon/genesis`),
      fetch(`${url}/eth/v1/beacon/genesis`, { headers: { authorization: `Bearer ${node.token}` } }),
      fetch(`${url}/eth/v1/beacon/genesis`, { headers: { authorization: `Basic ${btoa('a:b')}` } }),
    ]
    for (const response of await Promise.all(attempts)) {
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="node"')
      expect(await response.json()).toEqual({ code: 401, message: expect.any(String) })
    }
  })
})
