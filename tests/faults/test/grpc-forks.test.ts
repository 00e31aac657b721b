import { CommitmentLevel } from '@fairlead/grpc/geyser'
import type { ForkNotice } from '@fairlead/grpc/solana'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type ChainAlone, clientOf, type GeyserClient, startChainAlone } from './grpc-network.ts'
import { createChainRecord, expectSame } from './grpc-record.ts'
import { kindsOf, type ReadStream, readStream } from './grpc-streams.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

// On this chain every sixteenth slot is abandoned: either half-way, or after it is complete.
const branchEvery = 16n
// After this many blocks, an active stream has reported the fork.
const finalAfter = 40n
const commitment = CommitmentLevel.PROCESSED
const filters = { transactions: { all: {} }, blocksMeta: { all: {} }, entry: { all: {} }, commitment }

let alone: ChainAlone
let direct: GeyserClient

beforeAll(async () => {
  alone = await startChainAlone({ secondsPerSlot: 0.15, branching: true })
  direct = clientOf(alone.chain.url, 'none')
})

afterAll(async () => {
  await direct?.disconnect()
  await alone?.stop()
})

const reach = (stream: ReadStream, slot: bigint) =>
  vi.waitFor(() => expect(stream.newest).toBeGreaterThanOrEqual(slot), { timeout: 60_000, interval: 1 })

const forksOf = ({ notices }: ReadStream) =>
  notices.filter((notice): notice is ForkNotice => notice.kind === 'fork')

/** The abandoned slots of which a stream has received updates, in order. */
const lostIn = ({ seen }: ReadStream, last: bigint) => {
  const slots = seen.map(({ slot }) => slot).filter((slot) => slot % branchEvery === 0n && slot <= last)
  return [...new Set(slots)].toSorted(byNumber)
}

const byNumber = (one: bigint, other: bigint) => Number(one - other)

it('tells which slots were lost while a stream holds', async () => {
  const client = clientOf(alone.upstream.url, 'none')
  const stream = readStream(client, { filters, kinds: kindsOf(filters) })
  await reach(stream, 1n)
  // Two of each kind.
  const last = stream.newest + 4n * branchEvery
  await reach(stream, last + finalAfter)
  await stream.leave()
  await stream.ended

  expect(stream.resumptions).toEqual([])
  const forks = forksOf(stream).filter(({ slot }) => slot <= last)
  const lost = lostIn(stream, last)
  expect(lost.length).toBeGreaterThanOrEqual(2)
  expect(forks.map(({ slot }) => slot)).toEqual(lost)
  for (const { slot, blockhash, previousBlockhash } of forks) {
    expect(blockhash).toBeUndefined()
    expect(previousBlockhash === undefined).toBe((slot / branchEvery) % 2n === 0n)
  }
  await client.disconnect()
})

it('tells which slots were lost while a stream was away, and brings all of those that stayed', async () => {
  const { upstream } = alone
  const client = clientOf(upstream.url, 'none')
  const stream = readStream(client, { filters, kinds: kindsOf(filters) })
  await reach(stream, 1n)
  const begun = stream.newest
  const record = createChainRecord(direct, commitment, begun + 1n)
  for (let turn = 0; turn < 4; turn++) {
    const slot = (stream.newest / branchEvery + 1n) * branchEvery
    // Within the abandoned slot, or when the chain has continued without it.
    await reach(stream, turn < 2 ? slot : slot + 1n)
    upstream.cut()
    await reach(stream, slot + 5n)
  }
  const last = stream.newest
  await reach(stream, last + finalAfter)
  await record.readTo(last)
  await stream.leave()
  await stream.ended

  const forks = forksOf(stream).filter(({ slot }) => slot <= last)
  expect(forks.map(({ slot }) => slot).toSorted(byNumber)).toEqual(lostIn(stream, last))
  for (const { blockhash } of forks) expect(blockhash).toBeUndefined()
  const stayed = stream.seen.filter(({ slot }) => slot > begun && slot <= last && slot % branchEvery !== 0n)
  expectSame(
    stayed.map(({ id }) => id),
    record.between(begun + 1n, last, stream.kinds),
    'the stream',
  )
  await client.disconnect()
})
