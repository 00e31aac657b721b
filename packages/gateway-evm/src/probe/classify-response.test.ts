import { describe, expect, it } from 'vitest'
import { classifyResponse, nonexistentMethod } from './classify-response.ts'
import { type ProbeResponse, readProbeResponse } from './read-response.ts'

const method = 'eth_getBlockReceipts'

function error(code: number | undefined, message: string, status = 200): ProbeResponse {
  return { status, error: { code, message } }
}

// Responses that execution clients and proxies in front of them were observed to send.
describe('a missing method', () => {
  it.each([
    ['geth', -32601, `the method ${method} does not exist/is not available`],
    ['geth over HTTP', -32601, 'notifications not supported'],
    ['reth, anvil', -32601, 'Method not found'],
    ['anvil', -32603, 'Not implemented'],
    ['reth', -32603, 'unimplemented'],
    ['erigon', -32000, `the method is currently not implemented: ${method}`],
    ['besu', -32604, 'Method not enabled'],
    ['a proxy with a list', -32001, 'rpc method is not whitelisted'],
    ['a relay', -32004, `method not supported ${method}`],
    ['a relay in other words', -32000, `Method ${method} not found`],
    ['a node of one enumeration', -32602, `unknown variant \`${method}\`, expected one of \`a\`, \`b\``],
    ['a provider', -32600, `Unsupported method: ${method}. See available methods at docs`],
    ['a provider in other words', -32000, `The method ${method} is not supported on this network`],
    ['a provider without a code', undefined, `unknown RPC method '${method}'`],
    ['a node without the namespace', -32000, 'namespace is not enabled'],
    ['a node that names it only', -32000, `${method} is disabled`],
  ])('is recognized by the error of %s', (_, code, message) => {
    expect(classifyResponse(method, error(code, message))).toEqual({
      outcome: 'missing',
      note: 'not offered by the node',
      code,
    })
  })

  it('is recognized by the error for a nonexistent method', () => {
    const message = 'data did not match any variant of untagged enum EthRpcCall'
    expect(classifyResponse(method, error(-32602, message)).outcome).toBe('available')
    expect(classifyResponse(method, error(-32602, message), error(-32602, message)).outcome).toBe('missing')
    const decoy = error(-32000, `who is ${nonexistentMethod}?`)
    expect(classifyResponse(method, error(-32000, `who is ${method}?`), decoy).outcome).toBe('missing')
    expect(classifyResponse(method, error(-32000, 'header not found'), decoy).outcome).toBe('available')
    expect(classifyResponse(method, { status: 200, hasResult: true }, { hasResult: true }).outcome).toBe(
      'available',
    )
  })
})

describe('a method that ran', () => {
  it.each([
    [3, 'execution reverted', 'execution reverted'],
    [3, 'execution reverted: rate limit exceeded', 'execution reverted'],
    [3, 'execution reverted: method not found', 'execution reverted'],
    [-32000, 'header not found', 'input rejected'],
    [-32000, 'filter not found', 'input rejected'],
    [-32000, 'block does not exist', 'input rejected'],
    [-32000, `${method}: block 0x1 is unknown`, 'input rejected'],
    [-32000, 'historical state is not available', 'input rejected'],
    [-32000, 'failed to subscribe to the pool', 'input rejected'],
    [-32001, 'block not found', 'unknown object'],
    [-32003, 'Transaction rejected', 'transaction rejected'],
    [-32005, 'query returned more than 10000 results', 'limit exceeded'],
    [-32602, 'Failed to decode transaction', 'params rejected'],
    [-32602, 'unknown variant `pending2`, expected one of `latest`', 'params rejected'],
    [-32603, 'method handler crashed', 'internal error'],
    [-39001, 'Unknown block', 'unknown block'],
    [4444, 'pruned history unavailable', 'history not available'],
    [-31337, 'whatever', 'error'],
    [undefined, '', 'error'],
  ])('is recognized by the error %s %j', (code, message, note) => {
    expect(classifyResponse(method, error(code, message))).toEqual({ outcome: 'available', note, code })
  })

  it('is recognized by a result with any HTTP status', () => {
    const available = { outcome: 'available', note: '' }
    expect(classifyResponse(method, { status: 200, hasResult: true, result: null })).toEqual(available)
    expect(classifyResponse(method, { hasResult: true })).toEqual(available)
  })
})

describe('a rejected method', () => {
  it.each([
    [401, -32000, 'invalid project id', 'credential rejected'],
    [403, -32000, 'nothing for you', 'credential rejected'],
    [200, -32000, 'Unauthorized: the token is not valid', 'credential rejected'],
    [200, -32000, 'unknown api key', 'credential rejected'],
    [
      200,
      -32600,
      `${method} is not available on the Free tier - upgrade to a paid plan`,
      'not part of the plan',
    ],
    [403, -32601, 'method is not available on your current plan', 'not part of the plan'],
    [200, -32000, 'method is not available on freetier', 'not part of the plan'],
  ])('is recognized by %i %i %j', (status, code, message, note) => {
    expect(classifyResponse(method, error(code, message, status))).toEqual({ outcome: 'refused', note, code })
  })

  it('is recognized by the HTTP status alone', () => {
    for (const status of [401, 403]) {
      expect(classifyResponse(method, { status, problem: 'unreadable' })).toEqual({
        outcome: 'refused',
        note: 'credential rejected',
      })
    }
  })
})

describe('a failed call', () => {
  it.each<[ProbeResponse, string]>([
    [{ problem: 'timeout' }, 'no response in time'],
    [{ problem: 'unreachable' }, 'unreachable'],
    [{ problem: 'unreadable', status: 200 }, 'not JSON-RPC'],
    [{ problem: 'unreadable', status: 502 }, 'HTTP 502'],
    [{ problem: 'unreadable', status: 404 }, 'HTTP 404'],
    [{ problem: 'unreadable', status: 429 }, 'rate limited'],
    [error(-32603, 'The upstream is unreachable.', 502), 'HTTP 502'],
    [error(-32005, 'daily request count exceeded, request rate limited'), 'rate limited'],
    [error(-32000, 'Too many requests'), 'rate limited'],
    [error(429, 'Your app has exceeded its compute units per second capacity'), 'rate limited'],
  ])('is recognized by %j', (response, note) => {
    expect(classifyResponse(method, response)).toMatchObject({ outcome: 'failed', note })
  })

  it('is not an internal error that a node returns for a missing method', () => {
    expect(classifyResponse(method, error(-32601, 'Method not found', 500)).outcome).toBe('missing')
  })
})

describe('a message of megabytes', () => {
  it.each(['exceeded its ', 'upgrade ', 'a '])('is searched at its start only: %j', (part) => {
    const message = `${part.repeat(1_000)}capacity: method not found`
    for (const reported of [{ code: -32000, message }, message]) {
      const response = readProbeResponse(JSON.stringify({ jsonrpc: '2.0', id: 1, error: reported }))
      expect(response.error?.message).toBe(message.slice(0, 1_000))
      expect(classifyResponse(method, response).outcome).toBe('available')
    }
  })
})
