import { GrpcError, implement, type Metadata, Status } from '@fairlead/grpc-transport'
import { EventEmitter, once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { settled } from '@fairlead/vitest/settled'
import { afterEach, describe, expect, it } from 'vitest'
import { createGrpcClient } from '../client.ts'
import {
  GeyserDefinition,
  PingRequest,
  PongResponse,
  type SubscribeRequest,
  SubscribeUpdate,
} from '../geyser.ts'
import { collect, failure } from '../testing/outcomes.ts'
import { serve } from '../testing/serve.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

interface Call {
  readonly signal: AbortSignal
  readonly metadata: Metadata
  sendHeaders(metadata?: Metadata): void
  setTrailers(metadata: Metadata): void
}
/** A call whose response arrives after everything sent before on its connection. */
const roundTrip = (client: Awaited<ReturnType<typeof geyser>>) => failure(client.getSlot({}))

type Subscribe = (requests: AsyncIterable<SubscribeRequest>, call: Call) => AsyncIterable<SubscribeUpdate>

async function geyser(subscribe: Subscribe) {
  const server = await serve(implement(GeyserDefinition, { subscribe }))
  const client = createGrpcClient(GeyserDefinition, { url: server.url })
  closing.push(server.stop, client.close)
  return client
}

const slotUpdate = (slot: bigint) =>
  SubscribeUpdate.fromPartial({ updateOneof: { $case: 'slot', value: { slot } } })
const slotOf = ({ updateOneof }: SubscribeUpdate) =>
  updateOneof?.$case === 'slot' ? Number(updateOneof.value.slot) : undefined
const ping = (id: number) => ({ ping: { id } })

/** Sends that many slots, then waits until the client has disconnected. */
function slots(count: number, disconnected = new EventEmitter()): Subscribe {
  return async function* (_, { signal }) {
    signal.addEventListener('abort', () => disconnected.emit('disconnected'))
    for (let slot = 0; slot < count; slot++) yield slotUpdate(BigInt(slot))
    await new Promise(() => {})
  }
}

describe('a stream', () => {
  it('yields every message in order, and reports headers and trailers', async () => {
    const metadataValues: unknown[] = []
    const client = await geyser(async function* (_, call) {
      call.sendHeaders({ version: '2' })
      for (let slot = 0n; slot < 10_000n; slot++) yield slotUpdate(slot)
      call.setTrailers({ cost: '7' })
    })
    const stream = client.subscribe([{}], {
      onHeaders: (headers) => metadataValues.push(headers['version']),
      onTrailers: (trailers) => metadataValues.push(trailers['cost']),
    })
    const received: unknown[] = []
    for await (const update of stream) {
      if (received.length === 0) expect(metadataValues).toEqual(['2'])
      received.push(slotOf(update))
    }
    expect(received).toEqual(Array.from({ length: 10_000 }, (_, slot) => slot))
    expect(metadataValues).toEqual(['2', '7'])
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  it.each(['onHeaders', 'onTrailers'])('fails with the error that %s throws', async (callbackName) => {
    const client = await geyser(async function* (requests) {
      for await (const _ of requests) yield slotUpdate(1n)
    })
    const reason = new Error('not like this')
    const stream = client.subscribe([{}], {
      [callbackName]: () => {
        throw reason
      },
    })
    await expect(collect(stream)).rejects.toBe(reason)
  })

  it('sends nothing before it is read', async () => {
    let calls = 0
    const client = await geyser(async function* () {
      calls += 1
      yield slotUpdate(1n)
    })
    const stream = client.subscribe([{}])
    await roundTrip(client)
    expect(calls).toBe(0)
    await stream.return()
    expect(await collect(stream)).toEqual([])
    expect(calls).toBe(0)
  })

  it('resolves concurrent reads in order', async () => {
    const client = await geyser(async function* () {
      for (let slot = 0n; slot < 5n; slot++) {
        await turn()
        yield slotUpdate(slot)
      }
    })
    const stream = client.subscribe([{}])
    const reads = await Promise.all(Array.from({ length: 7 }, () => stream.next()))
    expect(reads.map(({ value }) => value && slotOf(value))).toEqual([0, 1, 2, 3, 4, undefined, undefined])
    expect(reads.map(({ done }) => done)).toEqual([false, false, false, false, false, true, true])
  })

  it.each<[string, (stream: AsyncGenerator) => Promise<unknown>]>([
    ['return', (stream) => stream.return(undefined)],
    ['throw', (stream) => expect(stream.throw('enough')).rejects.toBe('enough')],
    ['dispose', async (stream) => stream[Symbol.asyncDispose]?.()],
  ])('is cancelled on the server by %s, also during a read', async (_, stop) => {
    const events = new EventEmitter()
    const disconnected = once(events, 'disconnected')
    const client = await geyser(slots(1, events))
    const stream = client.subscribe([{}])
    await stream.next()
    const waiting = stream.next()
    await stop(stream as never)
    expect(await waiting).toEqual({ done: true, value: undefined })
    await disconnected
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  it('ends with the abort reason of the caller, although messages are buffered', async () => {
    const client = await geyser(slots(1000))
    const controller = new AbortController()
    const reason = new Error('enough')
    const stream = client.subscribe([{}], { signal: controller.signal })
    await stream.next()
    await roundTrip(client)
    controller.abort(reason)
    await expect(stream.next()).rejects.toBe(reason)
    expect((await stream.next()).done).toBe(true)
  })

  it('has no default timeout but accepts one', async () => {
    const client = await geyser(slots(1))
    const error = await failure(collect(client.subscribe([{}], { timeoutMs: 50 })))
    expect(error.details).toMatchObject({ status: Status.DEADLINE_EXCEEDED })
    const invalid = await failure(client.subscribe([{}], { timeoutMs: 0 }).next())
    expect(invalid.details).toMatchObject({ option: 'timeoutMs' })
  })

  it('leaves unread messages on the server', async () => {
    let sent = 0
    const data = new Uint8Array(1_048_576)
    const update = SubscribeUpdate.fromPartial({
      updateOneof: { $case: 'account', value: { account: { data } } },
    })
    const client = await geyser(async function* () {
      for (; sent < 200; sent++) yield update
    })
    const stream = client.subscribe([{}])
    await stream.next()
    await settled(
      () => sent,
      () => roundTrip(client),
    )
    expect(sent).toBeLessThan(60)
    expect(await collect(stream)).toHaveLength(199)
  })
})

describe('the requests of a stream', () => {
  /** Sends pings forever; reports when it was ended. */
  function pings() {
    const state = { isEnded: false }
    async function* source() {
      try {
        for (let id = 1; ; id++) {
          yield ping(id)
          await turn()
        }
      } finally {
        state.isEnded = true
      }
    }
    return { state, source: source() }
  }

  const echo: Subscribe = async function* (requests) {
    for await (const request of requests) yield slotUpdate(BigInt(request.ping?.id ?? 0))
  }

  it('are sent while responses are read', async () => {
    const client = await geyser(echo)
    let resolveResponse = () => {}
    const responded = new Promise<void>((resolve) => (resolveResponse = resolve))
    async function* requests() {
      yield ping(1)
      await responded
      yield ping(2)
    }
    const received: unknown[] = []
    for await (const update of client.subscribe(requests())) {
      received.push(slotOf(update))
      resolveResponse()
    }
    expect(received).toEqual([1, 2])
    expect((await collect(client.subscribe([ping(3)]))).map(slotOf)).toEqual([3])
  })

  it('are pulled no faster than the server reads them', async () => {
    let pulled = 0
    let read = () => {}
    const reading = new Promise<void>((resolve) => {
      read = resolve
    })
    const client = await geyser(async function* (arriving) {
      await reading
      let count = 0n
      for await (const _ of arriving) count += 1n
      yield slotUpdate(count)
    })
    const big = { accounts: { a: { account: ['x'.repeat(1_000_000)] } } }
    function* requests() {
      for (; pulled < 100; pulled++) yield big
    }
    const stream = client.subscribe(requests())
    const first = stream.next()
    await settled(
      () => pulled,
      () => roundTrip(client),
    )
    expect(pulled).toBeGreaterThan(0)
    expect(pulled).toBeLessThan(100)
    read()
    expect((await first).value).toEqual(slotUpdate(100n))
  })

  it('are closed when the reader stops, and when the server does', async () => {
    const client = await geyser(echo)
    const stopped = pings()
    for await (const update of client.subscribe(stopped.source)) {
      expect(slotOf(update)).toBe(1)
      break
    }
    await expect.poll(() => stopped.state.isEnded).toBe(true)

    const refusing = await geyser(async function* (requests) {
      for await (const _ of requests) throw new GrpcError(Status.RESOURCE_EXHAUSTED, 'slow')
      yield slotUpdate(0n)
    })
    const refused = pings()
    const error = await failure(collect(refusing.subscribe(refused.source)))
    expect(error.details).toMatchObject({ operation: '/geyser.Geyser/Subscribe', status: 8, detail: 'slow' })
    await expect.poll(() => refused.state.isEnded).toBe(true)
  })

  it('must be iterable', async () => {
    const client = await geyser(echo)
    await expect(client.subscribe(ping(1) as never).next()).rejects.toThrow(TypeError)
  })

  it('fail the stream with their own error', async () => {
    const events = new EventEmitter()
    const disconnected = once(events, 'disconnected')
    const responded = once(events, 'answered')
    const client = await geyser(slots(1, events))
    const reason = new Error('no more filters')
    async function* requests() {
      yield ping(1)
      await responded
      throw reason
    }
    const stream = client.subscribe(requests())
    await stream.next()
    events.emit('answered')
    await expect(stream.next()).rejects.toBe(reason)
    await disconnected
    await expect(collect(client.subscribe([{ fromSlot: 2n ** 64n }]))).rejects.toThrow('too large')
  })
})

describe('a client-streaming method', () => {
  const definition = {
    fullName: 'test.Sums',
    methods: {
      sum: {
        name: 'Sum',
        requestType: PingRequest,
        requestStream: true,
        responseType: PongResponse,
        responseStream: false,
      },
    },
  } as const

  it('is a promise', async () => {
    const server = await serve(
      implement(definition, {
        async sum(requests) {
          let count = 0
          for await (const request of requests) count += request.count
          if (count === 0) throw new GrpcError(Status.INVALID_ARGUMENT, 'nothing to add')
          return { count }
        },
      }),
    )
    const client = createGrpcClient(definition, { url: server.url })
    closing.push(server.stop, client.close)
    expect(await client.sum([{ count: 1 }, { count: 2 }, { count: 3 }])).toEqual({ count: 6 })
    expect((await failure(client.sum([]))).details).toMatchObject({ detail: 'nothing to add' })
  })
})
