import { CommitmentLevel } from '@fairlead/grpc/geyser'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { clientOf, type GeyserClient, type GrpcNetwork, startGrpcNetwork } from './grpc-network.ts'
import { createChainRecord, expectSame, readUpToNow } from './grpc-record.ts'
import { filtersOf, kindsOf, readStream, type ReadStream } from './grpc-streams.ts'

vi.setConfig({ testTimeout: 180_000 })

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

it('a hundred streams have no gaps and no duplicates through all faults', async () => {
  const { chain, gateway, upstream, downstream, token } = network
  const clients = Array.from({ length: 5 }, () =>
    clientOf(downstream.url, token, { keepaliveMs: 1_000, keepaliveTimeoutMs: 2_000 }),
  )
  const { slot: firstSlot } = await direct.getSlot({ commitment: CommitmentLevel.FINALIZED })
  const records = levels.map((level) => createChainRecord(direct, level, firstSlot))
  const streams = Array.from({ length: 100 }, (_, index) => {
    const filters = { ...filtersOf(index), commitment: levels[index % levels.length] ?? 0 }
    const client = clients[index % clients.length] as GeyserClient
    return readStream(client, { filters, kinds: kindsOf(filters), silentMs: 10_000 })
  })
  const failed = Promise.all(streams.map(({ done }) => done))
  const expectRecovery = async (label: string, inject: () => unknown) => {
    const before = streams.map(({ latest }) => latest)
    await inject()
    await Promise.race([failed, waitForAdvance(streams, before, label)])
    await readUpToNow(direct, records)
  }
  await expectRecovery('the beginning', () => undefined)
  const first = levels.map((level) => latestOf(streams, level))

  await expectRecovery('connections to the chain are cut', () => upstream.disconnect())
  for (const [label, killed] of [
    ['the chain is killed', chain],
    ['the gateway is killed', gateway],
  ] as const) {
    await expectRecovery(label, async () => {
      const before = streams.map(disconnections)
      await killed.kill()
      await Promise.race([failed, waitForDisconnects(streams, before, label)])
      await killed.start()
    })
  }
  await expectRecovery('connections to the gateway are cut', () => downstream.disconnect())
  await expectRecovery('connections to the gateway fall silent', () => downstream.blackhole())
  await expectRecovery('the chain cannot be heard for a while', async () => {
    const { slot } = await direct.getSlot({ commitment: CommitmentLevel.PROCESSED })
    const release = upstream.delay()
    await vi.waitFor(
      async () => {
        const current = await direct.getSlot({ commitment: CommitmentLevel.PROCESSED })
        expect(current.slot).toBeGreaterThanOrEqual(slot + 7n)
      },
      { timeout: 40_000, interval: 50 },
    )
    release()
  })

  const last = levels.map((level) => latestOf(streams, level))
  await Promise.all(records.map((record, level) => record.readTo(last[level] ?? 0n)))
  await Promise.race([failed, waitForSlots(streams, last)])
  await Promise.all(streams.map((stream) => stream.close()))
  await failed
  let compared = 0
  for (const [index, { received, commitment, kinds, notices, resumptions }] of streams.entries()) {
    const from = (first[commitment] ?? 0n) + 1n
    const lastSlot = last[commitment] ?? 0n
    const inside = received.filter(({ slot }) => slot >= from && slot <= lastSlot)
    compared += inside.length
    const record = records[commitment]?.between(from, lastSlot, kinds) ?? []
    expectSame(
      inside.map(({ id }) => id),
      record,
      `stream ${index} at ${commitment}: ${kinds.join()}`,
    )
    expect(inside.map(({ slot }) => slot)).toEqual(inside.map(({ slot }) => slot).toSorted(byNumber))
    expect(notices.filter(({ kind }) => kind === 'gap' || kind === 'fork')).toEqual([])
    expect(resumptions.length).toBeGreaterThanOrEqual(4)
    // The last complete block, and the two above it that may be incomplete.
    for (const { fromSlot = 0n, latest } of resumptions) {
      expect(fromSlot).toBeGreaterThanOrEqual(latest - 3n)
      expect(fromSlot).toBeLessThanOrEqual(latest)
    }
  }
  expect(compared).toBeGreaterThan(10_000)
  await Promise.all(clients.map((client) => client.disconnect()))
})

function byNumber(left: bigint, right: bigint): number {
  return left < right ? -1 : Number(left > right)
}

function latestOf(streams: readonly ReadStream[], level: CommitmentLevel): bigint {
  return streams
    .filter(({ commitment }) => commitment === level)
    .map(({ latest }) => latest)
    .reduce((max, slot) => (slot > max ? slot : max), 0n)
}

const disconnections = ({ notices }: ReadStream) =>
  notices.filter(({ kind }) => kind === 'disconnected').length

/** Waits until each stream has lost its connection once more. */
function waitForDisconnects(
  streams: readonly ReadStream[],
  before: readonly number[],
  label: string,
): Promise<void> {
  return vi.waitFor(
    () => {
      const connected = streams.flatMap((stream, index) =>
        disconnections(stream) > (before[index] ?? 0) ? [] : [{ index, last: stream.notices.at(-1) }],
      )
      expect(connected, label).toEqual([])
    },
    { timeout: 40_000, interval: 20 },
  )
}

/** Waits until each stream has advanced by two slots. */
function waitForAdvance(
  streams: readonly ReadStream[],
  before: readonly bigint[],
  label: string,
): Promise<void> {
  return vi.waitFor(
    () => {
      const lagging = streams.flatMap(({ latest, notices }, index) =>
        latest > (before[index] ?? 0n) + 2n ? [] : [{ index, latest, last: notices.at(-1) }],
      )
      expect(lagging, label).toEqual([])
    },
    { timeout: 40_000, interval: 50 },
  )
}

function waitForSlots(streams: readonly ReadStream[], slots: readonly bigint[]): Promise<void> {
  return vi.waitFor(
    () => {
      const lagging = streams.filter(({ latest, commitment }) => latest <= (slots[commitment] ?? 0n))
      expect(lagging.length).toBe(0)
    },
    { timeout: 40_000, interval: 50 },
  )
}
