import { CommitmentLevel, SubscribeRequest } from '@fairlead/grpc/geyser'
import { toSubscribeRequest } from '@fairlead/grpc/solana'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { clientOf, type GeyserClient, type GrpcNetwork, startGrpcNetwork } from './grpc-network.ts'
import { createChainRecord, expectSame, readUpToNow } from './grpc-record.ts'
import { filtersOf, kindsOf } from './grpc-streams.ts'
import { type ReceivedItem, itemOf } from './grpc-update.ts'

vi.setConfig({ testTimeout: 180_000 })

const levels = [CommitmentLevel.PROCESSED, CommitmentLevel.CONFIRMED, CommitmentLevel.FINALIZED]
const patience = { timeout: 60_000, interval: 50 }

let network: GrpcNetwork
let direct: GeyserClient

beforeAll(async () => {
  network = await startGrpcNetwork({ solana: { secondsPerSlot: 0.4 }, upstreamCount: 2 })
  direct = clientOf(network.chain.url, 'none')
})

afterAll(async () => {
  await direct?.disconnect()
  await network?.stop()
})

/** A subscription of a client without fault handling: it ends at the first fault. */
function plainStream(client: GeyserClient, index: number) {
  const commitment = levels[index % levels.length] ?? 0
  const filters = { ...filtersOf(index), commitment }
  const received: ReceivedItem[] = []
  let latest = 0n
  let fault: unknown
  const left = new AbortController()
  async function* requests() {
    yield toSubscribeRequest(filters)
    // Every other client sends pings, and keeps the request side open.
    if (index % 2 === 0) return
    for (let id = 1; !left.signal.aborted; id++) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      yield SubscribeRequest.fromPartial({ ping: { id } })
    }
  }
  const readAll = async () => {
    for await (const update of client.subscribe(requests(), { signal: left.signal })) {
      const item = itemOf(update)
      if (!item) continue
      received.push(item)
      if (item.slot > latest) latest = item.slot
    }
    throw new Error('The stream has ended.')
  }
  const ended = readAll().catch((error: unknown) => {
    if (!left.signal.aborted) fault = error
  })
  return {
    commitment,
    kinds: kindsOf(filters),
    received,
    get latest() {
      return latest
    },
    get fault() {
      return fault
    },
    leave: async () => {
      left.abort()
      await ended
    },
  }
}

it('a plain client has no gaps and no duplicates when upstreams fail', async () => {
  const { downstream, upstreams, token } = network
  const client = clientOf(downstream.url, token)
  const { slot: firstSlot } = await direct.getSlot({ commitment: CommitmentLevel.FINALIZED })
  const records = levels.map((level) => createChainRecord(direct, level, firstSlot))
  const streams = Array.from({ length: 15 }, (_, index) => plainStream(client, index))
  const advance = async (label: string) => {
    const before = streams.map(({ latest }) => latest)
    await vi.waitFor(() => {
      expect(streams.map(({ fault }) => fault).filter(Boolean), label).toEqual([])
      for (const [index, { latest }] of streams.entries()) {
        expect(latest, label).toBeGreaterThan((before[index] ?? 0n) + 3n)
      }
    }, patience)
    await readUpToNow(direct, records)
  }
  await advance('the beginning')
  const first = streams.map(({ latest }) => latest)
  for (const index of [0, 1, 0]) {
    upstreams[index]?.disconnect()
    await advance(`the upstreams of position ${index} are cut`)
  }
  for (const relay of upstreams) relay.disconnect()
  await advance('both are cut')
  for (const relay of upstreams) relay.blackhole()
  await advance('all connections fall silent')
  const last = levels.map((level) =>
    streams
      .filter(({ commitment }) => commitment === level)
      .reduce((max, { latest }) => (latest > max ? latest : max), 0n),
  )
  await Promise.all(records.map((record, level) => record.readTo(last[level] ?? 0n)))
  await vi.waitFor(() => {
    for (const { latest, commitment } of streams) expect(latest).toBeGreaterThan(last[commitment] ?? 0n)
  }, patience)
  await Promise.all(streams.map((stream) => stream.leave()))
  let compared = 0
  for (const [index, { received, commitment, kinds }] of streams.entries()) {
    const from = (first[index] ?? 0n) + 1n
    const to = last[commitment] ?? 0n
    const inside = received.filter(({ slot }) => slot >= from && slot <= to)
    compared += inside.length
    const record = records[commitment]?.between(from, to, kinds) ?? []
    expectSame(
      inside.map(({ id }) => id),
      record,
      `stream ${index} at ${commitment}: ${kinds.join()}`,
    )
  }
  expect(compared).toBeGreaterThan(1_000)
  await client.disconnect()
})
