import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, type EvmExample, type EvmDevnetChain, startDevnet } from '@fairlead/devnet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { sendRaw } from '@fairlead/http1/testing/raw-http'

let directory: string
let devnet: Devnet
let example: EvmExample
let gateway: GatewayFixture
let port: number

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-access-'))
  devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
  const [chain] = devnet.chains as readonly EvmDevnetChain[]
  if (!chain) throw new Error('no chain')
  ;({ example } = chain)
  const limits = { FAIRLEAD_MAX_BODY_BYTES: '4096', FAIRLEAD_MAX_BATCH_ITEMS: '12' }
  gateway = await gatewayFixture(limits, 'devnet', { evm: chain.url })
  port = Number(new URL(gateway.url).port)
}, 60_000)

afterAll(async () => {
  await gateway.stop()
  await devnet.stop()
  await rm(directory, { recursive: true, force: true })
})

interface RpcResponse {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

function post(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
  return fetch(`${gateway.url}${path}`, init)
}

/** Calls a method at the URL of the high-throughput chain. Every JSON-RPC response has status 200. */
async function call(method: string, params: unknown, endpoint = '/evm'): Promise<RpcResponse> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
  const response = await post(`/${gateway.first.token}${endpoint}`, body)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  const { jsonrpc, id, ...outcome } = (await response.json()) as RpcResponse & {
    jsonrpc: unknown
    id: unknown
  }
  expect([jsonrpc, id]).toEqual(['2.0', 7])
  return outcome
}

function basic(): { authorization: string } {
  const { username, password } = gateway.first
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const unknownHash = `0x${'12'.repeat(32)}`

/** Formats an HTTP request as text. */
function raw(path: string, body: string, headers: readonly string[] = []): string {
  const head = [`POST ${path} HTTP/1.1`, 'host: x', `content-length: ${Buffer.byteLength(body)}`, ...headers]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

describe('the methods of the specification', () => {
  it('eth_getBlockByHash returns the block with hashes or with full transactions', async () => {
    const withHashes = await call('eth_getBlockByHash', [example.transfer_block_hash, false])
    expect(withHashes.result).toMatchObject({
      hash: example.transfer_block_hash,
      transactions: [example.transfer_hash],
    })
    const withTransactions = await call('eth_getBlockByHash', [example.transfer_block_hash, true])
    expect(withTransactions.result).toMatchObject({
      transactions: [{ hash: example.transfer_hash, to: example.contract }],
    })
  })

  it.each([
    ['unknown', unknownHash],
    ['too short', '0x12'],
    ['too long', `${unknownHash}00`],
    ['no hex', `0x${'zz'.repeat(32)}`],
    ['empty', ''],
    ['a tag', 'latest'],
    ['a number', 5],
    ['null', null],
    ['an object', { blockHash: unknownHash }],
  ])('eth_getBlockByHash returns null for a hash that is %s', async (_, hash) => {
    for (const endpoint of ['/evm', '']) {
      expect(await call('eth_getBlockByHash', [hash, false], endpoint)).toEqual({ result: null })
    }
  })

  it.each([
    ['without the flag', [unknownHash]],
    ['without anything', []],
    ['with a text for the flag', [unknownHash, 'true']],
    ['with null for the flag', ['bad', null]],
    ['with a third param', [unknownHash, true, 1]],
    ['with params by name', { blockHash: unknownHash }],
  ])('eth_getBlockByHash rejects %s', async (_, params) => {
    expect((await call('eth_getBlockByHash', params)).error?.code).toBe(-32602)
  })

  it('eth_syncing is false at both URLs, and accepts no params', async () => {
    expect(await call('eth_syncing', [])).toEqual({ result: false })
    expect(await call('eth_syncing', [], '')).toEqual({ result: false })
    expect((await call('eth_syncing', [1])).error?.code).toBe(-32602)
  })

  it('ots_getApiLevel returns 8', async () => {
    expect(await call('ots_getApiLevel', [])).toEqual({ result: 8 })
  })

  it('eth_getSystemTxsByBlockHash returns only the system transactions', async () => {
    const { result } = await call('eth_getSystemTxsByBlockHash', [example.system_block_hash])
    expect(result).toMatchObject([
      {
        hash: example.system_transaction_hash,
        from: '0x2222222222222222222222222222222222222222',
        gasPrice: '0x0',
      },
      { from: '0x2000000000000000000000000000000000000001', to: example.contract },
    ])
    expect(result).toHaveLength(2)
    const block = await call('eth_getBlockByHash', [example.system_block_hash, false])
    expect((block.result as { transactions: unknown[] }).transactions).toHaveLength(4)
    expect(await call('eth_getSystemTxsByBlockHash', [example.transfer_block_hash])).toEqual({ result: [] })
    expect(await call('eth_getSystemTxsByBlockHash', [unknownHash])).toEqual({ result: null })
  })

  it.each([['0x12'], [5], [null], [`${unknownHash}0`]])(
    'eth_getSystemTxsByBlockHash rejects the hash %j',
    async (hash) => {
      const { error } = await call('eth_getSystemTxsByBlockHash', [hash])
      expect(error?.code).toBe(-32602)
      expect(error?.message).toMatch(/^blockHash must/)
    },
  )

  it('defaults apply to omitted params', async () => {
    const { account, contract } = example
    for (const [method, params] of [
      ['eth_getBalance', [account]],
      ['eth_getTransactionCount', [account]],
      ['eth_getCode', [contract]],
      ['eth_getStorageAt', [contract, '0x0']],
      ['eth_call', [{ to: contract, data: '0x18160ddd' }]],
    ] as const) {
      const shortened = await call(method, params)
      expect(shortened.result).toMatch(/^0x/)
      expect(shortened).toEqual(await call(method, [...params, 'latest']))
    }
    expect((await call('eth_feeHistory', ['0x1', 'latest'])).result).toHaveProperty('baseFeePerGas')
    expect((await call('eth_newPendingTransactionFilter', [])).result).toMatch(/^0x/)
  })

  it.each([
    'anvil_setBalance',
    'evm_mine',
    'eth_sendTransaction',
    'personal_sign',
    '__proto__',
    'toString',
    '',
    'eth_CHAINID',
  ])('%j is not offered', async (method) => {
    const { error } = await call(method, [])
    expect(error?.code).toBe(-32601)
  })

  it('an invalid method name is not echoed', async () => {
    const { error } = await call('<script>\u{202e}', [])
    expect(error?.message).toBe('The method does not exist.')
  })

  it.each([
    ['eth_chainId', [1], 'accepts at most 0 params, not 1'],
    ['eth_getBalance', [], 'requires the param address'],
    ['eth_getBalance', ['0x0', 'latest', 'x'], 'accepts at most 2'],
    ['eth_getBalance', { address: '0x0' }, 'must be an array'],
  ])('%s with %j is rejected with its code', async (method, params, message) => {
    const { error } = await call(method, params)
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) })
  })

  it('an error of the node is returned unchanged', async () => {
    const transaction = { to: example.contract, data: `0xa9059cbb${'f'.repeat(128)}`, from: example.account }
    const { error } = await call('eth_call', [transaction])
    expect(error).toMatchObject({ code: 3, data: expect.stringMatching(/^0x/) })
  })
})

describe('a batch', () => {
  it('returns a response to each call, also when one fails', async () => {
    const body = `[${chainId},{"jsonrpc":"2.0","id":"two","method":"evm_mine"},5,
      {"jsonrpc":"2.0","id":3.0,"method":"eth_getBalance","params":["zz"]},
      {"jsonrpc":"2.0","id":4,"method":"eth_syncing"},{"jsonrpc":"2.0","method":"eth_chainId"}]`
    const response = await post(`/${gateway.first.token}`, body)
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject([
      { id: 1, result: '0x7a69' },
      { id: 'two', error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
      { id: 3, error: { code: -32602 } },
      { id: 4, result: false },
    ])
    expect(text).toContain('"id":3.0,')
  })

  it('above the limit returns one error', async () => {
    const response = await post(`/${gateway.first.token}`, `[${`${chainId},`.repeat(12)}${chainId}]`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      id: null,
      error: { code: -32600, data: { max_items: 12 } },
    })
  })

  it('that is empty returns one error', async () => {
    expect(await (await post(`/${gateway.first.token}`, '[]')).json()).toMatchObject({
      id: null,
      error: { code: -32600 },
    })
  })
})

describe('credentials', () => {
  it('are accepted in the path, or by basic authentication on a path without a token', async () => {
    const { token } = gateway.first
    for (const path of [`/${token}`, `/${token}/evm`, `/${token}/`, `/${token}?x=1`]) {
      expect(await (await post(path, chainId)).json()).toMatchObject({ result: '0x7a69' })
    }
    for (const path of ['/', '/evm', '/?x=1']) {
      expect(await (await post(path, chainId, basic())).json()).toMatchObject({ result: '0x7a69' })
    }
    const absolute = raw(`http://x/${token}/evm`, chainId, ['connection: close'])
    expect((await sendRaw(port, absolute)).text).toContain('"result":"0x7a69"')
  })

  it('that are missing, wrong, of the platform or malformed get a 401', async () => {
    const { token, apiKey, username, password } = gateway.first
    const attempts = [
      await post('/wrong', chainId),
      await post('/wrong/evm', chainId, basic()),
      await post('/', chainId),
      await post('/', chainId, { authorization: `Bearer ${apiKey}` }),
      await post('/', chainId, { authorization: `Bearer ${token}` }),
      await post('/', chainId, { authorization: `Basic ${Buffer.from(`${username}:x`).toString('base64')}` }),
      await post(`/${encodeURIComponent(`${username}:${password}`)}`, chainId),
      await post(`/${apiKey}`, chainId),
    ]
    for (const response of attempts) {
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="node"')
      expect(response.headers.get('x-request-id')).toBeTruthy()
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await response.json()).toMatchObject({
        jsonrpc: '2.0',
        error: { code: -32041, message: expect.stringMatching(/^Unauthorized: /) },
      })
    }
    // The body of a short call has arrived by then, and clients match the error by its id.
    const rejectionOf = async (body: string) => (await sendRaw(port, raw('/unknown', body), /\}\}$/)).text
    expect(await rejectionOf(chainId)).toContain('{"jsonrpc":"2.0","id":1,"error":{"code":-32041,')
    expect(await rejectionOf(`[${chainId}]`)).toContain('{"jsonrpc":"2.0","id":null,"error":{"code":-32041,')
    const longBody = chainId.replace('[]', `["${'x'.repeat(4_096)}"]`)
    expect(await rejectionOf(longBody)).toContain('{"jsonrpc":"2.0","id":null,"error":{"code":-32041,')
    const keyed = await post('/', chainId, { 'x-api-key': token })
    expect(await keyed.text()).toContain('Nodes do not read x-api-key: put the token in the path')
    const named = await post('/', chainId, {
      authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}`,
    })
    expect(await named.text()).toContain('Put a token in the path of the URL')
    const bearer = await post('/', chainId, { authorization: 'Bearer x' })
    expect(await bearer.text()).toContain('Nodes do not accept bearer tokens')
  })
})

describe('HTTP', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s gets a 405 with the allowed methods', async (method) => {
    const response = await fetch(`${gateway.url}/${gateway.first.token}`, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
    expect(response.headers.get('x-request-id')).toBeTruthy()
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } })
  })

  it('HEAD gets a 405 without a body', async () => {
    const { text } = await sendRaw(port, 'HEAD /x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 405 /)
    expect(text).toMatch(/\r\n\r\n$/)
  })

  it('a CORS preflight succeeds, and the request id is exposed', async () => {
    const preflight = await fetch(`${gateway.url}/x/evm`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': expect.stringMatching(
        /^authorization, content-type, .*traceparent, tracestate, .*x-request-id, /,
      ),
    })
    const response = await post(`/${gateway.first.token}`, chainId)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toBe('x-request-id, retry-after')
  })

  it('request ids differ', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await post('/wrong', chainId)).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(3)
  })

  it('a body whose announced length is too large is rejected before it is sent', async () => {
    const { token } = gateway.first
    const head = `POST /${token} HTTP/1.1\r\nhost: x\r\ncontent-length: 4097\r\n\r\n`
    const { text } = await sendRaw(port, head, /max_bytes/)
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(text).toMatch(/connection: close/i)
    expect(text).toContain('"data":{"max_bytes":4096}')
  })

  // More than the buffers of both ends hold, so that the client still sends when it is rejected.
  const big = ' '.repeat(30_000_000)
  it.each([
    ['of announced length', `content-length: ${big.length}\r\n\r\n${big}`],
    ['in chunks', `transfer-encoding: chunked\r\n\r\n${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`],
  ])(
    'a client that sends an oversized %s receives the response, and its connection closes cleanly',
    async (_, rest) => {
      const { text, end } = await sendRaw(port, `POST /${gateway.first.token} HTTP/1.1\r\nhost: x\r\n${rest}`)
      expect(text).toMatch(/^HTTP\/1\.1 413 /)
      expect(text).toMatch(/connection: close/i)
      expect(text).toMatch(/"max_bytes":4096}}}$/)
      expect(end).toBe('closed')
    },
  )

  it('a body of exactly the limit is accepted', async () => {
    const response = await post(`/${gateway.first.token}`, chainId.padEnd(4096))
    expect(await response.json()).toMatchObject({ result: '0x7a69' })
  })

  it('a connection stays open after errors, and responses are in the order of the requests', async () => {
    const { token } = gateway.first
    const requests = [
      raw(`/${token}`, '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",true]}'),
      raw('/wrong', chainId.padEnd(2_000)),
      raw(`/${token}`, '{'),
      `GET /${token} HTTP/1.1\r\nhost: x\r\n\r\n`,
      raw(`/${token}`, '{"jsonrpc":"2.0","method":"eth_chainId"}'),
      raw(`/${token}`, '{"jsonrpc":"2.0","id":6,"method":"eth_syncing"}'),
      raw(`/${token}`, '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}', ['connection: close']),
    ]
    const { text, end } = await sendRaw(port, requests.join(''))
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(
      [200, 401, 200, 405, 204, 200, 200].map((status) => `HTTP/1.1 ${status}`),
    )
    expect(text.match(/"id":(\d|null)/g)).toEqual([1, null, null, null, 6, 7].map((id) => `"id":${id}`))
    expect(end).toBe('closed')
  })

  it('other paths are routed to the platform API', async () => {
    const response = await post(`/${gateway.first.token}/nothing/jsonRPC`, chainId)
    expect(response.status).toBe(404)
    expect(await response.json()).toHaveProperty('error.request_id')
    const headers = { authorization: `Bearer ${gateway.first.apiKey}` }
    const organization = await fetch(`${gateway.url}/v1/organization/`, { headers })
    expect(await organization.json()).toMatchObject({ id: gateway.first.organizationId })
  })
})
