import { FairleadError, Status } from '@fairlead/grpc'
import { CommitmentLevel, SubscribeRequest, type SubscribeUpdate } from '@fairlead/grpc/geyser'
import { frameMessage } from '@fairlead/grpc-transport'
import { type ClientHttp2Stream, connect } from 'node:http2'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { clientOf, type GeyserClient, type GrpcNetwork, startGrpcNetwork } from './grpc-network.ts'
import { createChainRecord, expectSame } from './grpc-record.ts'
import { filtersOf, kindsOf, readStream, type ReadStream } from './grpc-streams.ts'

vi.setConfig({ testTimeout: 180_000 })

// Each filter delivers every block once more, which adds up to some megabytes per second.
const names = Array.from({ length: 240 }, (_, index) => `block${index}`)
const heavy = {
  blocks: Object.fromEntries(
    names.map((name) => [name, { accountInclude: [], includeAccounts: true, includeEntries: true }]),
  ),
}

let network: GrpcNetwork
let direct: GeyserClient

beforeAll(async () => {
  network = await startGrpcNetwork({ solana: { secondsPerSlot: 0.2 } })
  direct = clientOf(network.chain.url, 'none')
})

afterAll(async () => {
  await direct?.disconnect()
  await network?.stop()
})

it('twenty unread streams use little memory and delay no other stream', async () => {
  const { chain, gateway, token } = network
  const first = clientOf(gateway.url, token)
  // A connection whose window a single stream could use up.
  const narrow = { streamWindowBytes: 65_535, connectionWindowBytes: 65_535 }
  const second = clientOf(gateway.url, token, narrow)
  const unproxiedClient = clientOf(chain.url, token)
  const apart = clientOf(gateway.url, token)
  const clients = [first, second, unproxiedClient, apart]
  const slowStream = readStream(first, {
    filters: { transactions: { all: {} }, ...heavy, commitment: CommitmentLevel.PROCESSED },
    kinds: ['transaction'],
  })
  const readers = [first, second, unproxiedClient, apart, apart].map((client, index) =>
    openReader(client, index),
  )
  await waitUntilCurrent([...readers, slowStream])
  const firstSlot = slowStream.latest
  const record = createChainRecord(direct, CommitmentLevel.PROCESSED, firstSlot + 1n)
  const before = { chain: await chain.process.memory(), gateway: await gateway.process.memory() }

  // On the connections of three of the readers, with and without the gateway.
  const stalled = await Promise.all([first, first, first, second, second, second, second].map(stall))
  const unproxied = await Promise.all([unproxiedClient, unproxiedClient, unproxiedClient].map(stall))
  const rawStalled = stallForeign(gateway.url, token, 10)
  slowStream.pause()
  const { slot } = await direct.getSlot({})
  // By then, 60 MB have been sent to each.
  await waitForSlot(readers, slot + 45n)
  await waitUntilCurrent(readers)
  expect((await chain.process.memory()) - before.chain).toBeLessThan(150)
  expect((await gateway.process.memory()) - before.gateway).toBeLessThan(150)
  for (const { readableLength } of rawStalled) expect(readableLength).toBeLessThanOrEqual(65_535)

  // A client that resumes reading receives the data in transit, and then the end of the stream by the node. The status
  // of the node comes after that data. If the client does not accept the data, it receives a reset.
  expect(new Set(await Promise.all(unproxied.map(statusOf)))).toEqual(new Set([Status.INTERNAL]))
  for (const status of await Promise.all(stalled.map(statusOf))) {
    expect([Status.INTERNAL, Status.UNAVAILABLE]).toContain(status)
  }
  slowStream.resume()
  const { slot: last } = await direct.getSlot({})
  await record.readTo(last)
  await waitForSlot([slowStream], last)
  expect(slowStream.resumptions.length).toBeGreaterThan(0)
  const received = slowStream.received.filter(
    (item) => item.kind === 'transaction' && item.slot > firstSlot && item.slot <= last,
  )
  expectSame(
    received.map(({ id }) => id),
    record.between(firstSlot + 1n, last, ['transaction']),
    'the slow stream',
  )
  await Promise.all([...readers, slowStream].map((reader) => reader.close()))
  await Promise.all(clients.map((client) => client.disconnect()))
})

function openReader(client: GeyserClient, index: number): ReadStream {
  const filters = { ...filtersOf(index), commitment: CommitmentLevel.PROCESSED }
  return readStream(client, { filters, kinds: kindsOf(filters) })
}

/** Waits until all readers are past a slot. */
function waitForSlot(readers: readonly ReadStream[], slot: bigint): Promise<void> {
  return vi.waitFor(() => expect(readers.filter(({ latest }) => latest <= slot).length).toBe(0), {
    timeout: 60_000,
    interval: 50,
  })
}

/** Waits until all readers have reached the latest slot of the chain. */
function waitUntilCurrent(readers: readonly ReadStream[]): Promise<void> {
  return vi.waitFor(
    async () => {
      const { slot } = await direct.getSlot({})
      expect(readers.map(({ latest }) => latest >= slot)).toEqual(readers.map(() => true))
    },
    { timeout: 60_000, interval: 20 },
  )
}

/** Opens a stream and stops reading after its first update. */
async function stall(client: GeyserClient): Promise<AsyncIterator<SubscribeUpdate>> {
  const updates = client.subscribe([heavy])[Symbol.asyncIterator]()
  await updates.next()
  return updates
}

/** Opens streams over a connection of a third-party HTTP/2 client that never reads. */
function stallForeign(url: string, token: string, count: number): readonly ClientHttp2Stream[] {
  const session = connect(url)
  onTestFinished(() => session.destroy())
  session.on('error', () => undefined)
  return Array.from({ length: count }, () => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/geyser.Geyser/Subscribe',
      'content-type': 'application/grpc',
      te: 'trailers',
      'x-token': token,
    })
    stream.on('error', () => undefined)
    stream.pause()
    stream.write(frameMessage(SubscribeRequest.encode(SubscribeRequest.fromPartial(heavy)).finish()))
    return stream
  })
}

/** Reads a stream to the end and returns its status. */
async function statusOf(updates: AsyncIterator<SubscribeUpdate>): Promise<number | undefined> {
  try {
    while ((await updates.next()).done !== true);
  } catch (error) {
    if (FairleadError.is(error, 'GRPC_STATUS')) return error.details.status
    throw error
  }
  return Status.OK
}
