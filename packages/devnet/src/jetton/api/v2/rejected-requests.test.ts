import { expect, test } from 'vitest'
import { json, useV2Server, type ApiResponse, type Input } from '../../../../test/jetton-v2.ts'

const server = useV2Server()
const address = `0:${'ab'.repeat(32)}`
const hash = 'cd'.repeat(32)
const shard = '-9223372036854775808'
const block = { workchain: 0, shard, seqno: 1 }

const rejected: [method: string, status: number, input: Input, error: string | RegExp][] = [
  ['detectAddress', 422, {}, /failed to parse address$/],
  ['detectAddress', 422, { address: '' }, 'failed to validate request: empty address'],
  [
    'detectAddress',
    422,
    { address: 'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2M' },
    /failed to parse address$/,
  ],
  ['unpackAddress', 422, { address: `300:${'ab'.repeat(32)}` }, /failed to parse address$/],
  ['detectHash', 422, { hash: 'ab' }, /failed to parse hash$/],
  ['getAddressBalance', 422, { address, seqno: 0 }, 'failed to validate request: seqno should be positive'],
  ['getAddressBalance', 422, { address, seqno: 'one' }, /failed to parse seqno$/],
  ['getAddressBalance', 422, { address, seqno: '4294967296' }, /failed to parse seqno$/],
  ['getAddressBalance', 500, { address, seqno: 1_000_000 }, /^LITE_SERVER_UNKNOWN: cannot find block/],
  ['getTokenData', 409, { address }, /is not Jetton or NFT$/],
  ['dnsResolve', 501, { address, name: 'fairlead' }, /no contracts that keep domain names$/],
  ['dnsResolve', 422, { address, ttl: -1 }, /ttl should be non-negative$/],
  ['getMasterchainBlockSignatures', 501, { seqno: 1 }, /has no validators/],
  ['getMasterchainBlockSignatures', 422, {}, /failed to parse seqno$/],
  ['getShardBlockProof', 501, block, /has no validators/],
  ['lookupBlock', 422, { workchain: 0, shard }, /exactly one of seqno, lt, unixtime should be specified$/],
  ['lookupBlock', 422, { ...block, lt: 1 }, /exactly one of seqno, lt, unixtime should be specified$/],
  ['lookupBlock', 500, { workchain: 0, shard, lt: '9000000000000000000' }, /ltdb: block not found$/],
  ['lookupBlock', 500, { workchain: 5, shard, unixtime: 1 }, /ltdb: block not found$/],
  ['shards', 422, { seqno: -1 }, /seqno should be positive$/],
  ['getBlockHeader', 500, { workchain: 0, shard: 1, seqno: 1 }, /\(0,0000000000000001,1\)/],
  [
    'getBlockHeader',
    500,
    { ...block, root_hash: hash, file_hash: hash },
    /^LITE_SERVER_UNKNOWN: cannot find block/,
  ],
  ['getBlockTransactions', 422, { ...block, count: 10_001 }, /count should be less or equal 10000$/],
  [
    'getBlockTransactions',
    422,
    { ...block, after_lt: 1 },
    /after_lt and after_hash should be used together$/,
  ],
  [
    'getBlockTransactionsExt',
    422,
    { ...block, after_hash: hash },
    /after_lt and after_hash should be used together$/,
  ],
  ['getTransactions', 422, { address, limit: 1001 }, /limit should be less or equal 1000$/],
  ['getTransactions', 422, { address, limit: 0 }, /limit should be positive$/],
  ['getTransactions', 422, { address, lt: 5 }, /lt and hash should be used together$/],
  ['getTransactions', 422, { address, archival: 'maybe' }, /failed to parse archival$/],
  ['getTransactions', 500, { address, lt: 5, hash }, /lt not in db$/],
  ['getTransactionsStd', 422, { address, lt: 0 }, /lt and hash should be used together$/],
  ['tryLocateTx', 404, { source: address, destination: address, created_lt: 1 }, 'transaction was not found'],
  [
    'tryLocateSourceTx',
    404,
    { source: address, destination: address, created_lt: 1 },
    'transaction was not found',
  ],
  ['getConfigParam', 422, {}, /config_id or param should be specified$/],
  ['getConfigParam', 422, { config_id: 1, param: 1 }, /only one of config_id or param should be specified$/],
  ['getConfigParam', 422, { config_id: -1 }, /param should be non-negative$/],
  ['getConfigAll', 500, { seqno: 1_000_000 }, /^LITE_SERVER_UNKNOWN: cannot find block/],
  ['getLibraries', 422, { libraries: 'ab' }, /failed to parse libraries$/],
]

test.each(rejected)('%s answers %i for %j', async (method, status, input, error) => {
  const responses = await Promise.all([
    server.get(method, input),
    server.post(method, input),
    server.rpc(method, input),
  ])
  for (const response of responses) expectFailure(response, status, error)
})

test('rejects unknown properties of a body, and ignores unknown query parameters', async () => {
  expectFailure(await server.post('packAddress', { address, wallet: 1 }), 422, /unknown property "wallet"$/)
  expect((await server.get('packAddress', { address, wallet: 1 })).status).toBe(200)
})

test('rejects a body that is not a JSON object', async () => {
  for (const body of ['', 'x', '[]', 'null', '"x"']) {
    const response = await fetch(`${server.url}/getMasterchainInfo`, { method: 'POST', body })
    expect(response.status, body).toBe(422)
    expect(await response.json()).toMatchObject({ ok: false, error: /body is no JSON object$/ })
  }
})

test('a body of another media type is read as JSON', async () => {
  const response = await fetch(`${server.url}/packAddress`, {
    method: 'POST',
    body: JSON.stringify({ address }),
  })
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(response.status).toBe(200)
})

test('rejects a body of more than 1 MiB', async () => {
  expectFailure(await server.post('sendBoc', { boc: 'A'.repeat(1024 * 1024) }), 413, /too large/)
})

test('responds with 404 to unknown methods and paths', async () => {
  expectFailure(await server.get('getEverything'), 404, 'Not Found')
  expectFailure(await server.post('getEverything'), 404, 'Not Found')
  expectFailure(await server.rpc('getEverything'), 404, 'Not Found')
  expectFailure(await server.rpc('toString'), 404, 'Not Found')
  expectFailure(await server.rpc('jsonRPC'), 404, 'Not Found')
})

test('responds with 405 and the allowed methods to an unsupported HTTP method', async () => {
  const sendRequest = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${server.url}${path}`, init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const put = { method: 'PUT', body: '<a/>', headers: { 'content-type': 'text/xml' } }
  const [deleted, sent, called] = [
    await sendRequest('/packAddress', put),
    await sendRequest('/sendBoc'),
    await sendRequest('/jsonRPC'),
  ]
  expectFailure(deleted, 405, 'method PUT is not supported')
  expectFailure(sent, 405, 'method GET is not supported')
  expectFailure(called, 405, 'method GET is not supported')
  expect(deleted.headers.get('allow')).toBe('GET, POST')
  expect(sent.headers.get('allow')).toBe('POST')
})

test('JSON-RPC accepts parameters as an object', async () => {
  expect((await server.rpc('getMasterchainInfo')).status).toBe(200)
  expect((await server.rpc('getMasterchainInfo', [])).status).toBe(200)
  expect((await server.rpc('getMasterchainInfo', {})).status).toBe(200)
  expectFailure(await server.rpc('getMasterchainInfo', [1]), 422, 'params must contain an object')
  const nameless = await fetch(`${server.url}/jsonRPC`, json({ params: {} }))
  expect(nameless.status).toBe(422)
})

test('rejects a repeated parameter', async () => {
  const { status } = await fetch(`${server.url}/packAddress?address=${address}&address=${address}`)
  expect(status).toBe(422)
})

function expectFailure({ status, body }: ApiResponse, code: number, error: string | RegExp): void {
  expect(body).toEqual({
    ok: false,
    error: typeof error === 'string' ? error : expect.stringMatching(error),
    code,
    '@extra': expect.any(String),
  })
  expect(status).toBe(code)
}
