import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { JettonExchange, respondWith } from '../testing/jetton-exchange.ts'

const address = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'

let exchange: JettonExchange

beforeAll(async () => {
  exchange = await JettonExchange.start()
})

afterAll(() => exchange.stop())

beforeEach(() => exchange.reset())

describe('JSON-RPC', () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'getAddressBalance', params: { address } }

  it.each([
    [
      'an upstream that sends no id',
      '{"ok":true,"result":"5","@extra":"1:0"}',
      '"ok":true,"result":"5","@extra":"1:0"}',
    ],
    [
      'an upstream that sends it last',
      '{"ok":true,"result":"5","jsonrpc":"2.0","id":"1"}\n',
      '"ok":true,"result":"5"}',
    ],
    [
      'an upstream that sends it first',
      '{ "jsonrpc": "2.0", "id": "1", "result": {"id":"1"} }',
      '"result": {"id":"1"}}',
    ],
  ])('replaces the id of %s with the id of the call', async (_, body, rest) => {
    exchange.behaviour = respondWith(200, 'application/json', body, { 'content-length': String(body.length) })
    for (const id of [1, -7, '1', 'é"', 9_007_199_254_740_991]) {
      const response = await exchange.gateway.rpc({ ...call, id })
      expect(await exchange.read(response)).toEqual({
        status: 200,
        body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${rest}`,
      })
    }
  })

  it.each(['1.0', '1e3', '-0', '9007199254740993', String.raw`"\u0041\ud800"`])(
    'preserves the text of the id %s',
    async (id) => {
      const { body } = await exchange.read(
        await exchange.gateway.rpc(`{"id": ${id} ,"method":"getMasterchainInfo","params":{}}`),
      )
      expect(body).toBe(`{"jsonrpc":"2.0","id":${id},"ok":true,"result":"0","@extra":"1:0:c"}`)
    },
  )

  it('runs the validated method when a key is repeated or is __proto__', async () => {
    const first = '"id":1,"method":"sendBoc","params":{"boc":"***"},"__proto__":{"method":"sendBoc"}'
    const second = String.raw`"id":2,"\u006dethod":"getMasterchainInfo","params":{}`
    const { body } = await exchange.read(await exchange.gateway.rpc(`{${first},${second}}`))
    expect(JSON.parse(body)).toMatchObject({ id: 2, ok: true })
    expect(exchange.requests[0]?.body).toBe(
      '{"jsonrpc":"2.0","id":"1","method":"getMasterchainInfo","params":{}}',
    )
  })

  it('forwards the text of the parameters unchanged', async () => {
    const params = `{ "address":"${address}", "limit": 10, "lt":58214400000003 }`
    await exchange.read(
      await exchange.gateway.rpc(`{"id":"1","jsonrpc":"2.0","params":${params},"method":"getTransactions"}`),
    )
    expect(exchange.requests).toMatchObject([
      { method: 'POST', target: '/below/api/v2/jsonRPC?api_key=c4n4ry-key' },
    ])
    expect(exchange.requests[0]?.body).toBe(
      `{"jsonrpc":"2.0","id":"1","method":"getTransactions","params":${params}}`,
    )
  })

  it.each([{ params: [] }, { params: {} }, { params: null }, {}, { jsonrpc: undefined }])(
    'accepts %j',
    async (overrides) => {
      const { params: _, ...rest } = call
      const response = await exchange.gateway.rpc({ ...rest, method: 'getMasterchainInfo', ...overrides })
      expect((await exchange.read(response)).status).toBe(200)
      expect(JSON.parse(exchange.requests[0]?.body ?? '')).toMatchObject({
        method: 'getMasterchainInfo',
        params: {},
      })
    },
  )

  it.each([
    ['{', 'The body should be JSON in UTF-8.', null],
    ['['.repeat(1_001), 'The body should have at most 1000 levels of arrays and objects.', null],
    ['5', 'The body should be a JSON object.', null],
    [[call], 'The body should be a single call: batches are not supported.', null],
    [{ ...call, id: undefined }, 'id should be an integer or a string.', null],
    [{ ...call, id: null }, 'id should be an integer or a string.', null],
    [{ ...call, id: 1.5 }, 'id should be an integer or a string.', null],
    [{ ...call, id: {} }, 'id should be an integer or a string.', null],
    [{ ...call, jsonrpc: '1.0' }, 'jsonrpc should be "2.0".', 1],
    [{ ...call, method: undefined }, 'method should be a string.', 1],
    [{ ...call, method: 'eth_chainId' }, 'method should be the name of a method of the jetton chain API.', 1],
    [{ ...call, method: 'toString' }, 'method should be the name of a method of the jetton chain API.', 1],
    [{ ...call, method: 'jsonRPC' }, 'method should be the name of a method of the jetton chain API.', 1],
    [{ ...call, params: [address] }, 'params must contain an object.', 1],
    [{ ...call, params: 'x' }, 'params must contain an object.', 1],
    [{ ...call, params: {} }, 'address is required.', 1],
    [{ ...call, params: { address: 7 } }, 'address should be a string, not a number.', 1],
    [{ ...call, id: 'a', params: { address: 'x' } }, 'address should be an address', 'a'],
    [{ ...call, params: { address, seqno: 0 } }, 'seqno should be at least 1.', 1],
  ])('rejects %j', async (body, error, id) => {
    const expected = { status: 422, error: expect.stringContaining(error), jsonrpc: '2.0', id }
    expect(await exchange.failure(await exchange.gateway.rpc(body))).toEqual(expected)
    expect(exchange.requests).toEqual([])
  })

  it.each([1, 300, 4_000])('streams a long result in chunks of %i bytes', async (size) => {
    const result = Array.from({ length: 400 }, (_, index) => `ü${index},"id":"1"}`)
    const bytes = Buffer.from(JSON.stringify({ ok: true, result, jsonrpc: '2.0', id: '1' }))
    exchange.behaviour = async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      for (let at = 0; at < bytes.length; at += size) {
        if (!response.write(bytes.subarray(at, at + size))) await once(response, 'drain')
      }
      response.end()
    }
    const { body } = await exchange.read(await exchange.gateway.rpc(call))
    expect(body).toBe(JSON.stringify({ jsonrpc: '2.0', id: 1, ok: true, result }))
  })

  it('rejects a truncated or invalid response', async () => {
    exchange.behaviour = respondWith(200, 'application/json', '"5"')
    expect(await exchange.failure(await exchange.gateway.rpc(call))).toEqual({
      status: 502,
      error: 'The response of the upstream is not an object.',
      jsonrpc: '2.0',
      id: 1,
    })
    exchange.behaviour = (_, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .write(`{"ok":true,"result":"${'x'.repeat(5_000)}`)
      setImmediate(() => response.destroy())
    }
    await expect(exchange.gateway.rpc(call).then((response) => exchange.read(response))).rejects.toThrow()
  })
})
