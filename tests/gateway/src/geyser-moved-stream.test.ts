import { createGrpcServer, GrpcError, implement, Status } from '@fairlead/grpc-transport'
import { createGrpcClient } from '@fairlead/grpc'
import { GeyserDefinition, SubscribeRequest, SubscribeUpdate } from '@fairlead/grpc/geyser'
import { expect, it, onTestFinished } from 'vitest'
import { grpcInFrontOf, xToken } from '@fairlead/gateway-grpc/testing/grpc-fixture'

type Serve = (attempt: number, request: SubscribeRequest) => AsyncIterable<SubscribeUpdate>

/** Starts a node that serves subscriptions as defined by a test, and records the requests. */
async function geyserNode(serve: Serve) {
  const requestedSlots: (bigint | undefined)[] = []
  const unimplemented = () => Promise.reject(new GrpcError(Status.UNIMPLEMENTED, 'not here'))
  const server = createGrpcServer({
    implementations: [
      implement(GeyserDefinition, {
        subscribe: async function* (requests) {
          for await (const request of requests) {
            requestedSlots.push(request.fromSlot)
            yield* serve(requestedSlots.length, request)
            return
          }
        },
        subscribeReplayInfo: unimplemented,
        ping: unimplemented,
        getLatestBlockhash: unimplemented,
        getBlockHeight: unimplemented,
        getSlot: unimplemented,
        isBlockhashValid: unimplemented,
        getVersion: unimplemented,
      }),
    ],
  })
  await server.listen({ port: 0 })
  onTestFinished(() => server.stop())
  return { url: server.url, requestedSlots }
}

const entry = (slot: bigint, index: bigint) =>
  SubscribeUpdate.fromPartial({ filters: ['e'], updateOneof: { $case: 'entry', value: { slot, index } } })

const unavailable = () => new GrpcError(Status.UNAVAILABLE, 'restarting')

/** Returns the messages that a client receives, and the status and detail of the end of its call. */
async function outcomeOf(upstreams: string) {
  const { url } = await grpcInFrontOf(upstreams)
  const client = createGrpcClient(GeyserDefinition, { url, auth: { kind: 'x-token', token: xToken } })
  onTestFinished(() => client.close())
  const received: string[] = []
  try {
    for await (const { updateOneof } of client.subscribe([
      SubscribeRequest.fromPartial({ entry: { e: {} } }),
    ])) {
      if (updateOneof?.$case === 'entry')
        received.push(`${updateOneof.value.slot} ${updateOneof.value.index}`)
    }
    return { received, end: 'OK' }
  } catch (error) {
    const { status, detail } = (error as { details: { status: number; detail: string } }).details
    return { received, end: `${status} ${detail}` }
  }
}

it('resumes at the next upstream when one shuts down', async () => {
  const first = await geyserNode(async function* () {
    yield* [entry(100n, 0n), entry(100n, 1n)]
    throw unavailable()
  })
  const second = await geyserNode(async function* () {
    yield* [entry(100n, 0n), entry(100n, 1n), entry(100n, 2n), entry(101n, 0n)]
  })
  const { received, end } = await outcomeOf(`${first.url} ${second.url}`)
  expect([received, end]).toEqual([['100 0', '100 1', '100 2', '101 0'], 'OK'])
  expect([first.requestedSlots, second.requestedSlots]).toEqual([[undefined], [100n]])
})

it('continues at another upstream when its own is removed from the node', async () => {
  const endless = new Promise<never>(() => undefined)
  const first = await geyserNode(async function* () {
    yield* [entry(100n, 0n), entry(100n, 1n)]
    await endless
  })
  const second = await geyserNode(async function* () {
    yield* [entry(100n, 0n), entry(100n, 1n), entry(100n, 2n)]
  })
  const gateway = await grpcInFrontOf(`${first.url} ${second.url}`)
  const client = createGrpcClient(GeyserDefinition, {
    url: gateway.url,
    auth: { kind: 'x-token', token: xToken },
  })
  onTestFinished(() => client.close())
  const received: (bigint | undefined)[] = []
  for await (const { updateOneof } of client.subscribe([
    SubscribeRequest.fromPartial({ entry: { e: {} } }),
  ])) {
    if (updateOneof?.$case === 'entry') received.push(updateOneof.value.index)
    if (received.length !== 2) continue
    gateway.grant({ upstreams: { grpc: second.url } })
    // The next change arrives while the call is opened at the other upstream.
    gateway.grant({ upstreams: { grpc: second.url }, network: 'other' })
  }
  expect(received).toEqual([0n, 1n, 2n])
  expect([first.requestedSlots, second.requestedSlots]).toEqual([[undefined], [100n]])
})

it('aborts when no upstream can resume it', async () => {
  const first = await geyserNode(async function* () {
    yield entry(100n, 0n)
    throw unavailable()
  })
  const second = await geyserNode(async function* (_, { fromSlot }) {
    if (fromSlot === undefined) yield entry(100n, 0n)
    throw new GrpcError(Status.OUT_OF_RANGE, 'broadcast from 100 is not available')
  })
  const { received, end } = await outcomeOf(`${first.url} ${second.url}`)
  expect([received, end]).toEqual([['100 0'], '14 The upstream ended the call unexpectedly.'])
  // Both are tried in turn: five times, and once more for every five seconds that the tries take.
  const tries = first.requestedSlots.length + second.requestedSlots.length
  expect(tries).toBeGreaterThanOrEqual(6)
  expect(tries).toBeLessThan(10)
})

it('ends with the status of the upstream when the request is invalid', async () => {
  const first = await geyserNode(async function* () {
    yield entry(100n, 0n)
    throw new GrpcError(Status.INVALID_ARGUMENT, 'too many filters')
  })
  const second = await geyserNode(async function* () {
    yield entry(1n, 0n)
  })
  const { end } = await outcomeOf(`${first.url} ${second.url}`)
  expect([end, second.requestedSlots]).toEqual(['3 too many filters', []])
})

it('ends when there is a single upstream', async () => {
  const single = await geyserNode(async function* () {
    yield entry(100n, 0n)
    throw unavailable()
  })
  expect((await outcomeOf(single.url)).end).toBe('14 restarting')
  expect((await outcomeOf(`${single.url} ${single.url}#cordoned`)).end).toBe('14 restarting')
})
