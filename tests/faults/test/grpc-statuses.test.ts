import { createGrpcClient, FairleadError, Status } from '@fairlead/grpc'
import { CommitmentLevel, GeyserDefinition, SubscribeRequest } from '@fairlead/grpc/geyser'
import { frameMessage } from '@fairlead/grpc-transport'
import { connect } from 'node:http2'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { sendLargeAccounts } from './grpc-large-accounts.ts'
import { clientOf, type GeyserClient, type GrpcNetwork, startGrpcNetwork } from './grpc-network.ts'
import { createChainRecord, expectSame } from './grpc-record.ts'
import { readStream } from './grpc-streams.ts'

vi.setConfig({ testTimeout: 120_000 })

let network: GrpcNetwork
let client: GeyserClient
let direct: GeyserClient

beforeAll(async () => {
  network = await startGrpcNetwork({
    solana: { secondsPerSlot: 0.2 },
    gateway: {
      FAIRLEAD_GRPC_RULES:
        '/geyser.Geyser/GetVersion=deny /geyser.Geyser/GetBlockHeight=1/s /geyser.Geyser/SubscribeReplayInfo=1',
      FAIRLEAD_MAX_GRPC_CALLS: '5',
    },
  })
  client = clientOf(network.gateway.url, network.token)
  direct = clientOf(network.chain.url, 'none')
})

afterAll(async () => {
  await Promise.all([client?.disconnect(), direct?.disconnect()])
  await network?.stop()
})

const slots = { slots: { all: {} } }

it.each([
  ['no token', undefined],
  ['another token', 'c4n4ry'.padEnd(32, '0')],
])('%s is UNAUTHENTICATED, for a unary call and for a stream', async (_, token) => {
  const unauthenticated = createGrpcClient(GeyserDefinition, {
    url: network.gateway.url,
    ...(token !== undefined && { auth: { kind: 'x-token', token } }),
  })
  onTestFinished(() => unauthenticated.close())
  for (const attempt of [unauthenticated.getSlot({}), firstOf(unauthenticated.subscribe([slots]))]) {
    const error = await failureOf(attempt)
    expect(error.details.status).toBe(Status.UNAUTHENTICATED)
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('c4n4ry')
  }
})

it('a deadline ends a call on both sides', async () => {
  const release = network.upstream.delay()
  onTestFinished(release)
  const timeout = await failureOf(client.getSlot({}, { timeoutMs: 300, retries: 0 }))
  expect(timeout.details.status).toBe(Status.DEADLINE_EXCEEDED)
  release()
  const stream = client.subscribe([slots], { timeoutMs: 500 })
  const error = await failureOf(drain(stream))
  expect(error.details.status).toBe(Status.DEADLINE_EXCEEDED)
  await vi.waitFor(async () => expect(await openCalls()).toBe(0), 20_000)
})

it('the gateway enforces the deadline of a client that does not', async () => {
  const session = connect(network.gateway.url)
  onTestFinished(() => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': '/geyser.Geyser/Subscribe',
    'content-type': 'application/grpc',
    'grpc-timeout': '500m',
    te: 'trailers',
    'x-token': network.token,
  })
  stream.write(frameMessage(SubscribeRequest.encode(SubscribeRequest.fromPartial(slots)).finish()))
  stream.resume()
  const status = await new Promise((resolve) => {
    stream.once('trailers', (trailers) => resolve(trailers['grpc-status']))
  })
  expect(status).toBe(String(Status.DEADLINE_EXCEEDED))
})

it('a cancelled stream is also cancelled at the upstream', async () => {
  const before = await sample(
    'fairlead_grpc_calls_total{method="/geyser.Geyser/Subscribe",status="CANCELLED"}',
  )
  const stop = new AbortController()
  const left = client.subscribe([slots])
  await left.next()
  const aborted = client.subscribe([slots], { signal: stop.signal })
  await aborted.next()
  expect(await openCalls()).toBe(2)
  await left.return()
  const reason = new Error('enough')
  stop.abort(reason)
  await expect(drain(aborted)).rejects.toBe(reason)
  await vi.waitFor(async () => {
    expect(await openCalls()).toBe(0)
    expect(
      await sample('fairlead_grpc_calls_total{method="/geyser.Geyser/Subscribe",status="CANCELLED"}'),
    ).toBe(before + 2)
  }, 20_000)
})

describe('a gateway limit', () => {
  it('returns RESOURCE_EXHAUSTED above a rate, with the time to wait', async () => {
    await client.getBlockHeight({})
    const error = await failureOf(client.getBlockHeight({}, { retries: 0 }))
    expect(error.details).toMatchObject({ status: Status.RESOURCE_EXHAUSTED })
    expect(error.details.metadata).toMatchObject({ 'grpc-retry-pushback-ms': '1000' })
    // The client waits for the requested time, and retries.
    expect((await client.getBlockHeight({})).blockHeight).toBeGreaterThan(0n)
  })

  it('returns RESOURCE_EXHAUSTED for one stream too many, and accepts it when another one ends', async () => {
    const streams = Array.from({ length: 5 }, () => client.subscribe([slots]))
    await Promise.all(streams.map((stream) => stream.next()))
    const error = await failureOf(firstOf(client.subscribe([slots])))
    expect(error.details.status).toBe(Status.RESOURCE_EXHAUSTED)
    await streams[0]?.return()
    await vi.waitFor(async () => expect(await firstOf(client.subscribe([slots]))).toBeDefined(), 20_000)
    await Promise.all(streams.map((stream) => stream.return()))
    // Until the gateway has ended them, they take concurrency slots from the calls of other tests.
    await vi.waitFor(async () => expect(await openCalls()).toBe(0), 20_000)
  })

  it('returns PERMISSION_DENIED for a disabled method', async () => {
    expect((await failureOf(client.getVersion({}))).details.status).toBe(Status.PERMISSION_DENIED)
  })
})

it('a block of 20 MB is delivered, and a client with a smaller limit reports it', async () => {
  const limitedClient = clientOf(network.gateway.url, network.token, { maxMessageBytes: 1 << 20 })
  onTestFinished(() => limitedClient.disconnect())
  const blocks = { blocks: { all: { accountInclude: [], includeAccounts: true } } }
  const rejected = failureOf(drain(limitedClient.subscribe([blocks])))
  const largest = (async () => {
    for await (const { updateOneof } of client.subscribe([blocks])) {
      if (updateOneof?.$case !== 'block') continue
      const bytes = updateOneof.value.accounts.reduce((sum, { data }) => sum + data.length, 0)
      if (bytes > 20_000_000) return bytes
    }
    return 0
  })()
  await sendLargeAccounts(network.chain.url, 5)
  expect(await largest).toBeGreaterThan(20_000_000)
  expect((await rejected).details.status).toBe(Status.RESOURCE_EXHAUSTED)
})

it('a stopping gateway finishes calls and ends streams, which resume at the next gateway', async () => {
  const { gateway, upstream } = network
  const filters = { transactions: { all: {} }, commitment: CommitmentLevel.PROCESSED }
  const stream = readStream(client, { filters, kinds: ['transaction'] })
  const plain = client.subscribe([slots])
  await plain.next()
  await vi.waitFor(() => expect(stream.latest).toBeGreaterThan(0n), 20_000)
  const firstSlot = stream.latest
  const record = createChainRecord(direct, CommitmentLevel.PROCESSED, firstSlot + 1n)
  const release = upstream.delay()
  const call = client.getSlot({})
  await vi.waitFor(async () => expect(await openCalls()).toBe(3), 20_000)
  const stopped = gateway.stop()
  const end = await failureOf(drain(plain))
  expect(end.details).toMatchObject({ status: Status.UNAVAILABLE, detail: 'The gateway is shutting down.' })
  release()
  expect((await call).slot).toBeGreaterThan(0n)
  await stopped
  expect((await failureOf(client.getSlot({}, { retries: 0 }))).details.status).toBe(Status.UNAVAILABLE)
  await gateway.start()
  const { slot } = await client.getSlot({})
  await vi.waitFor(() => expect(stream.latest).toBeGreaterThan(slot), { timeout: 30_000 })
  await record.readTo(slot)
  await stream.close()
  const received = stream.received.filter((item) => item.slot > firstSlot && item.slot <= slot)
  expectSame(
    received.map(({ id }) => id),
    record.between(firstSlot + 1n, slot, ['transaction']),
    'the stream',
  )
})

it('an unreachable node is UNAVAILABLE, until it is reachable again', async () => {
  const { chain } = network
  await chain.kill()
  const error = await failureOf(client.getSlot({}, { retries: 0 }))
  expect(error.details.status).toBe(Status.UNAVAILABLE)
  expect(JSON.stringify(error)).not.toContain(new URL(network.upstream.url).port)
  await chain.start()
  await vi.waitFor(async () => expect((await client.getSlot({})).slot).toBeGreaterThan(0n), {
    timeout: 20_000,
  })
})

async function failureOf(attempt: PromiseLike<unknown>): Promise<FairleadError<'GRPC_STATUS'>> {
  const error: unknown = await Promise.resolve(attempt).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (FairleadError.is(error, 'GRPC_STATUS')) return error
  throw error ?? new Error('it did not fail')
}

async function firstOf<item>(items: AsyncIterable<item>): Promise<item | undefined> {
  for await (const item of items) return item
  return undefined
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

async function sample(name: string): Promise<number> {
  const text = await (await fetch(`${network.gateway.url}/metrics`)).text()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? 0)
}

const openCalls = () => sample('fairlead_grpc_open_calls')
