import { describe, expect, it } from 'vitest'
import { SubscribeUpdateTransactionInfo } from '../../generated/geyser.ts'
import { encodeBase58 } from '../base58.ts'
import { bytesOf } from '../testing/chain.ts'
import {
  accountKeys,
  instructions,
  lamportChanges,
  logMessages,
  tokenBalanceChanges,
} from './transaction-views.ts'

const key = (seed: number) => bytesOf(seed, 32)
const text = (seed: number) => encodeBase58(key(seed))
const balance = (accountIndex: number, mint: number, amount: string) => ({
  accountIndex,
  mint: text(mint),
  owner: text(40),
  programId: text(41),
  uiTokenAmount: { amount, decimals: 6, uiAmount: 0, uiAmountString: '' },
})

const info = SubscribeUpdateTransactionInfo.fromPartial({
  transaction: {
    message: {
      header: { numRequiredSignatures: 2, numReadonlySignedAccounts: 1, numReadonlyUnsignedAccounts: 1 },
      accountKeys: [1, 2, 3, 4].map(key),
      instructions: [
        { programIdIndex: 3, accounts: Uint8Array.from([0, 2, 4, 5]), data: Uint8Array.from([1, 2]) },
        { programIdIndex: 3, accounts: Uint8Array.of(), data: Uint8Array.of() },
      ],
    },
  },
  meta: {
    loadedWritableAddresses: [key(5)],
    loadedReadonlyAddresses: [key(6)],
    preBalances: [100n, 5n, 0n, 1n, 7n, 7n],
    postBalances: [40n, 5n, 50n, 1n, 7n, 7n],
    innerInstructions: [
      {
        index: 0,
        instructions: [
          { programIdIndex: 5, accounts: Uint8Array.from([2]), data: Uint8Array.of(), stackHeight: 2 },
        ],
      },
    ],
    logMessages: ['Program log: hello'],
    preTokenBalances: [balance(2, 30, '1000'), balance(4, 30, '5'), balance(5, 31, '9')],
    postTokenBalances: [balance(4, 30, '1005'), balance(5, 31, '9'), balance(2, 32, '77')],
  },
})

describe('accountKeys', () => {
  it('combines static and loaded accounts with their permissions', () => {
    expect(accountKeys(info)).toEqual([
      { address: text(1), signer: true, writable: true, loaded: false },
      { address: text(2), signer: true, writable: false, loaded: false },
      { address: text(3), signer: false, writable: true, loaded: false },
      { address: text(4), signer: false, writable: false, loaded: false },
      { address: text(5), signer: false, writable: true, loaded: true },
      { address: text(6), signer: false, writable: false, loaded: true },
    ])
  })

  it('reports a missing message', () => {
    expect(() => accountKeys({ transaction: undefined, meta: undefined })).toThrow(
      'transaction.message.header',
    )
  })
})

describe('instructions', () => {
  it('replaces indexes by addresses', () => {
    expect(instructions(info)).toEqual([
      {
        programId: text(4),
        accounts: [text(1), text(3), text(5), text(6)],
        data: Uint8Array.from([1, 2]),
        stackHeight: 1,
        inner: [{ programId: text(6), accounts: [text(3)], data: Uint8Array.of(), stackHeight: 2 }],
      },
      { programId: text(4), accounts: [], data: Uint8Array.of(), stackHeight: 1, inner: [] },
    ])
  })

  it('distinguishes "not recorded" from "none"', () => {
    const unrecorded = SubscribeUpdateTransactionInfo.fromPartial({
      ...info,
      meta: { ...info.meta, innerInstructionsNone: true, logMessagesNone: true },
    })
    expect(instructions(unrecorded).map(({ inner }) => inner)).toEqual([undefined, undefined])
    expect(logMessages(unrecorded)).toBeUndefined()
    expect(logMessages(info)).toEqual(['Program log: hello'])
  })

  it('rejects an index without an account', () => {
    const broken = SubscribeUpdateTransactionInfo.fromPartial({
      ...info,
      meta: { loadedWritableAddresses: [] },
    })
    expect(() => instructions(broken)).toThrow('must point at accounts')
  })
})

describe('changes', () => {
  it('lists the transferred lamports', () => {
    expect(lamportChanges(info)).toEqual([
      { address: text(1), before: 100n, after: 40n, change: -60n },
      { address: text(3), before: 0n, after: 50n, change: 50n },
    ])
  })

  it('lists the transferred tokens, also of opened and closed accounts', () => {
    expect(tokenBalanceChanges(info)).toMatchObject([
      { address: text(3), mint: text(30), before: 1000n, after: 0n, change: -1000n, decimals: 6 },
      { address: text(3), mint: text(32), before: 0n, after: 77n, change: 77n },
      { address: text(5), mint: text(30), before: 5n, after: 1005n, change: 1000n, owner: text(40) },
    ])
  })
})
