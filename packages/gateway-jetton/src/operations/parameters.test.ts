import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { JettonExchange } from '../testing/jetton-exchange.ts'
import { listenToJetton } from '../testing/jetton-fixture.ts'
import { findRpcMethod } from '../json-rpc/rpc-methods.ts'
import { findJettonOperation } from './operations.ts'
import { bodyParameters, methodParameters } from './parameters.ts'

const address = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'
const raw = '0:7b34cff14f5fcd3546f0a4cc71afbb4797a9cfa52423bcc3791637bf9f0d7ebd'
const hex = 'ab'.repeat(32)
const hash = Buffer.from(hex, 'hex').toString('base64')

let exchange: JettonExchange

beforeAll(async () => {
  exchange = await JettonExchange.start()
})

afterAll(() => exchange.stop())

beforeEach(() => exchange.reset())

describe('parameters', () => {
  const balance = '/api/v2/getAddressBalance?address='
  const transactions = `/api/v2/getTransactions?address=${address}`

  it.each([
    `${balance}${address}`,
    `${balance}${raw}`,
    `${balance}${raw.toUpperCase()}`,
    `${balance}${address.replace('_', '%2F').replace('-', '%2B')}`,
    `${balance}-1:${'5'.repeat(64)}`,
    `${transactions}&limit=1000&lt=58214400000003&hash=${hex}&archival=true`,
    `${transactions}&hash=${encodeURIComponent(hash)}`,
    `${transactions}&hash=${hash.replace('=', '')}`,
    '/api/v2/lookupBlock?workchain=-1&shard=-9223372036854775808&seqno=1',
    `/api/v3/transactions?hash=0x${hex}&account=${address}&account=${raw}&limit=1`,
    `/api/v3/messages?source=null&opcode=0x595f07bc&direction=in`,
    '/api/v3/blocks?workchain=0&shard=8000000000000000',
  ])('%s is accepted', async (path) => {
    expect((await exchange.read(await exchange.gateway.call(path))).status).toBe(200)
  })

  it.each([
    ['/api/v2/getAddressBalance', 'address is required.'],
    [balance, 'address should be an address: workchain'],
    [`${balance}${address.slice(0, -1)}d`, 'address should be an address: workchain'],
    [`${balance}${address.slice(0, -1)}`, 'address should be an address'],
    [`${balance}0:${'5'.repeat(63)}`, 'address should be an address'],
    [`${balance}99999999999:${'5'.repeat(64)}`, 'address should be an address'],
    [`${balance}${address}&address=${address}`, 'address should be given once.'],
    [`${transactions}&limit=0`, 'limit should be at least 1.'],
    [`${transactions}&limit=1001`, 'limit should be at most 1000.'],
    [`${transactions}&limit=ten`, 'limit should be an integer, not a string.'],
    [`${transactions}&limit=1.5`, 'limit should be an integer, not a string.'],
    [`${transactions}&lt=0x1`, 'lt should be a 64-bit integer in decimal.'],
    [`${transactions}&lt=9223372036854775808`, 'lt should be a 64-bit integer in decimal.'],
    [`${transactions}&hash=${hex}0`, 'hash should be 32 bytes: 64 hex digits, or base64.'],
    [`${transactions}&archival=yes`, 'archival should be a boolean, not a string.'],
    ['/api/v2/shards?seqno=2147483648', 'seqno should be a 32-bit integer.'],
    ['/api/v2/getConfigParam?config_id=fifteen', 'config_id should be an integer, not a string.'],
    ['/api/v3/jetton/burns', 'address is required.'],
    [`/api/v3/jetton/burns?address=${address}&sort=up`, 'sort should be one of asc, desc.'],
    [`/api/v3/jetton/burns?address=${address}&limit=0`, 'limit should be at least 1.'],
    [`/api/v3/jetton/burns?address=${address}&offset=-1`, 'offset should be at least 0.'],
    [`/api/v3/transactions?account=${address}&account=x`, 'account[1] should be an address'],
    [
      `/api/v3/transactions?hash=${hash.replace('=', '')}`,
      'hash should be 32 bytes: 64 hex digits with or without 0x',
    ],
    ['/api/v3/messages?source=unknown', 'source should be an address: workchain'],
    ['/api/v3/addressBook', 'address is required.'],
  ])('%s is rejected', async (path, error) => {
    expect(await exchange.failure(await exchange.gateway.call(path))).toEqual({
      status: 422,
      error: expect.stringContaining(error),
    })
    expect(exchange.requests).toEqual([])
  })

  const method = { address: raw, method: 'seqno', stack: [] }
  it.each([
    ['/api/v2/runGetMethod', '{', 'The body should be JSON in UTF-8.'],
    ['/api/v2/runGetMethod', '', 'The body should be JSON in UTF-8.'],
    ['/api/v2/runGetMethod', '[]', 'The body should be a JSON object.'],
    ['/api/v2/runGetMethod', 'null', 'The body should be a JSON object.'],
    ['/api/v2/runGetMethod', {}, 'address is required.'],
    ['/api/v2/runGetMethod', { ...method, address: 5 }, 'address should be a string, not a number.'],
    ['/api/v2/runGetMethod', { ...method, address: 'EQ' }, 'address should be an address'],
    ['/api/v2/runGetMethod', { ...method, stack: null }, 'stack should be an array, not null.'],
    ['/api/v2/runGetMethod', { ...method, seqno: 2 ** 31 }, 'seqno should be a 32-bit integer.'],
    ['/api/v2/getTransactions', { address, limit: 1_001 }, 'limit should be at most 1000.'],
    ['/api/v2/sendBoc', { boc: '***' }, 'boc should be bytes in base64.'],
    ['/api/v2/sendBoc', { boc: 'AAA' }, 'boc should be bytes in base64.'],
    ['/api/v2/sendBoc', { boc: 'AAAAA=' }, 'boc should be bytes in base64.'],
    ['/api/v2/sendBoc', { boc: 'AA=A' }, 'boc should be bytes in base64.'],
    ['/api/v2/sendBoc', { boc: 'A===' }, 'boc should be bytes in base64.'],
    ['/api/v2/sendBoc', { boc: 'AA_-' }, 'boc should be bytes in base64.'],
    ['/api/v3/message', {}, 'boc is required.'],
  ])('%s with the body %j is rejected', async (path, body, error) => {
    expect(await exchange.failure(await exchange.post(path, body))).toEqual({
      status: 422,
      error: expect.stringContaining(error),
    })
    expect(exchange.requests).toEqual([])
  })

  it('are never repeated in an error', async () => {
    const rejections = await Promise.all([
      exchange.gateway.call('/api/v2/getAddressBalance?address=secret-value'),
      exchange.gateway.call(`/api/v2/getTransactions?address=${address}&limit=secret-value`),
      exchange.post('/api/v2/sendBoc', { boc: ['secret-value'], 'secret-value': 1 }),
      exchange.gateway.rpc({ jsonrpc: 'secret-value', id: 1, method: 'secret-value' }),
      exchange.gateway.rpc({ id: 1, method: 'secret-value' }),
    ])
    for (const response of rejections)
      expect((await exchange.read(response)).body).not.toContain('secret-value')
  })

  it.each(['A', '='])('that are bytes are checked in any length: 6 million characters and %s', (last) => {
    const boc = `${'A'.repeat(5_999_999)}${last}`
    expect(bodyParameters(findJettonOperation('POST', '/api/v2/sendBoc'), { boc })).toEqual({ boc })
    expect(methodParameters(findRpcMethod('sendBoc').method, { boc })).toEqual({ boc })
  })

  it('have a nesting limit', async () => {
    const deep = await listenToJetton(exchange.node.url)
    const open = '{"@type":"tvm.stackEntryTuple","tuple":{"@type":"tvm.tuple","elements":['
    const stack = `[["tuple",{"@type":"tvm.tuple","elements":[${open.repeat(9_000)}${']}}'.repeat(9_000)}]}]]`
    const body = `{"address":"${raw}","method":"m","stack":${stack}}`
    const response = await deep.call('/api/v2/runGetMethod', { method: 'POST', body })
    const error = 'The body should have at most 1000 levels of arrays and objects.'
    expect(await exchange.failure(response)).toEqual({ status: 422, error })
    const rpc = await deep.rpc(`{"id":1,"method":"runGetMethod","params":${body}}`)
    expect((await exchange.failure(rpc)).error).toBe(error)
    await deep.stop()
  })

  it('have a body size limit', async () => {
    const long = { boc: 'A'.repeat(2_000) }
    const error = 'The request body must have at most 2000 bytes.'
    expect(await exchange.failure(await exchange.post('/api/v2/sendBoc', long))).toEqual({
      status: 413,
      error,
    })
    expect(await exchange.failure(await exchange.gateway.rpc(long))).toEqual({
      status: 413,
      error,
      jsonrpc: '2.0',
      id: null,
    })
  })
})
