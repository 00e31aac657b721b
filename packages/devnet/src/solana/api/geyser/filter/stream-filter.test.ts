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
  const receivedStatuses = (filter: object, commitment?: 0 | 1 | 2): string[] =>
    Object.entries(SlotStatus)
      .filter(([, status]) => matches({ slots: { mine: filter }, commitment }, slotUpdate(7n, 6n, status)))
      .map(([name]) => name)

  it('are sent at all three levels, independent of the level of the stream', () => {
    expect(receivedStatuses({}, 2)).toEqual(['SLOT_PROCESSED', 'SLOT_CONFIRMED', 'SLOT_FINALIZED'])
  })

  it('are sent only at the level of the stream with filter_by_commitment', () => {
    expect(receivedStatuses({ filterByCommitment: true })).toEqual(['SLOT_PROCESSED'])
    expect(receivedStatuses({ filterByCommitment: true }, 1)).toEqual(['SLOT_CONFIRMED'])
  })

  it('are sent with all intermediate statuses with interslot_updates', () => {
    expect(receivedStatuses({ interslotUpdates: true })).toEqual(Object.keys(SlotStatus))
  })
})

describe('blocks', () => {
  const blocks = (request: RequestParts): SubscribeUpdateBlock[] =>
    slotOf(content)
      .flatMap((update) => receive(request, update))
      .map(({ updateOneof }) => updateOneof)
      .filter((update) => update?.$case === 'block')
      .map(({ value }) => value)

  it('have transactions but neither accounts nor entries by default', () => {
    const [block] = blocks({ blocks: { mine: {} } })
    expect(block?.transactions).toHaveLength(2)
    expect(block).toMatchObject({ accounts: [], entries: [], updatedAccountCount: 2n, entriesCount: 1n })
  })

  it('have the last write of each account, and entries, on request', () => {
    const [block] = blocks({
      blocks: { mine: { includeTransactions: false, includeAccounts: true, includeEntries: true } },
    })
    expect(block?.transactions).toEqual([])
    expect(block?.accounts.map(({ writeVersion }) => writeVersion)).toEqual([2n, 3n])
    expect(block?.entries).toHaveLength(1)
  })

  it('are always sent, with transactions and accounts selected by account_include', () => {
    const selected = (name: string) =>
      blocks({ blocks: { mine: { accountInclude: [address(name)], includeAccounts: true } } })[0]
    expect(selected('alice')?.transactions.map(({ index }) => index)).toEqual([0n])
    expect(selected('alice')?.accounts.map(({ lamports }) => lamports)).toEqual([30n])
    expect(selected('alice')).toMatchObject({ executedTransactionCount: 2n, updatedAccountCount: 2n })
    expect(selected('unknown')).toMatchObject({ transactions: [], accounts: [] })
  })

  it('have their accounts cut by the slices of the request', () => {
    const [block] = blocks({
      blocks: { mine: { includeAccounts: true } },
      accountsDataSlice: [{ offset: 1n, length: 1n }],
    })
    expect(block?.accounts.map(({ data }) => [...data])).toEqual([[1], [1]])
  })

  it('are sent in one update for each filter', () => {
    const block = slotOf(content).find(({ kind }) => kind === 'block')
    const updates = block && receive({ blocks: { one: {}, two: { includeTransactions: false } } }, block)
    expect(updates?.map(({ filters }) => filters)).toEqual([['one'], ['two']])
  })
})

describe('a slot', () => {
  it('is sent in the order of the streams', () => {
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

  it('has the creation time of each update', () => {
    const before = BigInt(Date.now() - 1000) / 1000n
    const [update] = slotOf(content).flatMap((slotEvent) => receive({ blocksMeta: { m: {} } }, slotEvent))
    expect(update?.createdAt?.seconds).toBeGreaterThanOrEqual(before)
  })
})

describe('a request', () => {
  it('receives no updates when it is empty', () => {
    expect(slotOf(content).filter((update) => matches({}, update))).toEqual([])
  })

  it('may have names of up to 128 bytes', () => {
    const name = 'ä'.repeat(64)
    expect(() => matches({ slots: { [name]: {} } }, slotUpdate(7n, 6n, 0))).not.toThrow()
    expect(() => matches({ slots: { [`${name}.`]: {} } }, slotUpdate(7n, 6n, 0))).toThrow(
      'names in slots must have at most 128 bytes',
    )
  })

  it('must have a valid commitment level', () => {
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
