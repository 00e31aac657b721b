import { SlotStatus } from '@fairlead/grpc/geyser'
import { generateKeyPairSigner } from '@solana/kit'
import { expect, test } from 'vitest'
import { hex, keyOf, record, sol, startChain } from '../../../test/solana.ts'
import type { EmbeddedSolanaChain } from './embedded-solana-chain.ts'
import type { ChainEvent } from './solana-chain.ts'

const statusesOf = (events: readonly ChainEvent[], slot: bigint) =>
  events.flatMap((event) => (event.kind === 'status' && event.slot === slot ? [event.status] : []))

/** Produces slots until one on a losing branch is in progress. */
function advanceTo(chain: EmbeddedSolanaChain, rest: bigint): bigint {
  while (chain.pendingSlot.slot % 32n !== rest) chain.makeSlot()
  return chain.pendingSlot.slot
}

test.each([
  ['dies before it is complete', 0n, [SlotStatus.SLOT_DEAD]],
  ['is complete and left by all', 16n, [SlotStatus.SLOT_COMPLETED, SlotStatus.SLOT_PROCESSED]],
])('a slot that %s has no effect except its transactions in the next slot', async (_, rest, statuses) => {
  const chain = await startChain({ branching: true, finalityBlocks: 3 })
  const losingSlot = advanceTo(chain, rest)
  const parent = chain.tip(0)
  const to = await generateKeyPairSigner()
  const events = record(chain)
  const first = await chain.airdrop(keyOf(to.address), sol)
  const second = await chain.airdrop(keyOf(to.address), 2n * sol)
  expect(chain.account(keyOf(to.address))?.lamports).toBe(3n * sol)
  expect(chain.statusOf(first)).toMatchObject({ slot: losingSlot, commitment: 0 })
  chain.makeSlot()

  // The next slot has the same parent, and begins with the transactions of the lost one.
  const under = chain.pendingSlot
  expect(under).toMatchObject({ slot: losingSlot + 1n, parent: parent.slot })
  expect(under.transactions.map(({ signature }) => hex(signature))).toEqual([first, second].map(hex))
  expect(chain.tip(0)).toEqual(parent)
  expect(chain.statusOf(first)).toMatchObject({ slot: losingSlot + 1n, commitment: 0 })
  expect(chain.account(keyOf(to.address))?.lamports).toBe(3n * sol)
  const transactions = events.flatMap((event) => (event.kind === 'transaction' ? [event] : []))
  expect(transactions.map(({ slot }) => slot)).toEqual([
    losingSlot,
    losingSlot,
    losingSlot + 1n,
    losingSlot + 1n,
  ])
  expect(transactions[2]?.transaction.meta).toEqual(transactions[0]?.transaction.meta)
  const version = (position: number) => transactions[position]?.accounts[0]?.writeVersion ?? 0n
  expect(version(2)).toBeGreaterThan(version(1))

  for (let slot = 0; slot < 5; slot++) chain.makeSlot()
  expect(statusesOf(events, losingSlot)).toEqual(statuses)
  expect(statusesOf(events, losingSlot + 1n).at(-1)).toBe(SlotStatus.SLOT_FINALIZED)
  expect(chain.slotsFrom(parent.slot, 0).map(({ slot }) => slot - losingSlot)).toEqual([
    -1n,
    1n,
    2n,
    3n,
    4n,
    5n,
  ])
  const [, next] = chain.slotsFrom(parent.slot, 0)
  expect(next?.meta).toMatchObject({
    parentSlot: parent.slot,
    parentBlockhash: parent.blockhash,
    blockHeight: { blockHeight: parent.blockHeight + 1n },
  })
})

test('without branching every slot is followed by the next', async () => {
  const chain = await startChain()
  for (let slot = 0; slot < 40; slot++) chain.makeSlot()
  const slots = chain.slotsFrom(1n, 0)
  expect(slots.every(({ slot, parent }) => slot === parent + 1n)).toBe(true)
})
