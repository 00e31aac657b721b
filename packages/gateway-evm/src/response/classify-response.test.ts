import { Cancellation } from '@fairlead/runtime'
import { describe, expect, it } from 'vitest'
import { classifyResponse, type ResponseClass } from './classify-response.ts'
import { ownCall } from '../upstream/own-call.ts'

const classOf = (method: string, text: string) =>
  classifyResponse(ownCall(method, [{}], new Cancellation()), text)

const error = (code: number, message: string) => JSON.stringify({ error: { code, message } })

it.each<[string, string, ResponseClass]>([
  ['eth_call', '{"jsonrpc":"2.0","id":1,"result":"0x"}', 'good'],
  ['eth_call', '{"jsonrpc":"2.0","id":1,"result":null}', 'good'],
  ['eth_getBlockByHash', '{"jsonrpc":"2.0","id":1,"result":null}', 'absent'],
  ['eth_getTransactionReceipt', '{"id":1,"error":null,"result":null}', 'absent'],
  ['eth_call', '{"jsonrpc":"2.0","id":1}', 'unreadable'],
  ['eth_call', '[]', 'unreadable'],
  ['eth_call', 'null', 'unreadable'],
  ['eth_call', '', 'unreadable'],
  ['eth_call', '{"jsonrpc":"2.0","id":1,"result":"0x"', 'unreadable'],
  ['eth_call', error(3, 'execution reverted'), 'good'],
  ['eth_call', error(-32000, 'insufficient funds for transfer'), 'good'],
  ['eth_call', error(-32602, 'invalid argument 0'), 'good'],
  ['eth_call', error(-32000, 'header not found'), 'absent'],
  ['eth_call', error(-32001, 'Unknown block'), 'absent'],
  ['eth_call', error(-32000, `missing trie node ${'ab'.repeat(32)} (path )`), 'pruned'],
  ['eth_call', error(-32601, 'the method eth_call does not exist/is not available'), 'not offered'],
  ['eth_call', error(-32005, 'daily request count exceeded, request rate limited'), 'busy'],
  ['eth_call', error(429, 'Your app has exceeded its compute units per second capacity'), 'busy'],
  ['eth_getLogs', error(-32005, 'query returned more than 10000 results'), 'too large'],
  ['eth_getLogs', error(-32005, 'eth_getLogs request limit: at most 500 blocks'), 'too large'],
  ['eth_getLogs', error(-32000, 'request limit of 500 blocks'), 'too large'],
  ['eth_getLogs', error(-32000, 'request limit reached'), 'busy'],
  ['trace_filter', error(-32000, 'call limit: 200 results'), 'too large'],
  ['eth_call', error(-32005, 'limit exceeded'), 'too large'],
  ['eth_sendTransaction', error(-32005, 'limit exceeded'), 'good'],
  ['eth_newFilter', error(-32602, 'block range too large'), 'good'],
  ['eth_getFilterChanges', error(-32000, 'filter not found'), 'good'],
  ['eth_sendRawTransaction', error(-32000, 'already known'), 'in the chain'],
  ['eth_sendRawTransaction', error(-32010, 'AlreadyKnown'), 'in the chain'],
  ['eth_sendRawTransaction', error(-32003, 'transaction already imported'), 'in the chain'],
  ['eth_sendRawTransaction', error(-32000, 'nonce too low: next nonce 5, tx nonce 4'), 'in the chain'],
  ['eth_sendRawTransaction', error(-32000, 'replacement transaction underpriced'), 'good'],
  ['eth_sendTransaction', error(-32000, 'nonce too low'), 'good'],
])('classifies the response to %s, %s, as %s', (method, text, responseClass) => {
  expect(classOf(method, text)).toBe(responseClass)
})

// Errors that upstreams return when they receive too many calls.
const rateLimitErrors: readonly (readonly [string, number, string])[] = [
  [
    'Alchemy',
    429,
    'Your app has exceeded its compute units per second capacity. If you have retries enabled, …',
  ],
  ['Alchemy, another text', 429, 'Your app has exceeded its concurrent requests capacity.'],
  ['Infura', -32005, 'project ID request rate exceeded'],
  ['Infura, by the day', -32005, 'daily request count exceeded, request rate limited'],
  ['Infura, short', -32005, 'Too Many Requests'],
  ['Chainstack', -32005, "You've exceeded the RPS limit available on the current plan."],
  ['QuickNode', -32007, '50/second request limit reached - reduce calls per second or upgrade your account'],
  ['Base', -32016, 'over rate limit'],
  ['Ankr', -32029, 'Too many requests, reason: call rate limit exhausted, retry in 10s'],
  ['Ankr, another code', -32090, 'Too many requests, reason: call rate limit exhausted, retry in 10s'],
  ['a provider', -32097, 'Rate limit exceeded'],
  ['dRPC', 15, 'Too many requests, try again later'],
  ['another gateway', -32005, 'All upstreams of this node have reached their rate limit. Try again later.'],
  [
    'another gateway, by credential',
    -32005,
    'The credential exceeded its rate limit of 10 calls per second.',
  ],
]

// Texts that callers can inject into an upstream's error: through a contract, a tracer, a transaction or a param.
const executing = [
  'eth_call',
  'eth_callMany',
  'eth_estimateGas',
  'eth_createAccessList',
  'eth_simulateV1',
  'eth_sendRawTransaction',
  'eth_sendRawTransactionSync',
  'debug_traceCall',
  'debug_traceCallMany',
  'debug_traceTransaction',
  'debug_traceBlockByNumber',
  'trace_call',
  'trace_callMany',
  'trace_replayTransaction',
  'ots_getTransactionError',
]
const authored = [
  ...rateLimitErrors.map(([, , message]) => message),
  'method not found',
  'the method eth_call does not exist/is not available',
  'unsupported method',
  'not implemented',
  'unimplemented',
]
const authoredCodes = [3, -32000, -32003, -32015, -32602, -32603]

describe('text that a caller controls', () => {
  it.each(executing.flatMap((method) => authoredCodes.map((code) => [method, code] as const)))(
    'neither rate-limits an upstream nor removes a method: %s, %i',
    (method, code) => {
      const verdicts = authored.flatMap((message) =>
        [
          message,
          `execution reverted: ${message}`,
          `${message} at step (<eval>:1:32(1))    in server-side tracer function 'step'`,
        ].map((written) => classOf(method, error(code, written))),
      )
      expect(new Set(verdicts)).toEqual(new Set(['good']))
    },
  )

  it.each(['missing trie node ' + 'ab'.repeat(32), 'header not found', 'already known'])(
    'does not affect the state of the upstream: a tracer throws "%s"',
    (message) => {
      const written = `${message} at step (<eval>:1:32(1))    in server-side tracer function 'step'`
      expect(classOf('debug_traceCall', error(-32000, written))).toBe('good')
    },
  )

  it.each<[string, number, string]>([
    ['eth_getBalance', -32602, 'rate limit exceeded is not an address'],
    ['eth_getBlockByNumber', -32000, 'invalid block tag: rate limit exceeded'],
    ['eth_getLogs', -32602, 'too many requests'],
    ['eth_getLogs', -32005, 'limit exceeded'],
    ['eth_sendRawTransaction', -32005, 'Transaction gas limit exceeds block gas limit'],
    ['eth_sendRawTransaction', -32004, 'Upfront cost exceeds account balance'],
    ['eth_sendRawTransaction', -32007, 'Sender account not authorized to send transactions'],
    ['trace_filter', -32005, 'Requested range exceeds maximum RPC range limit'],
    // Another gateway: limits that do not apply to all calls.
    ['eth_getLogs', -32005, 'The credential exceeded its limit of 2 calls per second for eth_getLogs.'],
    ['eth_getLogs', -32005, 'The queue of calls is full. Try again later.'],
  ])('is neither a rate limit nor a missing method: %s, %i %s', (method, code, message) => {
    expect(['good', 'too large']).toContain(classOf(method, error(code, message)))
  })
})

describe('a rejected query over a range of blocks', () => {
  const address = `0x${'ab'.repeat(20)}`
  const [topic, range] = [`0x${'cd'.repeat(32)}`, { fromBlock: '0x1', toBlock: '0x64' }]

  it.each<[string, Readonly<Record<string, unknown>>, ResponseClass]>([
    ['eth_getLogs', {}, 'too large'],
    ['eth_getLogs', { ...range, address, topics: [topic, null, [topic, topic]] }, 'too large'],
    ['eth_getLogs', { fromBlock: '0x01', toBlock: 'latest', address: [address] }, 'too large'],
    ['eth_getLogs', { blockHash: topic, address: null }, 'too large'],
    ['eth_getLogs', { ...range, unknown: 1 }, 'too large'],
    ['eth_getLogs', { ...range, blockHash: topic }, 'good'],
    ['eth_getLogs', { fromBlock: '0x64', toBlock: '0x1' }, 'good'],
    ['eth_getLogs', { ...range, address: address.slice(1) }, 'good'],
    ['eth_getLogs', { ...range, topics: [address] }, 'good'],
    ['eth_getLogs', { ...range, topics: [[topic, '0x1']] }, 'good'],
    ['eth_getLogs', { ...range, topics: Array.from({ length: 5 }, () => topic) }, 'good'],
    ['eth_getLogs', { blockHash: 'latest' }, 'good'],
    ['trace_filter', { ...range, fromAddress: [address], mode: 'union', after: 1, count: 2 }, 'too large'],
    ['trace_filter', { ...range, fromAddress: address }, 'good'],
    ['trace_filter', { ...range, count: '0x1' }, 'good'],
    ['eth_feeHistory', range, 'good'],
  ])('is too large unless its params are invalid: %s %j', (method, filter, responseClass) => {
    const call = ownCall(method, [filter], new Cancellation())
    for (const code of [-32602, -32600, -32000, -32603, -32012])
      expect(classifyResponse(call, error(code, 'no'))).toBe(responseClass)
    expect(classifyResponse(call, error(-32700, 'no'))).toBe('good')
  })

  it('is not too large without params', () => {
    expect(classifyResponse(ownCall('eth_getLogs', [], new Cancellation()), error(-32602, 'no'))).toBe('good')
  })
})

describe('a rate-limited upstream', () => {
  it.each(rateLimitErrors)('is busy for every method: %s (%i, %s)', (_, code, message) => {
    for (const method of [...executing, 'eth_blockNumber', 'eth_getBalance', 'eth_getLogs', '']) {
      expect(classOf(method, error(code, message)), method).toBe('busy')
    }
  })

  it.each<[string, number, string]>([
    ['eth_gasPrice', -32000, 'rate limit exceeded'],
    ['eth_getLogs', -32000, 'Too many requests'],
    ['eth_blockNumber', -32603, 'Error: rate limited'],
    // The cost of these methods is constant.
    ['eth_blockNumber', -32005, 'limit exceeded'],
    ['eth_getBalance', -32005, ''],
  ])('is busy according to its error: %s, %i %s', (method, code, message) => {
    expect(classOf(method, error(code, message))).toBe('busy')
  })
})
