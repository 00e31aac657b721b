import { FairleadError } from '@fairlead/core'
import { describe, expect, it } from 'vitest'
import { refusalOf } from './refusal.ts'

const refused = (rpcCode: number, detail: string, data?: unknown) =>
  refusalOf(
    new FairleadError('RPC_ERROR', { operation: 'eth_getLogs', rpcCode, detail, data, status: 200 }),
    100,
    100_000,
  )

describe('the message of a rejection', () => {
  it.each<[number, string, unknown, number | undefined, boolean]>([
    [-32_602, 'the block range is too large', { max_range: 5_000, from: '0x64', to: '0x13eb' }, 5_000, true],
    [-32_602, 'range 1000000 exceeds limit of 10000', undefined, 10_000, true],
    [-32_602, 'invalid params', { payload: 'range 9009594 is bigger than range limit 2000' }, 2_000, true],
    [-32_614, 'eth_getLogs is limited to a 10,000 range', undefined, 10_000, true],
    [-32_602, 'eth_getLogs is limited to 0 - 50 blocks range', undefined, 50, true],
    [-32_602, 'eth_getLogs range is too large, max is 10k blocks', undefined, 10_000, true],
    [-32_701, 'exceed maximum block range: 50000', undefined, 50_000, true],
    [-32_047, 'Invalid eth_getLogs request. Max range: 800', undefined, 800, true],
    [-32_000, 'too wide blocks range, the limit is 100', undefined, 100, true],
    [-32_000, 'please limit the query to at most 1000 blocks', undefined, 1_000, true],
    [-32_000, 'block range greater than 500 max', undefined, 500, true],
    [-32_000, 'exceeds the range allowed for your plan (100000 > 1000)', undefined, 1_000, true],
    [-32_600, 'block range is too wide (maximum 1024)', undefined, 1_024, true],
    [-32_000, 'query must be smaller than size 1024', undefined, 1_024, true],
    [-32_602, 'query exceeds max results 20000, retry with the range 100-300', undefined, 201, false],
    [
      -32_005,
      'query returned more than 10000 results',
      { from: '0x64', to: '0x65', limit: 10_000 },
      2,
      false,
    ],
    [-32_005, 'logs matched by query exceeds limit of 10000', undefined, undefined, false],
    [-32_000, 'response size should not greater than 10000000 bytes', undefined, undefined, false],
    [-32_000, 'backend response too large', undefined, undefined, false],
    [-32_000, 'query timeout exceeded', undefined, undefined, false],
    [-32_600, 'Block range is too large', undefined, undefined, true],
  ])('%i %s', (code, text, data, span, fixed) => {
    expect(refused(code, text, data)).toEqual({ of: 'blocks', span, fixed })
  })

  it.each([
    ['rate', 'The credential exceeded its rate limit of 10 calls per second.'],
    ['busy', 'The gateway is overloaded and rejects expensive calls.'],
    ['busy', 'The queue of calls is full.'],
    ['upstream busy', 'All upstreams of this node have reached their rate limit.'],
  ])('is not about the size when the reason of a gateway is %s: %s', (reason, text) => {
    expect(refused(-32_005, text, { reason })).toBeUndefined()
  })

  it('is about the size when responses exceed the memory limit of a gateway', () => {
    const text = 'The responses exceed the memory limit of the gateway. Request less data or retry.'
    expect(refused(-32_005, text)).toEqual({ of: 'blocks', span: undefined, fixed: false })
  })

  it('can refer to the addresses', () => {
    expect(refused(-32_602, 'exceed max addresses or topics per search position')?.of).toBe('addresses')
  })

  it('ignores a suggested range that is not smaller', () => {
    expect(refused(-32_602, 'this block range should work: [0x64, 0xfffffff]')).toEqual({
      of: 'blocks',
      span: undefined,
      fixed: true,
    })
  })

  it.each([
    [-32_601, 'the method does not exist'],
    [-32_602, 'invalid block range params'],
    [-32_602, 'block range extends beyond current head block'],
    [-32_005, 'rate limit exceeded'],
    [-32_005, 'too many requests per second, limit exceeded'],
    [4444, 'pruned history unavailable'],
    [-32_000, 'missing trie node'],
  ])('is not a size limit: %i %s', (code, text) => {
    expect(refused(code, text)).toBeUndefined()
  })

  it('can be a timeout or an HTTP status', () => {
    const details = { operation: 'eth_getLogs', attempt: 1, timeoutMs: 1, reason: '' }
    expect(refusalOf(new FairleadError('TRANSPORT_TIMEOUT', details), 0, 10)).toBeDefined()
    expect(refusalOf(new FairleadError('TRANSPORT_FAILED', details), 0, 10)).toBeUndefined()
    const status = (code: number) =>
      refusalOf(new FairleadError('HTTP_STATUS', { operation: 'eth_getLogs', status: code }), 0, 10)
    expect([status(413), status(504), status(401)].map((refusal) => refusal !== undefined)).toEqual([
      true,
      true,
      false,
    ])
  })
})
