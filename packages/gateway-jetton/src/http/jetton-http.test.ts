import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { JettonExchange, json, nodeCredentials, ok } from '../testing/jetton-exchange.ts'
import { jettonBasic, listenToJetton } from '../testing/jetton-fixture.ts'
import { sendRaw } from '@fairlead/http1/testing/raw-http'

const address = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'
const raw = '0:7b34cff14f5fcd3546f0a4cc71afbb4797a9cfa52423bcc3791637bf9f0d7ebd'

let exchange: JettonExchange

beforeAll(async () => {
  exchange = await JettonExchange.start()
})

afterAll(() => exchange.stop())

beforeEach(() => exchange.reset())

describe('paths', () => {
  it.each([
    [
      'GET',
      `/api/v2/getAddressBalance?address=${address}`,
      `/api/v2/getAddressBalance?api_key=c4n4ry-key&address=${address}`,
    ],
    ['GET', '/api/v2/getMasterchainInfo/', '/api/v2/getMasterchainInfo?api_key=c4n4ry-key'],
    [
      'GET',
      '/api/v2/getMasterchainInfo?api_key=mine&x=%20',
      '/api/v2/getMasterchainInfo?api_key=c4n4ry-key&x=+',
    ],
    ['GET', '/api/v3/masterchainInfo', '/api/v3/masterchainInfo?api_key=c4n4ry-key'],
  ])(
    '%s %s is sent with the path, query and credential of the upstream URL',
    async (method, path, target) => {
      const response = await exchange.gateway.call(path, { method })
      expect(await exchange.read(response)).toEqual({
        status: 200,
        body: '{"ok":true,"result":"0","@extra":"1:0:c"}',
      })
      expect(exchange.requests).toMatchObject([{ method, target: `/below${target}` }])
      const { authorization } = nodeCredentials
      expect(exchange.requests[0]?.headers).toMatchObject({ accept: 'application/json', authorization })
      expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
      expect([response.headers.get('server'), response.headers.get('x-api-version')]).toEqual([null, null])
    },
  )

  it('adds the defaults of omitted parameters', async () => {
    await exchange.gateway.call('/api/v3/transactions?limit=3&sort=asc')
    const { searchParams } = new URL(exchange.requests[0]?.target ?? '', exchange.node.url)
    expect(Object.fromEntries(searchParams)).toEqual({
      api_key: 'c4n4ry-key',
      limit: '3',
      sort: 'asc',
      offset: '0',
    })
  })

  it('forwards only the headers of the contract', async () => {
    const headers = { 'x-no-metadata': 'true', 'x-api-key': 'mine', cookie: 'mine', 'x-timeout': '10' }
    await exchange.gateway.call('/api/v3/nft/items', { headers })
    expect(exchange.requests[0]?.headers).toMatchObject({ 'x-no-metadata': 'true', 'x-timeout': '10' })
    expect(JSON.stringify(exchange.requests)).not.toContain('mine')
  })

  it('forwards a body byte for byte', async () => {
    const body = `{ "address":"${raw}", "method": "m", "stack": [["num", 18446744073709551617]], "seqno":1 }`
    await exchange.read(await exchange.post('/api/v2/runGetMethod', body))
    expect(exchange.requests).toMatchObject([
      { method: 'POST', target: '/below/api/v2/runGetMethod?api_key=c4n4ry-key', body },
    ])
    expect(exchange.requests[0]?.headers).toMatchObject({ 'content-type': 'application/json' })
  })

  it('sends a read by POST as JSON-RPC, which every upstream supports', async () => {
    exchange.behaviour = json(200, { ok: true, result: '0', id: '1', jsonrpc: '2.0' })
    const params = `{ "address":"${raw}", "seqno": "1" }`
    // A byte order mark, as some editors write it, is not part of JSON.
    const response = await exchange.post('/api/v2/getAddressBalance', `\ufeff${params}`)
    expect(await exchange.read(response)).toEqual({ status: 200, body: '{"ok":true,"result":"0"}' })
    const body = `{"jsonrpc":"2.0","id":"1","method":"getAddressBalance","params":${params}}`
    expect(exchange.requests).toMatchObject([{ target: '/below/api/v2/jsonRPC?api_key=c4n4ry-key', body }])
    exchange.behaviour = json(500, { ok: false, error: 'no', id: '1', jsonrpc: '2.0' })
    expect(await exchange.failure(await exchange.post('/api/v2/getAddressBalance', params))).toEqual({
      status: 500,
      error: 'no',
    })
  })

  it('accept basic authentication without a token in the path', async () => {
    const headers = { authorization: `Basic ${Buffer.from(jettonBasic).toString('base64')}` }
    const response = await fetch(`${exchange.gateway.url}/api/v2/getMasterchainInfo`, { headers })
    expect((await exchange.read(response)).status).toBe(200)
  })

  it.each([
    ['/api/v2/getMasterchainInfo', 'Put a token in the path'],
    ['/wrong-token/api/v2/getMasterchainInfo', 'Unknown token.'],
    ['/wrong-token/api/nothing', 'Unknown token.'],
  ])('%s requires a valid credential', async (path, reason) => {
    const response = await fetch(`${exchange.gateway.url}${path}`)
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="node"')
    expect(await exchange.failure(response)).toEqual({ status: 401, error: expect.stringContaining(reason) })
  })

  it.each([
    '/api',
    '/api/',
    '/api/v2',
    '/api/v2/nothing',
    '/api/v1/getMasterchainInfo',
    '/api/v3/jetton',
    '/api/v2//jsonRPC',
  ])('%s responds 404', async (path) => {
    expect(await exchange.failure(await exchange.gateway.call(path))).toEqual({
      status: 404,
      error: 'The jetton chain API does not have this path.',
    })
    expect(exchange.requests).toEqual([])
  })

  it.each([
    ['GET', '/api/v2/jsonRPC', 'POST, OPTIONS'],
    ['DELETE', '/api/v2/getTransactions', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/api/v3/jetton/burns', 'GET, HEAD, OPTIONS'],
    ['GET', '/api/v3/message', 'POST, OPTIONS'],
  ])('%s %s is rejected', async (method, path, allow) => {
    const response = await exchange.gateway.call(path, { method })
    expect((await exchange.failure(response)).status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
  })

  it('respond to HEAD as to GET, without the body', async () => {
    const response = await exchange.gateway.call('/api/v2/getMasterchainInfo', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(exchange.requests).toMatchObject([{ method: 'GET' }])
  })

  it('accept calls from browsers with the headers of existing clients', async () => {
    const response = await fetch(`${exchange.gateway.url}/wrong/api/v2/jsonRPC`, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST')
    expect(response.headers.get('access-control-allow-headers')).toMatch(/x-ton-client-version/)
  })
})

describe('operations with an adapter', () => {
  it('return the same value by GET, POST and JSON-RPC, and are counted once', async () => {
    const cell = 'te6cckEBAQEAEgAAIAABAAAAAIAAAAAgAAAAgAAP3PIs'
    exchange.behaviour = ok({ '@type': 'configInfo', config: { '@type': 'tvm.cell', bytes: cell } })
    const adapted = await listenToJetton(exchange.node.url)
    const path = '/api/v2/getConfigParam'
    const responses = await Promise.all([
      adapted.call(`${path}?config_id=15`),
      adapted.call(path, { method: 'POST', body: '{"config_id":15}' }),
      adapted.rpc({ jsonrpc: '2.0', id: 'a', method: 'getConfigParam', params: { config_id: 15 } }),
    ])
    const bodies = await Promise.all(responses.map((response) => response.json()))
    const param = { config_id: 15, value: expect.objectContaining({ stake_held_for: expect.anything() }) }
    expect(bodies.slice(0, 2)).toEqual([param, param])
    expect(bodies[2]).toMatchObject({ ok: true, jsonrpc: '2.0', id: 'a', result: param })
    expect(await adapted.counted()).toEqual(['getConfigParam 2xx 2', 'getConfigParamByPost 2xx 1'])
    await adapted.stop()
  })

  it('accept the parameter names of other servers', async () => {
    const cell = 'te6cckEBAQEAEgAAIAABAAAAAIAAAAAgAAAAgAAP3PIs'
    exchange.behaviour = ok({ '@type': 'configInfo', config: { '@type': 'tvm.cell', bytes: cell } })
    const path = '/api/v2/getConfigParam'
    const responses = await Promise.all([
      exchange.gateway.call(`${path}?param=15`),
      exchange.gateway.call(path, { method: 'POST', body: '{"param":15}' }),
      exchange.gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'getConfigParam', params: { param: 15 } }),
      exchange.gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'constructor', params: { param: 15 } }),
      exchange.gateway.call('/api/v3/jetton/burns?jetton_master=nothing'),
    ])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 422, 422])
    expect(await responses[4]?.text()).toContain('address should be')
  })

  it.each([
    { value: 'getConfigParam', action: 'deny' },
    { value: 'getShards', action: 'allow' },
  ] as const)('are rejected without permission, in every form: %j', async (rule) => {
    const accessRules = [{ kind: 'method', ...rule }] as const
    const restricted = await listenToJetton(exchange.node.url, { grant: { accessRules } })
    const path = '/api/v2/getConfigParam'
    const responses = await Promise.all([
      restricted.call(`${path}?config_id=15`),
      restricted.call(`${path}?config_id=15`, { method: 'HEAD' }),
      restricted.call(path, { method: 'POST', body: '{"config_id":15}' }),
      restricted.rpc({ jsonrpc: '2.0', id: 'a', method: 'getConfigParam', params: { config_id: 15 } }),
    ])
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(exchange.requests).toEqual([])
    await restricted.stop()
  })

  it('cache jetton names between calls', async () => {
    const row = {
      owner: raw,
      jetton_master: raw,
      transaction_hash: 'x',
      transaction_lt: '1',
      transaction_now: 1,
      amount: '1',
    }
    const masters = [{ jetton_content: { name: 'Tide' } }]
    exchange.behaviour = json(200, { jetton_burns: [row], jetton_masters: masters })
    for (const limit of [1, 2]) {
      const path = `/api/v3/jetton/burns?address=${address}&limit=${limit}`
      const { body } = await exchange.read(await exchange.gateway.call(path))
      expect(JSON.parse(body)).toMatchObject({ burns: [{ jetton: { name: 'Tide' } }] })
    }
    const paths = exchange.requests.map(({ target }) => target.replace(/\?.*/, ''))
    expect(paths).toEqual(['/burns', '/masters', '/burns'].map((path) => `/below/api/v3/jetton${path}`))
  })

  it('pass on retry-after of an overloaded upstream', async () => {
    exchange.behaviour = json(
      429,
      { ok: false, result: 'Ratelimit exceed', code: 429 },
      { 'retry-after': '7' },
    )
    // The upstream then receives no calls for this time.
    const gateway = await listenToJetton(exchange.node.url)
    const response = await gateway.call(`/api/v3/jetton/burns?address=${address}`)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(await exchange.failure(response)).toEqual({ status: 429, error: 'Ratelimit exceed' })
    await gateway.stop()
  })
})

it('counts each request once, by operation or method, and never by text from the caller', async () => {
  const counted = await listenToJetton(exchange.node.url, { protocols: ['jetton'] })
  for (const path of ['/api/v2/getMasterchainInfo', '/api/v3/masterchainInfo', '/api/v2/nothing']) {
    await exchange.read(await counted.call(path))
  }
  await exchange.read(await counted.rpc({ id: 1, method: 'shards', params: { seqno: 1 } }))
  await exchange.read(await counted.rpc({ id: 1, method: 'chosen-by-caller' }))
  expect((await counted.counted()).toSorted()).toEqual([
    'getMasterchainInfo 2xx 2',
    'shards 2xx 1',
    'unknown 4xx 2',
  ])
  await counted.stop()
})

it('rejects calls to a node without this protocol or without an upstream', async () => {
  const withoutProtocol = await listenToJetton(exchange.node.url, { protocols: ['evm'] })
  expect(await exchange.failure(await withoutProtocol.call('/api/v2/getMasterchainInfo'))).toEqual({
    status: 404,
    error: 'This node does not offer jetton.',
  })
  await withoutProtocol.stop()
  for (const upstream of ['devnet', 'c4n4ry-key:x']) {
    const unusable = await listenToJetton(upstream)
    expect((await exchange.failure(await unusable.call('/api/v2/getMasterchainInfo'))).status).toBe(503)
    await unusable.stop()
  }
})

it('does not handle other paths', async () => {
  const { text: response } = await sendRaw(
    exchange.gateway.port,
    'GET /t0k3n HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  )
  expect(response).toMatch(/^HTTP\/1\.1 418 /)
})

it('no response, log or metric contains a secret', () => exchange.expectNoSecret())
