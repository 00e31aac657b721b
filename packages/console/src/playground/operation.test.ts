import * as beacon from '@fairlead/beacon/contract'
import * as evm from '@fairlead/evm-rpc/contract'
import { describe, expect, it } from 'vitest'
import { addressOf } from './address.ts'
import { jsonRpcOperations } from './json-rpc-operations.ts'
import { restOperations } from './operation.ts'
import { indented } from './send.ts'

describe('an EVM method', () => {
  const operations = jsonRpcOperations(evm.methods, evm.schemas)
  const named = (name: string) => operations.find((operation) => operation.name === name)

  it('builds a request with positional parameters', () => {
    const request = named('eth_getLogs')?.request({
      'params.filter.fromBlock': '0x1',
      'params.filter.toBlock': 'latest',
    })
    expect(request).toEqual({
      method: 'POST',
      target: '',
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x1","toBlock":"latest"}]}',
    })
  })

  it('applies defaults and requires the other parameters', () => {
    const address = `0x${'0'.repeat(40)}`
    expect(named('eth_getBalance')?.request({ 'params.address': address })).toMatchObject({
      body: expect.stringContaining(`"params":["${address}","latest"]`) as string,
    })
    expect(named('eth_getBalance')?.request({})).toEqual({
      errors: { 'params.address': 'This field is required.' },
    })
  })

  it('is omitted when it requires a WebSocket', () => {
    expect(named('eth_subscribe')).toBeUndefined()
  })
})

describe('an operation of the beacon node API', () => {
  const operations = restOperations(beacon.routes, beacon.schemas)
  const named = (name: string) => operations.find((operation) => operation.name === name)

  it('builds a request with path and query parameters, and repeats the key of lists', () => {
    const typed = { 'path.state_id': 'head', 'query.id': '1\n2', 'query.status': 'active' }
    expect(named('getStateValidators')?.request(typed)).toEqual({
      method: 'GET',
      target: '/eth/v1/beacon/states/head/validators?id=1&id=2&status=active',
      body: undefined,
    })
  })

  it('escapes values in path segments', () => {
    expect(named('getStateRoot')?.request({ 'path.state_id': '../../x?y' })).toMatchObject({
      target: '/eth/v1/beacon/states/..%2F..%2Fx%3Fy/root',
    })
  })

  it('is omitted when its response is a stream', () => {
    expect(named('eventstream')).toBeUndefined()
  })
})

describe('the request URL', () => {
  it.each([
    ['https://nodes.example/{token}', '', 'https://here/t%2F1'],
    ['https://nodes.example/{token}/evm', '', 'https://here/t%2F1/evm'],
    [
      'https://nodes.example/beacon/{token}',
      '/eth/v1/node/version',
      'https://here/beacon/t%2F1/eth/v1/node/version',
    ],
    [
      'https://nodes.example/{token}/api/v2',
      '/api/v2/getTransactions?limit=1',
      'https://here/t%2F1/api/v2/getTransactions?limit=1',
    ],
    ['https://nodes.example/{token}/api/v2/', '/api/v2/jsonRPC', 'https://here/t%2F1/api/v2/jsonRPC'],
  ])('of %s has the origin of the page', (template, target, address) => {
    expect(addressOf(template, target, 't/1', 'https://here')).toBe(address)
  })
})

describe('indented', () => {
  it('adds line breaks and preserves all digits', () => {
    expect(indented('{"a":[12345678901234567890,{}],"b":"x, {y}: \\" z"}')).toBe(
      '{\n  "a": [\n    12345678901234567890,\n    {}\n  ],\n  "b": "x, {y}: \\" z"\n}',
    )
  })

  it('returns text that is not JSON unchanged', () => {
    expect(indented('not found, really')).toBe('not found, really')
  })
})
