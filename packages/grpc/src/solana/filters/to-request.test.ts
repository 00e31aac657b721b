import { FairleadError } from '@fairlead/core'
import { describe, expect, it } from 'vitest'
import { CommitmentLevel, SubscribeRequest } from '../../generated/geyser.ts'
import { encodeBase58 } from '../base58.ts'
import { createCuckooFilter } from '../cuckoo/cuckoo-filter.ts'
import { bytesOf } from '../testing/chain.ts'
import type { AccountCondition, GeyserFilters } from './geyser-filters.ts'
import { toSubscribeRequest } from './to-request.ts'

const wallet = encodeBase58(bytesOf(1, 32))
const program = encodeBase58(bytesOf(2, 32))
const signature = encodeBase58(bytesOf(3, 64))
const withConditions = (...filters: AccountCondition[]): GeyserFilters => ({ accounts: { a: { filters } } })

describe('toSubscribeRequest', () => {
  it('encodes every kind of filter', () => {
    const cuckoo = createCuckooFilter([wallet])
    const request = toSubscribeRequest({
      accounts: {
        a: {
          account: [wallet],
          owner: [program],
          filters: [
            { memcmp: { offset: 8, base58: wallet } },
            { datasize: 165 },
            { tokenAccountState: true },
            { lamports: { gt: 5n } },
          ],
          nonemptyTxnSignature: true,
          cuckooAccountsFilter: cuckoo,
        },
      },
      slots: { s: { filterByCommitment: true, interslotUpdates: false } },
      transactions: {
        t: {
          vote: false,
          failed: true,
          signature,
          accountInclude: [wallet],
          accountExclude: [program],
          accountRequired: [wallet],
          tokenAccounts: 1,
        },
      },
      transactionsStatus: { u: {} },
      blocks: { b: { accountInclude: [wallet], includeEntries: true } },
      blocksMeta: { m: {} },
      entry: { e: {} },
      commitment: CommitmentLevel.CONFIRMED,
      accountsDataSlice: [
        { offset: 0, length: 8 },
        { offset: 8n, length: 4n },
      ],
    })
    const decoded = SubscribeRequest.decode(SubscribeRequest.encode(request).finish())
    expect(decoded).toEqual(request)
    expect(decoded.accounts['a']?.filters.map(({ filter }) => filter?.$case)).toEqual([
      'memcmp',
      'datasize',
      'tokenAccountState',
      'lamports',
    ])
    expect(decoded.transactions['t']).toMatchObject({
      vote: false,
      failed: true,
      signature,
      tokenAccounts: 1,
    })
    expect(decoded.commitment).toBe(CommitmentLevel.CONFIRMED)
    expect(Object.keys(decoded.entry)).toEqual(['e'])
  })

  it.each<[string, GeyserFilters]>([
    ['filters.accounts.a.account[0]', { accounts: { a: { account: ['tooshort'] } } }],
    ['filters.accounts.a.owner[1]', { accounts: { a: { owner: [program, signature] } } }],
    ['filters.transactions.t.signature', { transactions: { t: { signature: wallet } } }],
    [
      'filters.transactions.t.accountRequired[0]',
      { transactions: { t: { accountRequired: ['0'.repeat(44)] } } },
    ],
    ['filters.blocks.b.accountInclude[0]', { blocks: { b: { accountInclude: [''] } } }],
    [
      'filters.accounts.a.filters',
      withConditions(...Array.from({ length: 5 }, () => ({ tokenAccountState: true }) as const)),
    ],
    ['filters.accounts.a.filters', withConditions({ datasize: 1 }, { datasize: 2 })],
    ['filters.accounts.a.filters[0].datasize', withConditions({ datasize: -1 })],
    ['filters.accounts.a.filters[0].datasize', withConditions({ datasize: 2n ** 64n })],
    [
      'filters.accounts.a.filters[0].memcmp.offset',
      withConditions({ memcmp: { offset: 0.5, base58: wallet } }),
    ],
    [
      'filters.accounts.a.filters[0].memcmp.bytes',
      withConditions({ memcmp: { offset: 0, bytes: new Uint8Array(129) } }),
    ],
    [
      'filters.accounts.a.filters[0].memcmp.base58',
      withConditions({ memcmp: { offset: 0, base58: encodeBase58(new Uint8Array(129).fill(255)) } }),
    ],
    [
      'filters.accounts.a.filters[0].memcmp.base64',
      withConditions({ memcmp: { offset: 0, base64: btoa('a'.repeat(129)) } }),
    ],
    ['filters.accounts.a.filters[0].memcmp.base64', withConditions({ memcmp: { offset: 0, base64: 'a' } })],
    [
      'filters.accountsDataSlice[1]',
      {
        accountsDataSlice: [
          { offset: 4, length: 4 },
          { offset: 7, length: 1 },
        ],
      },
    ],
    [
      'filters.accountsDataSlice[1]',
      {
        accountsDataSlice: [
          { offset: 4, length: 4 },
          { offset: 0, length: 1 },
        ],
      },
    ],
    ['filters.slots', { slots: { ['ü'.repeat(65)]: {} } }],
    ['filters.blocksMeta.__fairlead', { blocksMeta: { __fairlead: {} } }],
    // @ts-expect-error not a level
    ['filters.commitment', { commitment: 3 }],
    // @ts-expect-error only true is allowed
    ['filters.accounts.a.filters[0].tokenAccountState', withConditions({ tokenAccountState: false })],
    // @ts-expect-error two conditions in one
    ['filters.accounts.a.filters[0].lamports', withConditions({ lamports: { gt: 1n, lt: 2n, x: 3n } })],
    // @ts-expect-error the field name of the proto file
    ['filters.transactions.t.account_include', { transactions: { t: { account_include: [] } } }],
    // @ts-expect-error a string instead of a list
    ['filters.accounts.a.account', { accounts: { a: { account: wallet } } }],
    // @ts-expect-error not a boolean
    ['filters.transactions.t.vote', { transactions: { t: { vote: 'no' } } }],
  ])('rejects an invalid %s', (option, filters) => {
    let thrown: unknown
    try {
      toSubscribeRequest(filters)
    } catch (error) {
      thrown = error
    }
    if (!FairleadError.is(thrown, 'CONFIG_INVALID')) throw new Error('not refused', { cause: thrown })
    expect(thrown.details.option.startsWith(option)).toBe(true)
    expect(thrown.message).not.toContain('tooshort')
  })

  it('accepts the largest allowed values', () => {
    const bytes = new Uint8Array(128).fill(255)
    toSubscribeRequest({
      ...withConditions(
        { memcmp: { offset: 2n ** 64n - 1n, bytes } },
        { memcmp: { offset: 0, base58: encodeBase58(bytes) } },
        { memcmp: { offset: 0, base64: btoa(String.fromCharCode(...bytes)) } },
        { lamports: { ne: 2n ** 64n - 1n } },
      ),
      slots: { ['a'.repeat(128)]: {} },
    })
  })

  it('reports the type of an invalid value', () => {
    expect(() => toSubscribeRequest({ accounts: { a: { account: ['tooshort'] } } })).toThrow(
      'must be 32 bytes in base58, not text of 8 characters',
    )
  })
})
