import { GrpcError, implement, type Metadata, type Transport } from '@fairlead/grpc-transport'
import { EventEmitter, once } from 'node:events'
import { inspect } from 'node:util'
import { watchStartedTimers } from '@fairlead/vitest/started-timers'
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import { CommitmentLevel, GeyserDefinition } from './geyser.ts'
import { type HealthCheckResponse, HealthDefinition } from './health.ts'
import {
  createGrpcClient,
  createHttp2Transport,
  FairleadError,
  type GrpcClientOptions,
  isRetryable,
  Status,
} from './index.ts'
import { failure } from './testing/outcomes.ts'
import { serve } from './testing/serve.ts'

const token = 's3cr3t-t0k3n'
const auth = { kind: 'x-token', token } as const
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

type Check = (service: string, call: { readonly metadata: Metadata; readonly signal: AbortSignal }) => unknown

/** Starts a server whose health check is the given function, and a client of it. */
async function health(check: Check, options: Partial<GrpcClientOptions> = {}) {
  const server = await serve(
    implement(HealthDefinition, {
      check: async ({ service }, call) => (await check(service, call)) as HealthCheckResponse,
    }),
  )
  const settings = { url: server.url, auth, ...options } as GrpcClientOptions
  const client = createGrpcClient(HealthDefinition, settings)
  closing.push(server.stop, client.close)
  return { client, url: server.url }
}

const unavailable = (metadata?: Metadata) => new GrpcError(Status.UNAVAILABLE, 'restarting', metadata)

describe('a unary call', () => {
  it('sends the token and the metadata of the call', async () => {
    const received: Metadata[] = []
    const { client } = await health((_, { metadata }) => {
      received.push(metadata)
      return { status: 1 }
    })
    const response = await client.check({ service: '' })
    expectTypeOf(response).toEqualTypeOf<HealthCheckResponse>()
    expect(response).toEqual({ status: 1 })
    await client.check({}, { metadata: { tenant: ['a', 'b'], 'trace-bin': Uint8Array.of(1) } })
    expect(received[0]).toMatchObject({ 'x-token': token })
    expect(received[1]).toMatchObject({ 'x-token': token, 'trace-bin': Uint8Array.of(1) })
    expect(String(received[1]?.['tenant']).split(/, ?/)).toEqual(['a', 'b'])
  })

  it('sends no token if none is given', async () => {
    const received: Metadata[] = []
    const check: Check = (_, { metadata }) => {
      received.push(metadata)
      return { status: 1 }
    }
    await (await health(check, { auth: undefined })).client.check({})
    expect(received[0]).not.toHaveProperty('x-token')
  })

  it('rejects a token in the metadata of a call', async () => {
    const { client } = await health(() => ({ status: 1 }))
    const error = await failure(client.check({}, { metadata: { 'X-Token': 'other' } }))
    expect(error.details).toEqual({ option: 'metadata.x-token', rule: 'must be given as auth' })
  })

  it('rejects an entry that cannot be sent, without its value', async () => {
    const { client } = await health(() => ({ status: 1 }))
    const error = await failure(client.check({}, { metadata: { tenant: 'ä-value' } }))
    expect(error.details).toMatchObject({ status: Status.INVALID_ARGUMENT })
    expect(String(error)).not.toContain('ä-value')
  })

  it('maps the status, without the token in any form', async () => {
    const { client } = await health(() => {
      throw new GrpcError(Status.UNAUTHENTICATED, `x-token ${token} is unknown`, {
        hint: `not ${token}`,
        'hint-bin': new TextEncoder().encode(token),
      })
    })
    const error = await failure(client.check({}))
    expect(error.details).toEqual({
      operation: '/grpc.health.v1.Health/Check',
      status: 16,
      statusName: 'UNAUTHENTICATED',
      detail: 'x-token *** is unknown',
    })
    expect(FairleadError.is(error, 'GRPC_STATUS') && error.details.metadata).toMatchObject({
      hint: 'not ***',
      'hint-bin': new Uint8Array(),
    })
    const forms = [String(error), error.stack, inspect(error, { depth: null, showHidden: true })]
    expect(forms.join('\n')).not.toContain(token)
  })

  it('uses the timeout of the call, otherwise that of the client', async () => {
    const { client, url } = await health(() => new Promise(() => {}))
    const impatient = createGrpcClient(HealthDefinition, { url, auth, timeoutMs: 50 })
    closing.push(impatient.close)
    for (const call of [impatient.check({}), client.check({}, { timeoutMs: 50 })]) {
      expect((await failure(call)).details).toMatchObject({ status: Status.DEADLINE_EXCEEDED })
    }
  })

  it('ends with the abort reason of the caller, also on the server', async () => {
    const events = new EventEmitter()
    const { client } = await health((_, { signal }) => {
      signal.addEventListener('abort', () => events.emit('cancelled'))
      events.emit('called')
      return new Promise(() => {})
    })
    const controller = new AbortController()
    const reason = new Error('enough')
    const called = once(events, 'called')
    const cancelled = once(events, 'cancelled')
    const call = client.check({}, { signal: controller.signal })
    await called
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    await cancelled
    await expect(client.check({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  it('names the position of an undecodable response', async () => {
    const server = await serve(
      implement(
        {
          ...HealthDefinition,
          methods: { check: { ...HealthDefinition.methods.check, responseType: broken } },
        },
        {
          check: () => ({}),
        },
      ),
    )
    const client = createGrpcClient(HealthDefinition, { url: server.url })
    closing.push(server.stop, client.close)
    expect((await failure(client.check({}))).code).toBe('DECODE_INVALID')
  })
})

/** Encodes bytes that are not a protobuf message. */
const broken = { encode: () => ({ finish: () => Uint8Array.of(10, 200) }), decode: () => ({}) }

describe('a retry', () => {
  it('is made while the node is unavailable, as often as configured', async () => {
    let count = 0
    const { client } = await health(() => {
      count += 1
      throw unavailable({ 'grpc-retry-pushback-ms': '1' })
    })
    const error = await failure(client.check({}))
    expect(isRetryable(error)).toBe(true)
    expect(count).toBe(3)
    await failure(client.check({}, { retries: 0 }))
    expect(count).toBe(4)
  })

  it('returns the response of the successful attempt', async () => {
    let count = 0
    const { client } = await health(() => {
      count += 1
      if (count < 3) throw unavailable()
      return { status: count }
    })
    expect(await client.check({})).toEqual({ status: 3 })
  })

  it.each([
    ['of another status', new GrpcError(Status.INTERNAL, ''), 1],
    ['that the node rejects', unavailable({ 'grpc-retry-pushback-ms': '-1' }), 1],
    ['without a delay for RESOURCE_EXHAUSTED', new GrpcError(Status.RESOURCE_EXHAUSTED, ''), 1],
    [
      'after the pause of one that is exhausted',
      new GrpcError(Status.RESOURCE_EXHAUSTED, '', { 'grpc-retry-pushback-ms': '1' }),
      3,
    ],
    ['that would exceed the timeout', unavailable({ 'grpc-retry-pushback-ms': '60000' }), 1],
  ])('%s', async (_, error, attempts) => {
    let count = 0
    const { client } = await health(() => {
      count += 1
      throw error
    })
    await failure(client.check({}))
    expect(count).toBe(attempts)
  })

  it('ends during its delay when the caller aborts', async () => {
    const { client } = await health(() => {
      throw unavailable({ 'grpc-retry-pushback-ms': '20000' })
    })
    const reason = new Error('enough')
    const controller = new AbortController()
    const timerStarted = watchStartedTimers()
    const call = client.check({}, { signal: controller.signal, onTrailers: () => undefined })
    await timerStarted(20_000)
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
  })
})

describe('several clients', () => {
  it('share a transport, which stays open when one of them is closed', async () => {
    const { url } = await health(() => ({ status: 1 }))
    const ownClient = createGrpcClient(HealthDefinition, { url })
    await ownClient.check({})
    await ownClient.close()
    expect((await failure(ownClient.check({}, { retries: 0 }))).code).toBe('GRPC_STATUS')
    const transport: Transport = createHttp2Transport(url)
    closing.push(() => transport.close())
    const first = createGrpcClient(HealthDefinition, { transport, auth })
    const second = createGrpcClient(HealthDefinition, { transport })
    await first.close()
    expect(await second.check({})).toEqual({ status: 1 })
  })
})

describe('the options', () => {
  const url = 'https://node.example.com'

  it.each(['s3cr3t\nx', 's3cr3t…', ''])(
    'reject the token %j, which is invalid as metadata, without showing it',
    (invalid) => {
      const attempt = () =>
        createGrpcClient(HealthDefinition, { url, auth: { kind: 'x-token', token: invalid } })
      expect(attempt).toThrow('CONFIG_INVALID')
      expect(attempt).not.toThrow('s3cr3t')
    },
  )

  it.each<[string, Partial<GrpcClientOptions>]>([
    ['url', { url: 'node:443' }],
    ['url', { url: 'https://user:s3cr3t@node.example.com' }],
    ['url', { url: 'https://node.example.com/s3cr3t' }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['retries', { retries: -1 }],
    ['connection', { connection: { streamWindowBytes: 1 } }],
  ])('reject an invalid %s', (option, invalid) => {
    const attempt = () => createGrpcClient(HealthDefinition, { url, auth, ...invalid })
    expect(attempt).toThrow('CONFIG_INVALID')
    expect(attempt).toThrow(option)
    expect(attempt).not.toThrow('s3cr3t')
  })

  it('are typed by the service', () => {
    const calls = async () => {
      const client = createGrpcClient(HealthDefinition, { url, auth })
      const geyser = createGrpcClient(GeyserDefinition, { url, auth })
      // @ts-expect-error no such method
      await client.ping({})
      // @ts-expect-error the name of the service is a string
      await client.check({ service: 1 })
      // @ts-expect-error a stream is not a promise
      await client.watch({ service: '' }).then(String)
      // @ts-expect-error a stream of requests is an iterable
      geyser.subscribe({})
      // @ts-expect-error no such level
      await geyser.getSlot({ commitment: 7 })
      await geyser.getSlot({})
      const { slot } = await geyser.getSlot({ commitment: CommitmentLevel.CONFIRMED })
      expectTypeOf(slot).toBeBigInt()
      for await (const { updateOneof } of geyser.subscribe([{ slots: { all: {} } }])) {
        if (updateOneof?.$case === 'slot') expectTypeOf(updateOneof.value.slot).toBeBigInt()
      }
    }
    expectTypeOf(calls).toBeFunction()
    const create = () => {
      // @ts-expect-error gRPC accepts only an x-token
      createGrpcClient(HealthDefinition, { url, auth: { kind: 'token', token } })
    }
    expect(create).toThrow('auth.kind')
  })
})
