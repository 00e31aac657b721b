import { FairleadError } from '@fairlead/core'
import { describe, expect, it } from 'vitest'
import { retryAfterMsOf, isRateRefusal } from './refusal.ts'

const error = (rpcCode: number, data?: unknown, status = 200) =>
  new FairleadError('RPC_ERROR', { operation: 'eth_call', rpcCode, detail: '', data, status })

describe('a rejection', () => {
  it.each<[boolean, string, unknown, string]>([
    [true, '-32005', error(-32005), 'eth_call'],
    [true, '429', error(429), 'eth_call'],
    [true, 'HTTP 429', error(-32600, undefined, 429), 'eth_call'],
    [true, 'a reason of rate', error(-32000, { reason: 'rate' }), 'eth_getLogs'],
    [true, 'a busy upstream', error(-32005, { reason: 'upstream busy', retry_after_ms: 5 }), 'eth_call'],
    [true, 'a busy gateway', error(-32005, { reason: 'busy', retry_after_ms: 5 }), 'eth_getLogs'],
    [true, 'an asked pause', error(-32005, { retry_after_ms: 5 }), 'eth_getLogs'],
    [false, 'too many logs', error(-32005), 'eth_getLogs'],
    [false, 'a quota', error(-32600, { reason: 'quota', resets_at: '' }, 403), 'eth_call'],
    [
      false,
      'a quota with 429 and a pause',
      error(-32005, { reason: 'quota', retry_after_ms: 1 }, 429),
      'eth_call',
    ],
    [false, 'a revert', error(3, '0x08c379a0'), 'eth_call'],
    [false, 'another error', new Error('no'), 'eth_call'],
  ])('because of a rate limit: %s for %s', (expected, _, refusal, method) => {
    expect(isRateRefusal(refusal, method)).toBe(expected)
  })

  it('accepts only numeric delays', () => {
    expect(retryAfterMsOf(error(-32005, { retry_after_ms: 12 }))).toBe(12)
    for (const retry_after_ms of ['1.5s', -1, Number.NaN, null]) {
      expect(retryAfterMsOf(error(-32005, { retry_after_ms }))).toBeUndefined()
    }
    expect(retryAfterMsOf(new Error('no'))).toBeUndefined()
  })
})
