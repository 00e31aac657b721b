import { describe, expect, it } from 'vitest'
import { readSubscriptionRequest } from './subscription-request.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const topic = (digit: string) => `0x${digit.repeat(64)}`
const key = (...params: unknown[]) => readSubscriptionRequest(params).key

describe('readSubscriptionRequest', () => {
  it.each([
    [['newHeads'], ['newHeads', {}]],
    [['newHeads'], ['newHeads', null]],
    [['logs'], ['logs', {}]],
    [['logs'], ['logs', { address: [], topics: [] }]],
    [['logs'], ['logs', { address: null, topics: null, fromBlock: '0x1', toBlock: 'latest' }]],
    [
      ['logs', { address: address('a') }],
      ['logs', { address: [address('A'), address('a')] }],
    ],
    [
      ['logs', { address: [address('b'), address('a')] }],
      ['logs', { address: [address('a'), address('b')] }],
    ],
    [
      ['logs', { topics: [topic('A')] }],
      ['logs', { topics: [[topic('a')]] }],
    ],
    [
      ['logs', { topics: [null, [topic('b'), topic('a')]] }],
      ['logs', { topics: [[], [topic('a'), topic('b')]] }],
    ],
    [
      ['logs', { topics: [null] }],
      ['logs', { topics: [[topic('a'), null]] }],
    ],
    [['newPendingTransactions'], ['newPendingTransactions', false]],
    [['transactionReceipts'], ['transactionReceipts', {}]],
  ])('returns the same key for %j and %j', (first, second) => {
    expect(key(...first)).toBe(key(...second))
  })

  it.each([
    [['logs'], ['newHeads']],
    [['logs'], ['logs', { topics: [null] }]],
    [
      ['logs', { topics: [topic('a')] }],
      ['logs', { topics: [null, topic('a')] }],
    ],
    [
      ['logs', { address: address('a') }],
      ['logs', { address: address('b') }],
    ],
    [['newPendingTransactions'], ['newPendingTransactions', true]],
    [['transactionReceipts'], ['transactionReceipts', { transactionHashes: [] }]],
  ])('returns different keys for %j and %j', (first, second) => {
    expect(key(...first)).not.toBe(key(...second))
  })

  it('rejects requests that exceed the limits', () => {
    for (const options of [
      { address: Array.from({ length: 1_001 }, () => address('a')) },
      { topics: [Array.from({ length: 1_001 }, () => topic('a'))] },
    ]) {
      expect(() => readSubscriptionRequest(['logs', options])).toThrow(/at most/)
    }
  })

  it('never repeats a rejected value', () => {
    const secret = 's3cr3t'
    for (const params of [
      [secret],
      ['newHeads', secret],
      ['logs', { address: secret }],
      ['logs', { topics: [secret] }],
      ['logs', { [secret]: 1 }],
      ['transactionReceipts', { transactionHashes: [secret] }],
    ]) {
      expect(() => readSubscriptionRequest(params)).toThrow(
        expect.objectContaining({ code: -32602, message: expect.not.stringContaining(secret) }),
      )
    }
  })
})

it('rejects hashes that are not strings', () => {
  const keyOf = () => key('transactionReceipts', { transactionHashes: [{ toString: 1, valueOf: 1 }] })
  expect(keyOf).toThrow('transactionHashes')
})
