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
  ])('finds %j and %j alike', (one, other) => {
    expect(key(...one)).toBe(key(...other))
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
  ])('tells %j from %j', (one, other) => {
    expect(key(...one)).not.toBe(key(...other))
  })

  it('refuses what is too much', () => {
    for (const options of [
      { address: Array.from({ length: 1_001 }, () => address('a')) },
      { topics: [Array.from({ length: 1_001 }, () => topic('a'))] },
    ]) {
      expect(() => readSubscriptionRequest(['logs', options])).toThrow(/at most/)
    }
  })

  it('never repeats what it refuses', () => {
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

it('refuses hashes that are no text', () => {
  const wish = () => key('transactionReceipts', { transactionHashes: [{ toString: 1, valueOf: 1 }] })
  expect(wish).toThrow('transactionHashes')
})
