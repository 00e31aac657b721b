import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js'
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import {
  CommitmentLevel,
  GeyserService,
  type GetSlotRequest,
  type GetSlotResponse,
  SubscribeRequest,
  SubscribeUpdate,
} from './geyser.ts'
import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
  HealthService,
} from './health.ts'
import { createGrpcClient, FairleadError, type GrpcClientOptions } from './index.ts'

const token = 's3cr3t-t0k3n'
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0).toReversed()) close()
})

type Unary<request, response> = (
  call: ServerUnaryCall<request, response>,
  callback: sendUnaryData<response>,
) => void

interface Handlers {
  readonly check?: Unary<HealthCheckRequest, HealthCheckResponse>
  readonly watch?: (call: ServerWritableStream<HealthCheckRequest, HealthCheckResponse>) => void
  readonly getSlot?: Unary<GetSlotRequest, GetSlotResponse>
  readonly subscribe?: (call: ServerDuplexStream<SubscribeRequest, SubscribeUpdate>) => void
}

/** Starts a server; methods without a handler answer UNIMPLEMENTED. */
async function serve({ check, watch, getSlot, subscribe }: Handlers) {
  const server = new Server()
  server.addService(HealthService, { ...(check && { check }), ...(watch && { watch }) })
  server.addService(GeyserService, { ...(getSlot && { getSlot }), ...(subscribe && { subscribe }) })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  closing.push(() => server.forceShutdown())
  const options: GrpcClientOptions = { url: `http://127.0.0.1:${port}`, auth: { kind: 'x-token', token } }
  const health = createGrpcClient(HealthService, options)
  const geyser = createGrpcClient(GeyserService, options)
  closing.push(
    () => health.close(),
    () => geyser.close(),
  )
  return { health, geyser, options }
}

const serving: HealthCheckResponse = { status: HealthCheckResponse_ServingStatus.SERVING }
const ping = (id: number) => SubscribeRequest.fromPartial({ ping: { id } })
const slotUpdate = (slot: bigint) =>
  SubscribeUpdate.fromPartial({ updateOneof: { $case: 'slot', value: { slot } } })

async function failure(call: Promise<unknown>): Promise<FairleadError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!FairleadError.is(error)) throw new Error('expected a Fairlead error', { cause: error })
  return error
}

async function collect<item>(source: AsyncIterable<item>): Promise<item[]> {
  const items: item[] = []
  for await (const item of source) items.push(item)
  return items
}

describe('a unary call', () => {
  it('carries the token as metadata and gives the answer', async () => {
    const seen: unknown[] = []
    const { health } = await serve({
      check: ({ metadata, request }, callback) => {
        seen.push(metadata.get('x-token'), request.service)
        callback(null, serving)
      },
    })
    const answer = await health.check({ service: 'geyser.Geyser' })
    expectTypeOf(answer).toEqualTypeOf<HealthCheckResponse>()
    expect(answer).toEqual(serving)
    await health.check({ service: '' })
    expect(seen).toEqual([[token], 'geyser.Geyser', [token], ''])
  })

  it('keeps 64-bit fields as bigint', async () => {
    const { geyser } = await serve({ getSlot: (_, callback) => callback(null, { slot: 2n ** 64n - 1n }) })
    const { slot } = await geyser.getSlot({ commitment: CommitmentLevel.CONFIRMED })
    expectTypeOf(slot).toBeBigInt()
    expect(slot).toBe(18_446_744_073_709_551_615n)
  })

  it('maps the status of gRPC, without the token', async () => {
    const { health } = await serve({
      check: (_, callback) =>
        callback({ code: status.UNAUTHENTICATED, details: `x-token ${token} is unknown` }),
    })
    const error = await failure(health.check({ service: '' }))
    expect(error.code).toBe('GRPC_STATUS')
    expect(error.context).toEqual({
      operation: '/grpc.health.v1.Health/Check',
      status: 16,
      detail: 'x-token *** is unknown',
    })
    const forms = [
      String(error),
      error.stack,
      JSON.stringify(error),
      inspect(error, { depth: null, showHidden: true }),
    ]
    expect(forms.join('\n')).not.toContain(token)
  })

  it('fails where the node does not have the method', async () => {
    const { geyser } = await serve({})
    const error = await failure(geyser.getVersion({}))
    expect(FairleadError.is(error, 'GRPC_STATUS') && error.context.status).toBe(status.UNIMPLEMENTED)
  })

  it('fails where there is no node', async () => {
    const health = createGrpcClient(HealthService, {
      url: 'http://127.0.0.1:1',
      auth: { kind: 'x-token', token },
    })
    closing.push(() => health.close())
    const error = await failure(health.check({ service: '' }))
    expect(FairleadError.is(error, 'GRPC_STATUS') && error.context.status).toBe(status.UNAVAILABLE)
  })

  it('is limited by the client, and by the call before that', async () => {
    const { health, options } = await serve({ check: () => undefined })
    const impatient = createGrpcClient(HealthService, { ...options, timeoutMs: 50 })
    closing.push(() => impatient.close())
    for (const call of [impatient.check({ service: '' }), health.check({ service: '' }, { timeoutMs: 50 })]) {
      const error = await failure(call)
      expect(FairleadError.is(error, 'GRPC_STATUS') && error.context.status).toBe(status.DEADLINE_EXCEEDED)
    }
  })

  it("ends with the caller's own reason, and ends on the server too", async () => {
    const events = new EventEmitter()
    const { health } = await serve({
      check: (call) => {
        call.once('cancelled', () => events.emit('cancelled'))
        events.emit('called')
      },
    })
    const controller = new AbortController()
    const reason = new Error('enough')
    const called = once(events, 'called')
    const cancelled = once(events, 'cancelled')
    const call = health.check({ service: '' }, { signal: controller.signal })
    await called
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    await cancelled
    await expect(health.check({ service: '' }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

describe('a stream from the server', () => {
  const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus

  it('is an async iterable that ends with the stream', async () => {
    const { health } = await serve({
      watch: (call) => {
        expect(call.metadata.get('x-token')).toEqual([token])
        call.write({ status: NOT_SERVING })
        call.write({ status: SERVING })
        call.end()
      },
    })
    expect(await collect(health.watch({ service: '' }))).toEqual([
      { status: NOT_SERVING },
      { status: SERVING },
    ])
  })

  it('hands over what came before it failed', async () => {
    const { health } = await serve({
      watch: (call) => {
        call.write(serving)
        call.emit('error', { code: status.PERMISSION_DENIED, details: token })
      },
    })
    const seen: HealthCheckResponse[] = []
    const error = await failure(
      (async () => {
        for await (const answer of health.watch({ service: '' })) seen.push(answer)
      })(),
    )
    expect(seen).toEqual([serving])
    expect(error.context).toEqual({ operation: '/grpc.health.v1.Health/Watch', status: 7, detail: '***' })
  })

  it('is cancelled on the server when the reader stops early', async () => {
    const events = new EventEmitter()
    const cancelled = once(events, 'cancelled')
    const { health } = await serve({
      watch: (call) => {
        call.once('cancelled', () => events.emit('cancelled'))
        call.write(serving)
      },
    })
    for await (const answer of health.watch({ service: '' })) {
      expect(answer).toEqual(serving)
      break
    }
    await cancelled
    // Time for an error event that nobody listens to: it would end the process.
    await sleep(20)
  })

  it("ends with the caller's own reason, also between two messages", async () => {
    const { health } = await serve({ watch: (call) => void call.write(serving) })
    const controller = new AbortController()
    const reason = new Error('enough')
    const read = async () => {
      for await (const _ of health.watch({ service: '' }, { signal: controller.signal })) {
        setTimeout(() => controller.abort(reason), 10)
      }
    }
    await expect(read()).rejects.toBe(reason)
    await expect(collect(health.watch({ service: '' }, { signal: AbortSignal.abort(reason) }))).rejects.toBe(
      reason,
    )
  })

  it('has no limit of its own but takes one', async () => {
    const { health } = await serve({ watch: () => undefined })
    const error = await failure(collect(health.watch({ service: '' }, { timeoutMs: 50 })))
    expect(FairleadError.is(error, 'GRPC_STATUS') && error.context.status).toBe(status.DEADLINE_EXCEEDED)
  })
})

describe('a stream in both directions', () => {
  it('sends what it is given while it reads', async () => {
    const { geyser } = await serve({
      subscribe: (call) => {
        call.on('data', ({ ping: sent }: SubscribeRequest) => call.write(slotUpdate(BigInt(sent?.id ?? 0))))
        call.on('end', () => call.end())
      },
    })
    async function* requests() {
      yield ping(1)
      await sleep(5)
      yield ping(2)
    }
    const updates = await collect(geyser.subscribe(requests()))
    expect(updates.map(({ updateOneof }) => updateOneof?.$case === 'slot' && updateOneof.value.slot)).toEqual(
      [1n, 2n],
    )
    expect(await collect(geyser.subscribe([ping(3)]))).toHaveLength(1)
  })

  it('waits for the node before it sends more than the node takes', async () => {
    let received = 0
    const { geyser } = await serve({
      subscribe: (call) => {
        call.on('data', () => {
          received += 1
        })
        call.on('end', () => call.end())
      },
    })
    const big = SubscribeRequest.fromPartial({ accounts: { a: { account: ['x'.repeat(60_000)] } } })
    await collect(geyser.subscribe(Array.from({ length: 100 }, () => big)))
    expect(received).toBe(100)
  })

  it('is cancelled, and its requests are ended, when the reader stops early', async () => {
    const events = new EventEmitter()
    const cancelled = once(events, 'cancelled')
    const { geyser } = await serve({
      subscribe: (call) => {
        call.once('cancelled', () => events.emit('cancelled'))
        call.on('data', () => call.write(slotUpdate(1n)))
      },
    })
    let ended = false
    async function* requests() {
      try {
        for (let id = 1; ; id++) {
          yield ping(id)
          await sleep(5)
        }
      } finally {
        ended = true
      }
    }
    for await (const update of geyser.subscribe(requests())) {
      expect(update.updateOneof?.$case).toBe('slot')
      break
    }
    await cancelled
    await sleep(30)
    expect(ended).toBe(true)
  })

  it('fails with the error of its requests', async () => {
    const events = new EventEmitter()
    const cancelled = once(events, 'cancelled')
    const { geyser } = await serve({
      subscribe: (call) => void call.once('cancelled', () => events.emit('cancelled')),
    })
    const reason = new Error('no more filters')
    async function* requests() {
      yield ping(1)
      await sleep(10)
      throw reason
    }
    await expect(collect(geyser.subscribe(requests()))).rejects.toBe(reason)
    await cancelled
  })

  it('maps the status that ends it, and ends its requests', async () => {
    const { geyser } = await serve({
      subscribe: (call) =>
        call.on('data', () => call.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'slow' })),
    })
    let ended = false
    async function* requests() {
      try {
        for (;;) {
          yield ping(1)
          await sleep(5)
        }
      } finally {
        ended = true
      }
    }
    const error = await failure(collect(geyser.subscribe(requests())))
    expect(error.context).toEqual({ operation: '/geyser.Geyser/Subscribe', status: 8, detail: 'slow' })
    await sleep(30)
    expect(ended).toBe(true)
  })
})

describe('the options', () => {
  it.each(['s3cr3t\nx', 's3cr3t…', ''])(
    'refuse the token %j, which no metadata can carry, without showing it',
    (odd) => {
      const attempt = () =>
        createGrpcClient(HealthService, {
          url: 'https://node.example.com',
          auth: { kind: 'x-token', token: odd },
        })
      expect(attempt).toThrow('CONFIG_INVALID')
      expect(attempt).not.toThrow('s3cr3t')
    },
  )

  it('refuse an address that cannot work', () => {
    expect(() =>
      createGrpcClient(HealthService, { url: 'node:443', auth: { kind: 'x-token', token } }),
    ).toThrow('CONFIG_INVALID')
  })

  it('are typed by the service', () => {
    const calls = async () => {
      const { health } = await serve({})
      // @ts-expect-error no such method
      await health.ping({})
      // @ts-expect-error the service is named by a text
      await health.check({ service: 1 })
      // @ts-expect-error a stream is not a promise
      await health.watch({ service: '' }).then(String)
    }
    expectTypeOf(calls).toBeFunction()
    const create = () => {
      // @ts-expect-error only an x-token opens gRPC
      createGrpcClient(HealthService, { url: 'https://n.example', auth: { kind: 'token', token } })
    }
    expect(create).toThrow('auth.kind')
  })
})
