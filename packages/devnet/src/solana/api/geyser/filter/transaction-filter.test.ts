import { describe, expect, it } from 'vitest'
import {
  address,
  base58,
  key,
  matches,
  receive,
  transaction,
  type TransactionParts,
} from '../../../../../test/solana-updates.ts'

const signature = Uint8Array.from({ length: 64 }, (_, index) => index + 1)

// A transfer of tokens from Alice to Bob; Carol holds the same token, but her balance does not change.
const transfer: TransactionParts = {
  signature,
  isVote: false,
  index: 3n,
  transaction: { message: { accountKeys: [key('payer'), key('token program')] } },
  meta: {
    loadedWritableAddresses: [key('loaded writable')],
    loadedReadonlyAddresses: [key('loaded readonly')],
    preTokenBalances: [balance(0, 'alice', '10'), balance(2, 'carol', '7')],
    postTokenBalances: [balance(0, 'alice', '4'), balance(1, 'bob', '6'), balance(2, 'carol', '7')],
  },
}
const failed: TransactionParts = {
  ...transfer,
  meta: { ...transfer.meta, err: { err: Uint8Array.of(6, 0, 0, 0) } },
}
const vote: TransactionParts = { ...transfer, isVote: true }
const all = 0
const balanceChanged = 1

const cases: readonly (readonly [
  rule: string,
  filter: object,
  hit: TransactionParts,
  miss: TransactionParts,
])[] = [
  ['vote true', { vote: true }, vote, transfer],
  ['vote false', { vote: false }, transfer, vote],
  ['failed true', { failed: true }, failed, transfer],
  ['failed false', { failed: false }, transfer, failed],
  [
    'signature',
    { signature: base58(signature) },
    transfer,
    { ...transfer, signature: signature.toReversed() },
  ],
  [
    'account_include of a static key',
    { accountInclude: [address('x'), address('payer')] },
    transfer,
    without('payer'),
  ],
  [
    'account_include of a loaded key',
    { accountInclude: [address('loaded readonly')] },
    transfer,
    without('loaded'),
  ],
  ['account_exclude', { accountExclude: [address('payer')] }, without('payer'), transfer],
  [
    'account_required, all of them',
    { accountRequired: [address('payer'), address('loaded writable')] },
    transfer,
    without('payer'),
  ],
  [
    'vote and account_include',
    { vote: false, accountInclude: [address('payer')] },
    transfer,
    { ...transfer, isVote: true },
  ],
]

describe('readTransactionFilter', () => {
  it.each(cases)('matches by %s', (_rule, filter, hit, miss) => {
    expect(matches({ transactions: { mine: filter } }, transaction(hit))).toBe(true)
    expect(matches({ transactions: { mine: filter } }, transaction(miss))).toBe(false)
    expect(matches({ transactionsStatus: { mine: filter } }, transaction(hit))).toBe(true)
    expect(matches({ transactionsStatus: { mine: filter } }, transaction(miss))).toBe(false)
  })

  it.each([
    ['no account without it', undefined, { alice: false, bob: false, carol: false }],
    ['all owners with ALL', all, { alice: true, bob: true, carol: true }],
    [
      'those whose balance changed with BALANCE_CHANGED',
      balanceChanged,
      { alice: true, bob: true, carol: false },
    ],
  ] as const)('includes of the owners of token balances %s', (_rule, tokenAccounts, counted) => {
    for (const [name, isCounted] of Object.entries(counted)) {
      const passes = (filter: object) =>
        matches({ transactions: { mine: { ...filter, tokenAccounts } } }, transaction(transfer))
      expect([name, passes({ accountInclude: [address(name)] })]).toEqual([name, isCounted])
      expect([name, passes({ accountRequired: [address(name)] })]).toEqual([name, isCounted])
      expect([name, passes({ accountExclude: [address(name)] })]).toEqual([name, !isCounted])
    }
  })

  it('sends the status without the transaction', () => {
    const [update] = receive({ transactionsStatus: { mine: {} } }, transaction(failed))
    expect(update).toMatchObject({
      filters: ['mine'],
      updateOneof: {
        $case: 'transactionStatus',
        value: { slot: 7n, isVote: false, index: 3n, err: { err: Uint8Array.of(6, 0, 0, 0) } },
      },
    })
  })

  it('sends both if both are requested', () => {
    const updates = receive({ transactions: { a: {} }, transactionsStatus: { b: {} } }, transaction(transfer))
    expect(updates.map(({ filters, updateOneof }) => [updateOneof?.$case, filters])).toEqual([
      ['transaction', ['a']],
      ['transactionStatus', ['b']],
    ])
  })

  it.each([
    [{ signature: 'abc' }, 'transactions.mine.signature must be a signature, 64 bytes in base58'],
    [{ signature: '0' }, 'transactions.mine.signature must be a signature'],
    [{ accountInclude: ['x'] }, 'transactions.mine.account_include[0] must be a public key'],
    [{ accountExclude: ['x'] }, 'transactions.mine.account_exclude[0] must be a public key'],
    [{ accountRequired: ['x'] }, 'transactions.mine.account_required[0] must be a public key'],
    [{ tokenAccounts: 5 as 0 }, 'transactions.mine.token_accounts must be ALL or BALANCE_CHANGED'],
  ])('rejects %o', (filter, message) => {
    expect(() => matches({ transactions: { mine: filter } }, transaction(transfer))).toThrow(message)
  })
})

function balance(accountIndex: number, owner: string, amount: string): object {
  return { accountIndex, owner: address(owner), mint: address('mint'), uiTokenAmount: { amount } }
}

function without(name: string): TransactionParts {
  return name === 'payer'
    ? { ...transfer, transaction: { message: { accountKeys: [key('other payer')] } } }
    : { ...transfer, meta: { ...transfer.meta, loadedWritableAddresses: [], loadedReadonlyAddresses: [] } }
}
