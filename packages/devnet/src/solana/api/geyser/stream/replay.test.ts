import type { SubscribeUpdate } from '@fairlead/grpc/geyser'
import { expect, it } from 'vitest'
import { replayUpdates } from './broadcast.ts'
import { serveSolana, UpdateStream, type ServedSolana } from '../../../../../test/solana-api.ts'
import { key, type RequestParts } from '../../../../../test/solana-updates.ts'

const allUpdates: RequestParts = {
  accounts: { a: {} },
  transactions: { t: {} },
  transactionsStatus: { ts: {} },
  entry: { e: {} },
  blocks: { b: {} },
  blocksMeta: { m: {} },
  slots: { s: {} },
}

it.each([
  ['PROCESSED', 0],
  ['CONFIRMED', 1],
  ['FINALIZED', 2],
] as const)(
  'continues with live updates without a gap or a duplicate at the level %s',
  async (_name, commitment) => {
    const served = await serveSolana({ finalityBlocks: 8 })
    const { chain, transport } = served
    const request = { ...allUpdates, commitment }
    const liveKeys = collect(await UpdateStream.open(transport, request))
    await makeSlots(served, 20)
    const streams: { fromSlot: bigint; keys: string[] }[] = []
    for (let round = 0; round < 24; round++) {
      // Occasionally between two transactions of a slot.
      await chain.airdrop(key('alice'), 1_000_000n)
      const fromSlot = chain.pendingSlot.slot - BigInt(round % 20)
      const stream = new UpdateStream(transport)
      void stream.send({ ...request, fromSlot })
      streams.push({ fromSlot, keys: collect(stream) })
      await makeSlots(served, 1 + (round % 2))
    }
    const lastSlot = chain.pendingSlot.slot - 1n
    await makeSlots(served, 12)
    const seen = (keys: readonly string[], fromSlot: bigint) =>
      keys.filter((entryKey) => isBetween(entryKey, fromSlot, lastSlot)).toSorted()
    await expect
      .poll(() => liveKeys.some((entryKey) => entryKey === `${lastSlot} status 2`), { timeout: 20_000 })
      .toBe(true)
    for (const { fromSlot, keys } of streams) {
      await expect.poll(() => keys.includes(`${lastSlot} status 2`), { timeout: 20_000 }).toBe(true)
      expect(seen(keys, fromSlot)).toEqual(seen(liveKeys, fromSlot))
      expect(new Set(keys).size).toBe(keys.length)
    }
    expect(streams.reduce((sum, { keys }) => sum + keys.length, 0)).toBeGreaterThan(5_000)
  },
  60_000,
)

async function makeSlots({ chain }: ServedSolana, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    for (let sent = 0; sent < 3; sent++) {
      await chain.airdrop(key(`account ${sent}`), 1_000_000n)
      await new Promise((resolve) => setImmediate(resolve))
    }
    chain.makeSlot()
  }
}

// Collects the received updates, one text for each.
function collect(stream: UpdateStream): string[] {
  const keys: string[] = []
  const read = async (): Promise<void> => {
    for (let update = await stream.next(); update !== undefined; update = await stream.next())
      keys.push(describe(update))
  }
  read().catch((error: unknown) => keys.push(`0 ${String(error)}`))
  return keys
}

function describe({ updateOneof }: SubscribeUpdate): string {
  switch (updateOneof?.$case) {
    case 'account':
      return `${updateOneof.value.slot} account ${updateOneof.value.account?.writeVersion}`
    case 'transaction':
      return `${updateOneof.value.slot} transaction ${updateOneof.value.transaction?.index}`
    case 'transactionStatus':
      return `${updateOneof.value.slot} transaction status ${updateOneof.value.index}`
    case 'entry':
      return `${updateOneof.value.slot} entry ${updateOneof.value.index}`
    case 'block':
      return `${updateOneof.value.slot} block`
    case 'blockMeta':
      return `${updateOneof.value.slot} block meta`
    case 'slot':
      return `${updateOneof.value.slot} status ${updateOneof.value.status}`
    case 'ping':
    case 'pong':
    case undefined:
    default:
      return '0 nothing of a slot'
  }
}

function isBetween(text: string, first: bigint, last: bigint): boolean {
  const slot = BigInt(text.split(' ', 1)[0] ?? '')
  return slot >= first && slot <= last
}

it('omits updates of a losing branch', async () => {
  const served = await serveSolana({ branching: true, finalityBlocks: 4 })
  const { chain, transport } = served
  const fromSlot = chain.pendingSlot.slot
  const request = { blocksMeta: { m: {} }, transactions: { t: {} }, slots: { s: { interslotUpdates: true } } }
  const live = collect(await UpdateStream.open(transport, request))
  await makeSlots(served, 70)
  const lastSlot = chain.tip(2).slot
  const isComplete = (keys: readonly string[]) => keys.includes(`${lastSlot} status 2`)
  await expect.poll(() => isComplete(live)).toBe(true)
  const deadSlots = live
    .filter((entryKey) => entryKey.endsWith(' status 6'))
    .map((entryKey) => entryKey.split(' ', 1)[0])
  expect(deadSlots.length).toBeGreaterThan(0)
  for (const commitment of [0, 1, 2] as const) {
    const keys = collect(await UpdateStream.open(transport, { ...request, commitment, fromSlot }))
    await expect.poll(() => isComplete(keys)).toBe(true)
    const blocks = keys.filter((entryKey) => entryKey.endsWith('block meta'))
    const onChain = chain.slotsFrom(fromSlot, commitment).map(({ slot }) => `${slot} block meta`)
    expect(blocks).toEqual(onChain)
    expect(blocks.filter((entryKey) => deadSlots.includes(entryKey.split(' ', 1)[0]))).toEqual([])
  }
})

it('contains the updates up to its creation, however late it is read', async () => {
  const { chain } = await serveSolana()
  await chain.airdrop(key('alice'), 1_000_000n)
  const { slot } = chain.pendingSlot
  const replay = replayUpdates(chain, slot, 0)
  const expected = [...replayUpdates(chain, slot, 0)].map(({ kind }) => kind)
  await chain.airdrop(key('bob'), 1_000_000n)
  chain.makeSlot()
  expect([...replay].map(({ kind }) => kind)).toEqual(expected)
  expect(expected).toContain('transaction')
})
