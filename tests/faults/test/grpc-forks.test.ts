import { CommitmentLevel } from '@fairlead/grpc/geyser'
import type { ForkNotice } from '@fairlead/grpc/solana'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type StandaloneChain, clientOf, type GeyserClient, startStandaloneChain } from './grpc-network.ts'
import { createChainRecord, expectSame } from './grpc-record.ts'
import { kindsOf, type ReadStream, readStream } from './grpc-streams.ts'

vi.setConfig({ testTimeout: 180_000 })

// On this chain every sixteenth slot is abandoned: either half-way, or after it is complete.
const branchEvery = 16n
// After this many blocks, an active stream has reported the fork.
const finalAfter = 40n
const commitment = CommitmentLevel.PROCESSED
const filters = { transactions: { all: {} }, blocksMeta: { all: {} }, entry: { all: {} }, commitment }

let standalone: StandaloneChain
let direct: GeyserClient

beforeAll(async () => {
  standalone = await startStandaloneChain({ secondsPerSlot: 0.15, branching: true })
  direct = clientOf(standalone.chain.url, 'none')
})

afterAll(async () => {
  await direct?.disconnect()
  await standalone?.stop()
})

const waitForSlot = (stream: ReadStream, slot: bigint) =>
  vi.waitFor(() => expect(stream.latest).toBeGreaterThanOrEqual(slot), { timeout: 60_000, interval: 1 })

const forksOf = ({ notices }: ReadStream) =>
  notices.filter((notice): notice is ForkNotice => notice.kind === 'fork')

/** The abandoned slots of which a stream has received updates, in order. */
const lostIn = ({ received }: ReadStream, last: bigint) => {
  const slots = received.map(({ slot }) => slot).filter((slot) => slot % branchEvery === 0n && slot <= last)
  return [...new Set(slots)].toSorted(byNumber)
}

const byNumber = (left: bigint, right: bigint) => Number(left - right)

it('reports lost slots during a stream', async () => {
  const client = clientOf(standalone.upstream.url, 'none')
  const stream = readStream(client, { filters, kinds: kindsOf(filters) })
  await waitForSlot(stream, 1n)
  // Two of each kind.
  const last = stream.latest + 4n * branchEvery
  await waitForSlot(stream, last + finalAfter)
  await stream.close()
  await stream.done

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

it('reports slots that were lost while a stream was disconnected, and delivers all of the others', async () => {
  const { upstream } = standalone
  const client = clientOf(upstream.url, 'none')
  const stream = readStream(client, { filters, kinds: kindsOf(filters) })
  await waitForSlot(stream, 1n)
  const firstSlot = stream.latest
  const record = createChainRecord(direct, commitment, firstSlot + 1n)
  for (let attempt = 0; attempt < 4; attempt++) {
    const slot = (stream.latest / branchEvery + 1n) * branchEvery
    // Within the abandoned slot, or when the chain has continued without it.
    await waitForSlot(stream, attempt < 2 ? slot : slot + 1n)
    upstream.disconnect()
    await waitForSlot(stream, slot + 5n)
  }
  const last = stream.latest
  await waitForSlot(stream, last + finalAfter)
  await record.readTo(last)
  await stream.close()
  await stream.done

  const forks = forksOf(stream).filter(({ slot }) => slot <= last)
  expect(forks.map(({ slot }) => slot).toSorted(byNumber)).toEqual(lostIn(stream, last))
  for (const { blockhash } of forks) expect(blockhash).toBeUndefined()
  const canonicalItems = stream.received.filter(
    ({ slot }) => slot > firstSlot && slot <= last && slot % branchEvery !== 0n,
  )
  expectSame(
    canonicalItems.map(({ id }) => id),
    record.between(firstSlot + 1n, last, stream.kinds),
    'the stream',
  )
  await client.disconnect()
})
