import { CommitmentLevel } from '@fairlead/grpc/geyser'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { clientOf, type GeyserClient, type GrpcNetwork, startGrpcNetwork } from './grpc-network.ts'
import { createChainRecord, expectSame, readUpToNow } from './grpc-record.ts'
import { filtersOf, kindsOf, readStream, type ReadStream } from './grpc-streams.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const levels = [CommitmentLevel.PROCESSED, CommitmentLevel.CONFIRMED, CommitmentLevel.FINALIZED]

let network: GrpcNetwork
let direct: GeyserClient

beforeAll(async () => {
  network = await startGrpcNetwork({ solana: { secondsPerSlot: 0.4 } })
  direct = clientOf(network.chain.url, 'none')
})

afterAll(async () => {
  await direct?.disconnect()
  await network?.stop()
})

it('a hundred streams miss nothing and repeat nothing, whatever happens to those they come from', async () => {
  const { chain, gateway, upstream, downstream, token } = network
  const clients = Array.from({ length: 5 }, () =>
    clientOf(downstream.url, token, { keepaliveMs: 1_000, keepaliveTimeoutMs: 2_000 }),
  )
  const { slot: begun } = await direct.getSlot({ commitment: CommitmentLevel.FINALIZED })
  const records = levels.map((level) => createChainRecord(direct, level, begun))
  const streams = Array.from({ length: 100 }, (_, turn) => {
    const filters = { ...filtersOf(turn), commitment: levels[turn % levels.length] ?? 0 }
    const client = clients[turn % clients.length] as GeyserClient
    return readStream(client, { filters, kinds: kindsOf(filters), silentMs: 10_000 })
  })
  const failed = Promise.all(streams.map(({ ended }) => ended))
  const survive = async (what: string, accident: () => unknown) => {
    const before = streams.map(({ newest }) => newest)
    await accident()
    await Promise.race([failed, allAdvance(streams, before, what)])
    await readUpToNow(direct, records)
  }
  await survive('the beginning', () => undefined)
  const first = levels.map((level) => newestOf(streams, level))

  await survive('connections to the chain are cut', () => upstream.cut())
  for (const [what, victim] of [
    ['the chain is killed', chain],
    ['the gateway is killed', gateway],
  ] as const) {
    await survive(what, async () => {
      const before = streams.map(disconnections)
      await victim.kill()
      await Promise.race([failed, allNotice(streams, before, what)])
      await victim.start()
    })
  }
  await survive('connections to the gateway are cut', () => downstream.cut())
  await survive('connections to the gateway fall silent', () => downstream.swallow())
  await survive('the chain cannot be heard for a while', async () => {
    const { slot } = await direct.getSlot({ commitment: CommitmentLevel.PROCESSED })
    const release = upstream.hold()
    await vi.waitFor(
      async () => {
        const now = await direct.getSlot({ commitment: CommitmentLevel.PROCESSED })
        expect(now.slot).toBeGreaterThanOrEqual(slot + 7n)
      },
      { timeout: 40_000, interval: 50 },
    )
    release()
  })

  const last = levels.map((level) => newestOf(streams, level))
  await Promise.all(records.map((record, level) => record.readTo(last[level] ?? 0n)))
  await Promise.race([failed, allPass(streams, last)])
  await Promise.all(streams.map((stream) => stream.leave()))
  await failed
  let compared = 0
  for (const [index, { seen, commitment, kinds, notices, resumptions }] of streams.entries()) {
    const from = (first[commitment] ?? 0n) + 1n
    const to = last[commitment] ?? 0n
    const inside = seen.filter(({ slot }) => slot >= from && slot <= to)
    compared += inside.length
    const record = records[commitment]?.between(from, to, kinds) ?? []
    expectSame(
      inside.map(({ id }) => id),
      record,
      `stream ${index} at ${commitment}: ${kinds.join()}`,
    )
    expect(inside.map(({ slot }) => slot)).toEqual(inside.map(({ slot }) => slot).toSorted(byNumber))
    expect(notices.filter(({ kind }) => kind === 'gap' || kind === 'fork')).toEqual([])
    expect(resumptions.length).toBeGreaterThanOrEqual(4)
    // The last complete block, and the two above it that may be incomplete.
    for (const { fromSlot = 0n, newest } of resumptions) {
      expect(fromSlot).toBeGreaterThanOrEqual(newest - 3n)
      expect(fromSlot).toBeLessThanOrEqual(newest)
    }
  }
  expect(compared).toBeGreaterThan(10_000)
  await Promise.all(clients.map((client) => client.disconnect()))
})

function byNumber(one: bigint, other: bigint): number {
  return one < other ? -1 : Number(one > other)
}

function newestOf(streams: readonly ReadStream[], level: CommitmentLevel): bigint {
  return streams
    .filter(({ commitment }) => commitment === level)
    .map(({ newest }) => newest)
    .reduce((most, one) => (one > most ? one : most), 0n)
}

const disconnections = ({ notices }: ReadStream) =>
  notices.filter(({ kind }) => kind === 'disconnected').length

/** Waits until each stream has lost its connection once more. */
function allNotice(streams: readonly ReadStream[], before: readonly number[], what: string): Promise<void> {
  return vi.waitFor(
    () => {
      const unaware = streams.flatMap((stream, index) =>
        disconnections(stream) > (before[index] ?? 0) ? [] : [{ index, last: stream.notices.at(-1) }],
      )
      expect(unaware, what).toEqual([])
    },
    { timeout: 40_000, interval: 20 },
  )
}

/** Waits until each stream has advanced by two slots. */
function allAdvance(streams: readonly ReadStream[], before: readonly bigint[], what: string): Promise<void> {
  return vi.waitFor(
    () => {
      const late = streams.flatMap(({ newest, notices }, index) =>
        newest > (before[index] ?? 0n) + 2n ? [] : [{ index, newest, last: notices.at(-1) }],
      )
      expect(late, what).toEqual([])
    },
    { timeout: 40_000, interval: 50 },
  )
}

function allPass(streams: readonly ReadStream[], slots: readonly bigint[]): Promise<void> {
  return vi.waitFor(
    () => {
      const late = streams.filter(({ newest, commitment }) => newest <= (slots[commitment] ?? 0n))
      expect(late.length).toBe(0)
    },
    { timeout: 40_000, interval: 50 },
  )
}
