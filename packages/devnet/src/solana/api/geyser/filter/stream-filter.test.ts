import { SlotStatus, type SubscribeUpdateBlock } from '@fairlead/grpc/geyser'
import { describe, expect, it } from 'vitest'
import type { SlotContent } from '../../../chain/solana-chain.ts'
import {
  address,
  key,
  matches,
  receive,
  slotOf,
  type RequestParts,
} from '../../../../../test/solana-updates.ts'
import { slotUpdate } from '../update/update.ts'
import {
  SubscribeUpdateAccountInfo,
  SubscribeUpdateBlockMeta,
  SubscribeUpdateEntry,
  SubscribeUpdateTransactionInfo,
} from '@fairlead/grpc/geyser'

const content: SlotContent = {
  slot: 7n,
  parent: 6n,
  accounts: [written('alice', 1n, 10), written('bob', 2n, 20), written('alice', 3n, 30)],
  transactions: [signedBy('alice', 0n), signedBy('bob', 1n)],
  entries: [SubscribeUpdateEntry.fromPartial({ slot: 7n, index: 0n })],
  meta: SubscribeUpdateBlockMeta.fromPartial({ slot: 7n, executedTransactionCount: 2n, entriesCount: 1n }),
}

describe('slots', () => {
  const told = (filter: object, commitment?: 0 | 1 | 2): string[] =>
    Object.entries(SlotStatus)
      .filter(([, status]) => matches({ slots: { mine: filter }, commitment }, slotUpdate(7n, 6n, status)))
      .map(([name]) => name)

  it('are told at all three levels whatever the level of the stream', () => {
    expect(told({}, 2)).toEqual(['SLOT_PROCESSED', 'SLOT_CONFIRMED', 'SLOT_FINALIZED'])
  })

  it('are told at the level of the stream alone with filter_by_commitment', () => {
    expect(told({ filterByCommitment: true })).toEqual(['SLOT_PROCESSED'])
    expect(told({ filterByCommitment: true }, 1)).toEqual(['SLOT_CONFIRMED'])
  })

  it('are told with all steps between by interslot_updates', () => {
    expect(told({ interslotUpdates: true })).toEqual(Object.keys(SlotStatus))
  })
})

describe('blocks', () => {
  const blocks = (request: RequestParts): SubscribeUpdateBlock[] =>
    slotOf(content)
      .flatMap((update) => receive(request, update))
      .map(({ updateOneof }) => updateOneof)
      .filter((update) => update?.$case === 'block')
      .map(({ value }) => value)

  it('have transactions, and neither accounts nor entries, unless the filter says so', () => {
    const [block] = blocks({ blocks: { mine: {} } })
    expect(block?.transactions).toHaveLength(2)
    expect(block).toMatchObject({ accounts: [], entries: [], updatedAccountCount: 2n, entriesCount: 1n })
  })

  it('have the last write of each account, and entries, where they are wanted', () => {
    const [block] = blocks({
      blocks: { mine: { includeTransactions: false, includeAccounts: true, includeEntries: true } },
    })
    expect(block?.transactions).toEqual([])
    expect(block?.accounts.map(({ writeVersion }) => writeVersion)).toEqual([2n, 3n])
    expect(block?.entries).toHaveLength(1)
  })

  it('are thinned by account_include, but always told', () => {
    const thinned = (name: string) =>
      blocks({ blocks: { mine: { accountInclude: [address(name)], includeAccounts: true } } })[0]
    expect(thinned('alice')?.transactions.map(({ index }) => index)).toEqual([0n])
    expect(thinned('alice')?.accounts.map(({ lamports }) => lamports)).toEqual([30n])
    expect(thinned('alice')).toMatchObject({ executedTransactionCount: 2n, updatedAccountCount: 2n })
    expect(thinned('nobody')).toMatchObject({ transactions: [], accounts: [] })
  })

  it('have their accounts cut by the slices of the request', () => {
    const [block] = blocks({
      blocks: { mine: { includeAccounts: true } },
      accountsDataSlice: [{ offset: 1n, length: 1n }],
    })
    expect(block?.accounts.map(({ data }) => [...data])).toEqual([[1], [1]])
  })

  it('come in one update for each filter', () => {
    const block = slotOf(content).find(({ kind }) => kind === 'block')
    const updates = block && receive({ blocks: { one: {}, two: { includeTransactions: false } } }, block)
    expect(updates?.map(({ filters }) => filters)).toEqual([['one'], ['two']])
  })
})

describe('a slot', () => {
  it('is told in the order of the streams', () => {
    const request = {
      accounts: { a: {} },
      transactions: { t: {} },
      entry: { e: {} },
      blocks: { b: {} },
      blocksMeta: { m: {} },
    }
    const updates = slotOf(content).flatMap((update) => receive(request, update))
    expect(updates.map(({ filters, updateOneof }) => `${filters.join()} ${updateOneof?.$case}`)).toEqual([
      'a account',
      'a account',
      'a account',
      't transaction',
      't transaction',
      'e entry',
      'b block',
      'm blockMeta',
    ])
  })

  it('says when the server made each update', () => {
    const before = BigInt(Date.now() - 1000) / 1000n
    const [update] = slotOf(content).flatMap((one) => receive({ blocksMeta: { m: {} } }, one))
    expect(update?.createdAt?.seconds).toBeGreaterThanOrEqual(before)
  })
})

describe('a request', () => {
  it('gets nothing when it is empty', () => {
    expect(slotOf(content).filter((update) => matches({}, update))).toEqual([])
  })

  it('may have names of up to 128 bytes', () => {
    const name = 'ä'.repeat(64)
    expect(() => matches({ slots: { [name]: {} } }, slotUpdate(7n, 6n, 0))).not.toThrow()
    expect(() => matches({ slots: { [`${name}.`]: {} } }, slotUpdate(7n, 6n, 0))).toThrow(
      'names in slots must have at most 128 bytes',
    )
  })

  it('must ask for a level that there is', () => {
    expect(() => matches({ commitment: 3 as 0 }, slotUpdate(7n, 6n, 0))).toThrow(
      'commitment must be PROCESSED, CONFIRMED or FINALIZED',
    )
  })
})

function written(name: string, writeVersion: bigint, lamports: number): SubscribeUpdateAccountInfo {
  return SubscribeUpdateAccountInfo.fromPartial({
    pubkey: key(name),
    lamports: BigInt(lamports),
    writeVersion,
    data: Uint8Array.of(0, 1, 2),
  })
}

function signedBy(name: string, index: bigint): SubscribeUpdateTransactionInfo {
  return SubscribeUpdateTransactionInfo.fromPartial({
    index,
    transaction: { message: { accountKeys: [key(name)] } },
  })
}
