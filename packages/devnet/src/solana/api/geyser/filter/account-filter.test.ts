import { describe, expect, it } from 'vitest'
import {
  account,
  address,
  base58,
  key,
  matches,
  receive,
  type AccountParts,
} from '../../../../../test/solana-updates.ts'

function filtering(filter: object): { accounts: Record<string, object> } {
  return { accounts: { mine: filter } }
}

const data = Uint8Array.from({ length: 40 }, (_, index) => index)
const whale: AccountParts = {
  pubkey: key('whale'),
  owner: key('program'),
  lamports: 500n,
  data,
  writeVersion: 1n,
  txnSignature: new Uint8Array(64),
}

const cases: readonly (readonly [rule: string, filter: object, hit: AccountParts, miss: AccountParts])[] = [
  ['account', { account: [address('other'), address('whale')] }, {}, { pubkey: key('shrimp') }],
  ['owner', { owner: [address('program')] }, {}, { owner: key('other program') }],
  [
    'account and owner',
    { account: [address('whale')], owner: [address('program')] },
    {},
    { owner: key('other program') },
  ],
  ['nonempty_txn_signature true', { nonemptyTxnSignature: true }, {}, { txnSignature: undefined }],
  ['nonempty_txn_signature false', { nonemptyTxnSignature: false }, { txnSignature: undefined }, {}],
  ['datasize', content('datasize', 40n), {}, { data: data.subarray(1) }],
  ['lamports eq', lamports('eq', 500n), {}, { lamports: 501n }],
  ['lamports ne', lamports('ne', 500n), { lamports: 501n }, {}],
  ['lamports lt', lamports('lt', 500n), { lamports: 499n }, {}],
  ['lamports gt', lamports('gt', 500n), { lamports: 501n }, {}],
  [
    'memcmp bytes',
    memcmp(38n, { $case: 'bytes', value: Uint8Array.of(38, 39) }),
    {},
    { data: data.subarray(1) },
  ],
  [
    'memcmp base58',
    memcmp(1n, { $case: 'base58', value: base58(Uint8Array.of(1, 2)) }),
    {},
    { data: Uint8Array.of(1, 2) },
  ],
  ['memcmp base64', memcmp(1n, { $case: 'base64', value: 'AQI=' }), {}, { data: Uint8Array.of(0, 1, 3) }],
  [
    'token_account_state',
    content('tokenAccountState', true),
    { data: tokenAccount(1) },
    { data: tokenAccount(0) },
  ],
  [
    'token_account_state with extensions',
    content('tokenAccountState', true),
    { data: extended(2) },
    { data: extended(1) },
  ],
  [
    'all of filters',
    { filters: [condition('datasize', 40n), condition('lamports', { cmp: { $case: 'gt', value: 1n } })] },
    {},
    { lamports: 1n },
  ],
]

describe('readAccountFilter', () => {
  it.each(cases)('matches by %s', (_rule, filter, hit, miss) => {
    expect(matches(filtering(filter), account({ ...whale, ...hit }))).toBe(true)
    expect(matches(filtering(filter), account({ ...whale, ...miss }))).toBe(false)
  })

  it('matches every account when it is empty', () => {
    expect(matches(filtering({}), account(whale))).toBe(true)
    expect(matches({}, account(whale))).toBe(false)
  })

  it('does not match when the compared bytes exceed the data', () => {
    const filter = memcmp(2n ** 64n - 1n, { $case: 'bytes', value: Uint8Array.of(0) })
    expect(matches(filtering(filter), account(whale))).toBe(false)
  })

  it('returns the names of all matching filters', () => {
    const request = {
      accounts: { all: {}, none: { owner: [address('unknown')] }, some: { owner: [address('program')] } },
    }
    expect(receive(request, account(whale))[0]?.filters).toEqual(['all', 'some'])
  })

  it.each([
    [{ account: ['nonsense'] }, 'accounts.mine.account[0] must be a public key, 32 bytes in base58'],
    [{ owner: [address('a'), 'O0'] }, 'accounts.mine.owner[1] must be a public key, 32 bytes in base58'],
    [{ filters: Array.from({ length: 5 }, () => condition('datasize', 1n)) }, 'must be at most 4'],
    [{ filters: [condition('datasize', 1n), condition('datasize', 1n)] }, 'must have datasize once at most'],
    [content('tokenAccountState', false), 'token_account_state must be true'],
    [{ filters: [{}] }, 'accounts.mine.filters[0] must have a condition'],
    [{ filters: [condition('lamports', {})] }, 'lamports must have a comparison'],
    [memcmp(0n, undefined), 'memcmp must have data'],
    [memcmp(0n, { $case: 'bytes', value: new Uint8Array(129) }), 'must compare at most 128 bytes'],
    [memcmp(0n, { $case: 'base58', value: '1'.repeat(176) }), 'base58 must have at most 175 characters'],
    [memcmp(0n, { $case: 'base58', value: '0' }), 'base58 must be a text in base58'],
    [memcmp(0n, { $case: 'base64', value: 'A'.repeat(173) }), 'base64 must have at most 172 characters'],
    [memcmp(0n, { $case: 'base64', value: 'A' }), 'base64 must be a text in base64'],
  ])('rejects %o', (filter, message) => {
    expect(() => matches(filtering(filter), account(whale))).toThrow(message)
  })
})

describe('accounts_data_slice', () => {
  const cut = (...slices: readonly (readonly [number, number])[]) =>
    receive(
      {
        accounts: { mine: {} },
        accountsDataSlice: slices.map(([offset, length]) => ({
          offset: BigInt(offset),
          length: BigInt(length),
        })),
      },
      account(whale),
    )[0]

  it.each([
    ['one slice', [[2, 3]], [2, 3, 4]],
    [
      'several, one after the other',
      [
        [0, 1],
        [10, 2],
        [39, 1],
      ],
      [0, 10, 11, 39],
    ],
    [
      'nothing beyond the end',
      [
        [0, 2],
        [39, 2],
      ],
      [0, 1],
    ],
    ['nothing of a slice without length', [[0, 0]], []],
  ] as const)('returns %s', (_what, slices, left) => {
    const update = cut(...slices)
    const value = update?.updateOneof?.$case === 'account' ? update.updateOneof.value : undefined
    expect([...(value?.account?.data ?? [])]).toEqual([...left])
  })

  it('rejects slices that are not in order or overlap', () => {
    expect(() => cut([5, 1], [0, 1])).toThrow('accounts_data_slice[1] must be ordered by offset')
    expect(() => cut([0, 5], [4, 1])).toThrow('accounts_data_slice[1] must not overlap')
  })
})

function condition($case: string, value: unknown): object {
  return { filter: { $case, value } }
}

function content($case: string, value: unknown): object {
  return { filters: [condition($case, value)] }
}

function lamports($case: string, value: bigint): object {
  return content('lamports', { cmp: { $case, value } })
}

function memcmp(offset: bigint, compared: object | undefined): object {
  return content('memcmp', { offset, data: compared })
}

function tokenAccount(state: number): Uint8Array {
  const bytes = new Uint8Array(165)
  bytes[108] = state
  return bytes
}

function extended(kind: number): Uint8Array {
  const bytes = new Uint8Array(170)
  bytes[108] = 1
  bytes[165] = kind
  return bytes
}
