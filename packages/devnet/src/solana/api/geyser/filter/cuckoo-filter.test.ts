import { createHash } from 'node:crypto'
import {
  SubscribeUpdateAccountInfo,
  SubscribeUpdateBlockMeta,
  SubscribeUpdateTransactionInfo,
  type CuckooFilter,
} from '@fairlead/grpc/geyser'
import { describe, expect, it } from 'vitest'
import { account, base58, matches, receive, slotOf, transaction } from '../../../../../test/solana-updates.ts'
import { readCuckooFilter } from './cuckoo-filter.ts'

const key = (text: string): Uint8Array => createHash('sha256').update(text).digest()

// Created by @triton-one/yellowstone-grpc 7.0.1 for a capacity of 100 with the keys "in 0" to "in 99".
const recorded: CuckooFilter = {
  data: Buffer.from(
    'ALRABYJZRTiMKcJgzk8AAKD5hdNNhAIVtHicigAAAADFKyAqe+MAAFVs0L1+D64jCkncXZydAACX99VQNdMAALxUiDRpI5oVFuINmlbK' +
      'AABjJe5OSia81wRQmLEAAAAACZ2G6fRgWCpD3y3dI/zTv2AfTPe9/aMLBpOsnG7iAAA976u93p/AlP8/n/7ottjNwdA0OoNb7AI2M1i5' +
      'AAAAAKz8CUYAAAAAoz0AAAAAAADt8B9HCDgAAIVZEpIAAAAAUDnCXEppXzyvXpHLz5UAAFygSVQ7dgAA1oIjr3IaAAAIMgAAAAAAAExV' +
      'fRwM6FafkmLYggAAAABGRiQLAqb3Ow==',
    'base64',
  ),
  bucketCount: 32,
  entriesPerBucket: 4,
  fingerprintBits: 16,
  hashSeed: 0x796c6c7773746e21n,
  hashAlgorithm: 0,
}

describe('readCuckooFilter', () => {
  it('finds every key that a native client added', () => {
    const sketch = readCuckooFilter(recorded, 'filter')
    const found = Array.from({ length: 100 }, (_, index) => sketch.has(key(`in ${index}`)))
    expect(found.filter(Boolean)).toHaveLength(100)
  })

  it('has few false positives', () => {
    const sketch = readCuckooFilter(recorded, 'filter')
    const found = Array.from({ length: 2000 }, (_, index) => sketch.has(key(`out ${index}`)))
    expect(found.filter(Boolean).length).toBeLessThan(5)
  })

  it.each([
    [{ hashAlgorithm: 1 as 0 }, 'filter.hash_algorithm must be SIP_HASH'],
    [{ entriesPerBucket: 2 }, 'filter.entries_per_bucket must be 4'],
    [{ fingerprintBits: 8 }, 'filter.fingerprint_bits must be 16'],
    [{ bucketCount: 33 }, 'filter.bucket_count must be a power of two'],
    [{ bucketCount: 0 }, 'filter.bucket_count must be a power of two'],
    [{ bucketCount: 64 }, 'filter.data must have 8 bytes for each bucket'],
  ])('rejects %o', (change, message) => {
    expect(() => readCuckooFilter({ ...recorded, ...change }, 'filter')).toThrow(message)
  })
})

describe('a cuckoo filter', () => {
  it('adds to the listed accounts', () => {
    const passes = (pubkey: Uint8Array, listed: readonly string[] = []) =>
      matches(
        { accounts: { mine: { account: [...listed], cuckooAccountsFilter: recorded } } },
        account({ pubkey }),
      )
    expect(passes(key('in 7'))).toBe(true)
    expect(passes(key('listed'))).toBe(false)
    expect(passes(key('listed'), [base58(key('listed'))])).toBe(true)
  })

  it('adds to the included accounts of transactions, and to the owners of their token balances', () => {
    const of = (accountKey: Uint8Array, owner: Uint8Array, tokenAccounts?: 0) =>
      matches(
        { transactions: { mine: { cuckooAccountInclude: recorded, tokenAccounts } } },
        transaction({
          transaction: { message: { accountKeys: [accountKey] } },
          meta: { postTokenBalances: [{ owner: base58(owner) }] },
        }),
      )
    expect(of(key('in 7'), key('out'))).toBe(true)
    expect(of(key('out'), key('in 7'))).toBe(false)
    expect(of(key('out'), key('in 7'), 0)).toBe(true)
    expect(of(key('out'), key('out'), 0)).toBe(false)
  })

  it('selects the transactions and accounts of blocks', () => {
    const [block] = slotOf({
      slot: 7n,
      parent: 6n,
      accounts: [key('in 7'), key('out')].map((pubkey, index) =>
        SubscribeUpdateAccountInfo.fromPartial({ pubkey, writeVersion: index }),
      ),
      transactions: [key('out'), key('in 8')].map((accountKey, index) =>
        SubscribeUpdateTransactionInfo.fromPartial({
          index,
          transaction: { message: { accountKeys: [accountKey] } },
        }),
      ),
      entries: [],
      meta: SubscribeUpdateBlockMeta.fromPartial({ slot: 7n }),
    }).flatMap((update) =>
      receive({ blocks: { mine: { cuckooAccountInclude: recorded, includeAccounts: true } } }, update),
    )
    const selected = block?.updateOneof?.$case === 'block' ? block.updateOneof.value : undefined
    expect(selected?.accounts.map(({ writeVersion }) => writeVersion)).toEqual([0n])
    expect(selected?.transactions.map(({ index }) => index)).toEqual([1n])
  })
})
