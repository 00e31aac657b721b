import { createHash } from 'node:crypto'
import { SlotStatus } from '@fairlead/grpc/geyser'
import { generateKeyPairSigner, getBase58Decoder, address } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { expect, test } from 'vitest'
import {
  fundedSigner,
  hex,
  keyOf,
  record,
  rejectionOf,
  signed,
  sol,
  startChain,
} from '../../../test/solana.ts'
import type { ChainEvent } from './solana-chain.ts'

const names: Record<number, string> = Object.fromEntries(
  Object.entries(SlotStatus).map(([name, number]) => [number, name.slice('SLOT_'.length)]),
)
const describeEvent = (event: ChainEvent) => {
  if (event.kind === 'status') return `${names[event.status]} ${event.slot}`
  if (event.kind === 'slot-made') return `made ${event.content.slot}`
  return event.kind
}
const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

test('reports a slot in order, and each commitment level that it reaches', async () => {
  const chain = await startChain({ finalityBlocks: 3 })
  const start = chain.pendingSlot.slot
  const events = record(chain)
  await fundedSigner(chain)
  chain.makeSlot()
  chain.makeSlot()
  expect(events.map(describeEvent)).toEqual([
    'transaction',
    'entry',
    'entry',
    'accounts',
    `COMPLETED ${start}`,
    `made ${start}`,
    `PROCESSED ${start}`,
    `CONFIRMED ${start - 1n}`,
    `FINALIZED ${start - 3n}`,
    `FIRST_SHRED_RECEIVED ${start + 1n}`,
    `CREATED_BANK ${start + 1n}`,
    'accounts',
    'entry',
    `COMPLETED ${start + 1n}`,
    `made ${start + 1n}`,
    `PROCESSED ${start + 1n}`,
    `CONFIRMED ${start}`,
    `FINALIZED ${start - 2n}`,
    `FIRST_SHRED_RECEIVED ${start + 2n}`,
    `CREATED_BANK ${start + 2n}`,
    'accounts',
  ])
  const [processed, confirmed, finalized] = ([0, 1, 2] as const).map((level) => chain.tip(level).slot)
  expect([processed, confirmed, finalized]).toEqual([start + 1n, start, start - 2n])
})

test('each slot has its parent, and its hashes continue those of the parent', async () => {
  const chain = await startChain()
  const payer = await fundedSigner(chain)
  chain.makeSlot()
  const slots = chain.slotsFrom(1n, 0)
  expect(slots.length).toBeGreaterThan(5)
  for (const [position, { slot, parent, meta, entries, transactions }] of slots.entries()) {
    const before = slots[position - 1]
    if (before !== undefined) {
      expect(parent).toBe(before.slot)
      expect(meta.parentBlockhash).toBe(before.meta.blockhash)
      expect(meta.blockHeight?.blockHeight).toBe((before.meta.blockHeight?.blockHeight ?? 0n) + 1n)
    }
    expect(meta).toMatchObject({ slot, parentSlot: parent, entriesCount: BigInt(entries.length) })
    expect(meta.executedTransactionCount).toBe(BigInt(transactions.length))
    expect(entries.reduce((sum, entry) => sum + entry.executedTransactionCount, 0n)).toBe(
      BigInt(transactions.length),
    )
    let hash: Uint8Array = keyOf(meta.parentBlockhash)
    for (const entry of entries) {
      for (let step = 1n; step < entry.numHashes; step++) hash = sha256(hash)
      const signatures = transactions[Number(entry.startingTransactionIndex)]?.transaction?.signatures ?? []
      const isTick = entry.executedTransactionCount === 0n
      if (!isTick && signatures.length !== 1) break
      hash = isTick ? sha256(hash) : sha256(hash, sha256(Uint8Array.of(0), signatures[0] ?? hash))
      expect(hex(entry.hash)).toBe(hex(hash))
    }
    expect(meta.blockhash).toBe(getBase58Decoder().decode(entries.at(-1)?.hash ?? hash))
  }
  expect(slots.at(-1)?.transactions.map(({ index }) => index)).toEqual([0n])
  expect(chain.account(keyOf(payer.address))?.lamports).toBe(10n * sol)
})

test('the leader receives half of the base fees and all priority fees', async () => {
  const chain = await startChain()
  const payer = await fundedSigner(chain)
  chain.makeSlot()
  // A limit of 1,000,000 units at 3 lamports per thousand.
  const programAddress = address('ComputeBudget111111111111111111111111111111')
  const instructions = [
    { programAddress, data: Uint8Array.of(2, 0x40, 0x42, 0x0f, 0) },
    { programAddress, data: Uint8Array.of(3, 0xb8, 0x0b, 0, 0, 0, 0, 0, 0) },
  ]
  await chain.send(await signed(chain, payer, instructions))
  const events = record(chain)
  chain.makeSlot()
  const { meta, transactions, accounts } = chain.slotsFrom(chain.tip(0).slot, 0)[0] ?? {}
  expect(transactions?.[0]?.meta?.fee).toBe(5_000n + 3_000n)
  const [reward] = meta?.rewards?.rewards ?? []
  expect(reward).toMatchObject({ lamports: 2_500n + 3_000n, rewardType: 1 })
  const leader = chain.account(keyOf(reward?.pubkey ?? ''))
  expect(leader?.lamports).toBe(reward?.postBalance)
  expect(accounts?.at(-1)).toMatchObject({ pubkey: leader?.pubkey, lamports: reward?.postBalance })
  const accountsEvent = events.find((event) => event.kind === 'accounts')
  expect(accountsEvent).toMatchObject({ accounts: [{ pubkey: leader?.pubkey }] })
  expect(accounts?.at(-1)).not.toHaveProperty('txnSignature')
})

test('a blockhash is valid for 150 blocks, and a transaction is included only once', async () => {
  const chain = await startChain()
  const payer = await fundedSigner(chain)
  const { blockhash, blockHeight } = chain.tip(0)
  const transfer = (amount: bigint) =>
    signed(chain, payer, [getTransferSolInstruction({ source: payer, destination: payer.address, amount })], {
      blockhash,
    })
  const first = await transfer(1n)
  await chain.send(first)
  expect(await rejectionOf(chain.send(first, { skipPreflight: true }))).toBe('06000000')
  // A known signature does not match another transaction.
  const forged = await transfer(2n)
  forged.set(first.subarray(1, 65), 1)
  expect(await rejectionOf(chain.send(forged))).toBe('0c000000')
  expect(hex(chain.simulate(forged, { verifySignatures: true }).err)).toBe('0c000000')
  for (let block = 0; block < 150; block++) chain.makeSlot()
  expect(chain.tip(0).blockHeight).toBe(blockHeight + 150n)
  expect(chain.isBlockhashValid(blockhash, 0)).toBe(true)
  expect(await rejectionOf(chain.send(first))).toBe('06000000')
  await chain.send(await transfer(2n))
  chain.makeSlot()
  expect(chain.isBlockhashValid(blockhash, 0)).toBe(false)
  expect(chain.isBlockhashValid(blockhash, 2)).toBe(true)
  expect(await rejectionOf(chain.send(await transfer(3n)))).toBe('07000000')
  expect(hex(chain.simulate(await transfer(3n)).err)).toBe('07000000')
  expect(chain.firstAvailableSlot).toBe(chain.tip(0).slot - 149n)
  expect(chain.slotsFrom(0n, 0)).toHaveLength(150)
})

test('neither a rejected transaction nor a simulation changes the chain', async () => {
  const chain = await startChain()
  const payer = await fundedSigner(chain)
  const events = record(chain)
  const transfer = (amount: bigint) =>
    signed(chain, payer, [getTransferSolInstruction({ source: payer, destination: payer.address, amount })])
  const forged = await transfer(1n)
  forged[10] = (forged[10] ?? 0) ^ 1
  expect(await rejectionOf(chain.send(forged, { skipPreflight: true }))).toBe('0c000000')
  expect(hex(chain.simulate(forged, { verifySignatures: true }).err)).toBe('0c000000')
  expect(chain.simulate(forged)).toMatchObject({
    err: undefined,
    unitsConsumed: 150n,
    logs: [expect.any(String), expect.any(String)],
  })
  // The preflight rejects it; without preflight it would have paid the fee.
  expect(await rejectionOf(chain.send(await transfer(100n * sol)))).toBe('08000000001900000001000000')
  for (const malformed of [new Uint8Array(), forged.subarray(0, 100), Buffer.concat([forged, forged])]) {
    expect(await rejectionOf(chain.send(malformed))).toBe('0e000000')
    expect(hex(chain.simulate(malformed).err)).toBe('0e000000')
  }
  expect(events).toEqual([])
  expect(chain.account(keyOf(payer.address))?.lamports).toBe(10n * sol)
  await chain.send(await transfer(1n))
  expect(events.map(({ kind }) => kind)).toEqual(['transaction', 'entry'])
})

test('the status of a transaction follows its slot', async () => {
  const chain = await startChain({ finalityBlocks: 3 })
  const to = await generateKeyPairSigner()
  const signature = await chain.airdrop(keyOf(to.address), sol)
  const { slot } = chain.pendingSlot
  const levels = [0, 0, 1, 1, 2].map((_, made) => {
    if (made > 0) chain.makeSlot()
    return chain.statusOf(signature)
  })
  expect(levels).toEqual([0, 0, 1, 1, 2].map((commitment) => ({ slot, err: undefined, commitment })))
  expect(chain.statusOf(new Uint8Array(64))).toBeUndefined()
})

test('programs can read the slot and the time', async () => {
  const chain = await startChain()
  chain.makeSlot()
  const clock = chain.account(keyOf('SysvarC1ock11111111111111111111111111111111'))
  const data = Buffer.from(clock?.data ?? [])
  expect(data.readBigUInt64LE(0)).toBe(chain.pendingSlot.slot)
  expect(Math.abs(Number(data.readBigInt64LE(32)) - Date.now() / 1_000)).toBeLessThan(60)
  expect(chain.pendingSlot.accounts).toMatchObject([{ pubkey: clock?.pubkey, data: clock?.data }])
})
