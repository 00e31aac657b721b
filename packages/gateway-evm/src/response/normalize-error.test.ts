import { describe, expect, it } from 'vitest'
import { adapted, scriptedNode } from '../testing/adapted-node.ts'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, token } from '../testing/listener-fixture.ts'
import { normalizeError, type NodeError } from './normalize-error.ts'

const method = 'eth_call'
const notOffered = { code: -32601, message: 'This node does not offer eth_call.' }
const bytes = '0xdeadbeef'

describe('normalizeError', () => {
  it.each<[string, number, string]>([
    ['anvil over HTTP', -32601, 'Method not found'],
    ['anvil over WebSocket', -32602, 'Method not found'],
    ['anvil, known by name only', -32603, 'Not implemented'],
    ['geth', -32601, 'the method eth_call does not exist/is not available'],
    ['geth behind a proxy', -32000, 'the method eth_call does not exist/is not available'],
    ['erigon', -32000, 'the method is currently not implemented: trace_rawTransaction'],
    ['erigon, an old name', -32000, 'the method has been deprecated: eth_getWork'],
    ['reth', -32601, 'Method not found'],
    ['reth, known by name only', -32603, 'unimplemented'],
    ['besu', -32604, 'Method not enabled'],
    ['nethermind', -32601, 'The method eth_call is not supported.'],
    ['hardhat', -32004, 'Method eth_call is not supported'],
    ['a provider', -32600, 'Unsupported method: eth_call on ETH_MAINNET'],
  ])('maps the missing-method error of %s (%i, %s)', (_, code, message) => {
    expect(normalizeError({ code, message, data: 1 }, method)).toEqual(notOffered)
  })

  it.each<[string, NodeError, NodeError]>([
    [
      'anvil with the bytes of a custom error',
      { code: 3, message: 'execution reverted: custom error 0x00000000: \0\0ޭ', data: bytes },
      { code: 3, message: 'execution reverted', data: bytes },
    ],
    [
      'erigon without a reason',
      { code: -32000, message: 'execution reverted' },
      { code: 3, message: 'execution reverted' },
    ],
    [
      'nethermind',
      { code: -32015, message: 'VM execution error.', data: `Reverted ${bytes}` },
      { code: 3, message: 'execution reverted', data: bytes },
    ],
    [
      'a node whose reason cannot be printed',
      { code: 3, message: 'execution reverted: \u0007\uFFFD', data: bytes },
      { code: 3, message: 'execution reverted', data: bytes },
    ],
    [
      'an old client with a reason',
      { code: -32000, message: 'execution reverted: no', data: bytes },
      { code: 3, message: 'execution reverted: no', data: bytes },
    ],
  ])('normalizes a revert of %s to code 3, its bytes and a clean message', (_, given, normalized) => {
    expect(normalizeError(given, method)).toEqual(normalized)
  })

  it.each([
    [
      -32000,
      `missing trie node ${'ab'.repeat(32)} (path ) state 0x${'ab'.repeat(32)} is not available, not found`,
    ],
    [-32000, 'required historical state unavailable (reexec=128)'],
    [-32000, 'historical state 0xabcd is not available'],
    [-32000, 'historical state unavailable'],
    [-32000, 'pruned history unavailable'],
    [-32000, 'old data not available due to pruning'],
    [
      -32000,
      'state transitaion failed: seek with txNum=1 but data before txNum=2 is not available: blockNum=1',
    ],
    [-32000, 'history has been pruned for this block'],
    [-32603, 'state at block #17 is pruned'],
    [-32002, 'No state available for block 0xab'],
  ])('maps %i %s to the code of pruned history', (code, message) => {
    expect(normalizeError({ code, message }, method)).toEqual({ code: 4444, message })
  })

  it('distinguishes a future block of anvil from a pruned one', () => {
    const error = (requested: number) => ({
      code: -32602,
      message: `BlockOutOfRangeError: block height is 302 but requested was ${requested}`,
    })
    expect(normalizeError(error(303), method)).toEqual({
      code: -32001,
      message: 'The block 303 is not known.',
    })
    expect(normalizeError(error(2), method)).toEqual({
      code: 4444,
      message: 'The state of block 2 is pruned.',
    })
  })

  it.each<NodeError>([
    { code: -32000, message: 'already known' },
    { code: -32000, message: 'nonce too low: next nonce 5, tx nonce 1' },
    { code: -32000, message: 'filter not found' },
    { code: -32003, message: 'insufficient funds for gas * price + value' },
    { code: -32000, message: 'the method is currently not implemented: eth_getProof with storageKeys' },
    { code: -32602, message: 'invalid argument 0: method not found in map' },
    { code: -32602, message: 'missing value for required argument 1' },
    { code: 3, message: 'execution reverted: method not found', data: bytes },
    { code: 3, message: 'execution reverted', data: '0x' },
    { code: 4444, message: 'pruned history unavailable' },
    { code: -32005, message: 'query returned more than 10000 results', data: { to: '0x1' } },
  ])('returns %j unchanged', (error) => {
    expect(normalizeError(error, method)).toBe(error)
  })
})

describe("an error thrown by a caller's tracer", () => {
  it.each([
    'method not found',
    `missing trie node ${'ab'.repeat(32)} (path )`,
    'execution reverted',
    'unsupported method',
  ])('is passed through with the code of the node: %s', (text) => {
    const message = `${text} at step (<eval>:1:32(1))    in server-side tracer function 'step'`
    for (const tracing of ['debug_traceCall', 'debug_traceTransaction', 'debug_traceBlockByHash']) {
      const error = { code: -32000, message }
      expect(normalizeError(error, tracing)).toBe(error)
    }
  })
})

it('does not classify an unaffordable transaction as a missing method', () => {
  const error = { code: -32004, message: 'Upfront cost exceeds account balance' }
  expect(normalizeError(error, 'eth_sendRawTransaction')).toBe(error)
})

describe('an error of a node', () => {
  const revert = { code: 3, message: 'execution reverted: custom error 0xdeadbeef', data: bytes }
  const clean = { code: 3, message: 'execution reverted', data: bytes }

  it('is normalized in a single response, in a batch, and for an id that nodes do not return unchanged', async () => {
    const { url } = await scriptedNode({ eth_call: { error: revert } })
    const { url: gateway } = await inFrontOf(url)
    const call = (id: unknown) => ({ jsonrpc: '2.0', id, method, params: [{}] })
    const post = async (body: unknown) => {
      const init = { method: 'POST', body: JSON.stringify(body) }
      return (await fetch(`${gateway}/${token}`, init)).json()
    }
    expect(await post(call(1))).toEqual({ jsonrpc: '2.0', id: 1, error: clean })
    expect(await post([call(1)])).toEqual([{ jsonrpc: '2.0', id: 1, error: clean }])
    expect(await post(call(1.5))).toEqual({ jsonrpc: '2.0', id: 1.5, error: clean })
  })

  it.each([
    '{"error":{"code":-32603,"message":"Not implemented"},"id":1,"jsonrpc":"2.0"}',
    '\n{ "jsonrpc" : "2.0" , "id" : 1 , "result" : null , "error" : {"code":-32603,"message":"Not implemented"} }',
  ])('is detected in any serialization: %s', async (text) => {
    const node = await startTestNode(async (request, response) => {
      const body = await responseWithCallId(request, text)
      response.setHeader('content-type', 'application/json').end(body)
    })
    await expect(adapted(node)(method, {})).rejects.toMatchObject(notOffered)
  })

  it('is not detected inside a result', async () => {
    const result = { error: { code: -32603, message: 'Not implemented' } }
    const { url } = await scriptedNode({ eth_call: { result } })
    expect(await adapted(url)(method, {})).toEqual(result)
  })
})

it('does not reveal upstream credentials, in a call or a batch', async () => {
  const node = await startTestNode(async (request, response) => {
    const { headers, url } = request
    const message = `refused: ${headers.authorization} at ${headers.host}${url}`
    const error = { code: -32000, message, data: [message] }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(await responseWithCallId(request, JSON.stringify({ jsonrpc: '2.0', id: 1, error })))
  })
  const { url } = await inFrontOf(`${node.replace('//', '//user:c4n4ry@')}/c4n4ry-path?key=c4n4ry-key`)
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
  const reported = { code: -32000, message: 'refused: Basic *** at ******?key=***' }
  const error = { ...reported, data: [reported.message] }
  for (const body of [call, `[${call}]`]) {
    const [response] = [await (await fetch(`${url}/${token}`, { method: 'POST', body })).json()].flat()
    expect(response).toEqual({ jsonrpc: '2.0', id: 1, error })
  }
})
