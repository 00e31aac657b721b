import {
  createConnectTransport as createConnectProtocol,
  createGrpcTransport,
} from '@connectrpc/connect-node'
import type { Transport } from '@fairlead/grpc-transport/wire'
import { once } from 'node:events'
import { inspect } from 'node:util'
import { settled } from '@fairlead/vitest/settled'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createConnectTransport } from './connect.ts'
import { GeyserDefinition, SubscribeRequest } from './geyser.ts'
import { createGrpcJsTransport } from './grpc-js.ts'
import { HealthDefinition } from './health.ts'
import { createGrpcClient, createHttp2Transport, FairleadError, Status, statusDetails } from './index.ts'
import { type EchoServer, startEchoServer } from './testing/echo-server.ts'
import { collect, failure } from './testing/outcomes.ts'
import { createGrpcWebTransport } from './web.ts'

/** Resolves when the client has cancelled a call of a method. Those of other tests may end late. */
function cancellationOf(method: string): Promise<void> {
  return new Promise((resolve) => {
    const record = (name: string) => {
      if (name !== method) return
      server.events.off('cancelled', record)
      resolve()
    }
    server.events.on('cancelled', record)
  })
}

const token = 's3cr3t-t0k3n'
const auth = { kind: 'x-token', token } as const
let server: EchoServer
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  server = await startEchoServer()
})
// The server reports writes that a cancellation broke, possibly in the next test.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined))
afterAll(() => server.close())
afterEach(async () => {
  server.events.removeAllListeners()
  for (const close of closing.splice(0)) await close()
})

type Open = (server: Pick<EchoServer, 'web' | 'http2'>) => Transport

const transports: readonly (readonly [string, Open])[] = [
  ['HTTP/2 of Node', ({ http2 }) => createHttp2Transport(http2)],
  ['grpc-js', ({ http2 }) => createGrpcJsTransport(http2, { 'grpc.max_receive_message_length': 1e8 })],
  [
    'Connect with gRPC',
    ({ http2 }) =>
      createConnectTransport(
        createGrpcTransport({ baseUrl: http2, sendCompression: undefined as never, acceptCompression: [] }),
      ),
  ],
  [
    'Connect with its own protocol',
    ({ http2 }) =>
      createConnectTransport(
        createConnectProtocol({ baseUrl: http2, httpVersion: '2', acceptCompression: [] }),
      ),
  ],
  ['gRPC-web, binary', ({ web }) => createGrpcWebTransport(web)],
  ['gRPC-web, text', ({ web }) => createGrpcWebTransport(web, { format: 'text' })],
]

const ping = (id: number) => ({ ping: { id } })

describe.each(transports)('a client over %s', (name, openTransport) => {
  const isDuplex = !name.startsWith('gRPC-web')

  function clients(at: Pick<EchoServer, 'web' | 'http2'> = server, timeoutMs = 5_000) {
    const transport = openTransport(at)
    closing.push(() => transport.close())
    const options = { transport, auth, timeoutMs, retries: 0 }
    return {
      transport,
      health: createGrpcClient(HealthDefinition, options),
      geyser: createGrpcClient(GeyserDefinition, options),
    }
  }

  it('sends token and metadata, and reports headers and trailers', async () => {
    const { health } = clients()
    const received: unknown[] = []
    const response = await health.check(
      { service: '' },
      {
        metadata: { 'trace-bin': Uint8Array.of(1, 2, 3) },
        onHeaders: (headers) => received.push(headers['seen-token'], headers['seen-trace-bin']),
        onTrailers: (trailers) => received.push(trailers['cost']),
      },
    )
    expect(response).toEqual({ status: 1 })
    expect(received).toEqual([token, Uint8Array.of(1, 2, 3), '7'])
  })

  it('reads large messages and 64-bit numbers', async () => {
    const { geyser } = clients()
    expect((await geyser.getVersion({})).version).toBe('ü'.repeat(400_000))
    expect((await geyser.getSlot({})).slot).toBe(2n ** 64n - 1n)
  })

  it('reads bytes unchanged', async () => {
    const { geyser } = clients()
    const [update] = await collect(geyser.subscribe([ping(100_000)]))
    expect(update).toMatchObject({ filters: ['a', ''], updateOneof: { value: { slot: 9n } } })
    const data = update?.updateOneof?.$case === 'account' && update.updateOneof.value.account?.data
    expect(data).toEqual(Uint8Array.from({ length: 100_000 }, (_, index) => index % 251))
    expect(Object.getPrototypeOf(data)).toBe(Uint8Array.prototype)
  })

  it('sends bytes unchanged', async () => {
    const read = async (transport: Transport) => {
      const call = transport.open({ path: '/geyser.Geyser/Subscribe' })
      await call.send(SubscribeRequest.encode(SubscribeRequest.fromPartial(ping(5_000))).finish())
      call.end()
      await call.readable()
      return call.read()
    }
    const direct = createHttp2Transport(server.http2)
    closing.push(() => direct.close())
    const bytes = await read(direct)
    expect(bytes?.length).toBeGreaterThan(5_000)
    expect(await read(clients().transport)).toEqual(bytes)
  })

  it('buffers messages for a late reader', async () => {
    const path = '/grpc.health.v1.Health/Check'
    const { transport, health } = clients()
    const call = transport.open({ path, requestStream: false, responseStream: false })
    await call.send(new Uint8Array())
    call.end()
    await health.check({ service: '' })
    expect(await call.readable()).toBe(true)
    expect(await call.readable()).toBe(true)
    expect(call.read()).toEqual(Uint8Array.of(8, 1))
    expect(call.read()).toBeUndefined()
    expect(await call.readable()).toBe(false)
    expect(call.trailers).toMatchObject({ cost: '7' })
  })

  it('maps a status with its message and metadata, without the token', async () => {
    const { health } = clients()
    const trailers: unknown[] = []
    const error = await failure(
      health.check({ service: 'refuse' }, { onTrailers: (received) => trailers.push(received['reason']) }),
    )
    expect(error.details).toEqual({
      operation: '/grpc.health.v1.Health/Check',
      status: Status.FAILED_PRECONDITION,
      statusName: 'FAILED_PRECONDITION',
      detail: 'not now *** 50 % ü',
    })
    expect(trailers).toEqual([`of ${token}`])
    const { metadata } = FairleadError.is(error, 'GRPC_STATUS') ? error.details : {}
    expect(metadata).toMatchObject({ reason: 'of ***', 'trace-bin': Uint8Array.of(1, 2, 3) })
    const forms = [String(error), error.stack, inspect(error, { depth: null, showHidden: true })]
    expect(forms.join('\n')).not.toContain(token)
  })

  it('reads a stream to its end', async () => {
    const { health } = clients()
    const trailers: unknown[] = []
    const responses = await collect(
      health.watch({ service: 'send 1000' }, { onTrailers: (received) => trailers.push(received['cost']) }),
    )
    expect(responses.map(({ status }) => status)).toEqual(
      Array.from({ length: 1000 }, (_, index) => index % 4),
    )
    expect(trailers).toEqual(['1000'])
    expect(await collect(health.watch({ service: 'none' }))).toEqual([])
  })

  it('delivers messages that arrived before a stream failed', async () => {
    const { health } = clients()
    const received: unknown[] = []
    const error = await failure(
      (async () => {
        for await (const response of health.watch({ service: 'fail 10' })) {
          // The end has arrived before the rest is read.
          if (received.push(response) === 1) await health.check({ service: '' })
        }
      })(),
    )
    expect(received).toHaveLength(10)
    expect(error.details).toMatchObject({ status: 9, detail: 'not now *** 50 % ü' })
  })

  it('cancels on the server when the reader stops early', async () => {
    const { health } = clients()
    const cancelled = cancellationOf('Watch')
    for await (const response of health.watch({ service: 'hang 1' })) {
      expect(response).toEqual({ status: 0 })
      break
    }
    await cancelled
  })

  it('ends with the abort reason of the caller, also on the server', async () => {
    const { health } = clients()
    const reason = new Error('enough')
    for (const [method, call] of [
      ['Check', (signal: AbortSignal) => health.check({ service: 'hang' }, { signal })],
      ['Watch', (signal: AbortSignal) => collect(health.watch({ service: 'hang 2' }, { signal }))],
    ] as const) {
      const controller = new AbortController()
      const waiting = once(server.events, 'waiting')
      const cancelled = cancellationOf(method)
      const result = expect(call(controller.signal)).rejects.toBe(reason)
      await waiting
      controller.abort(reason)
      await result
      await cancelled
      await expect(call(AbortSignal.abort(reason))).rejects.toBe(reason)
    }
  })

  it('ends with its deadline', async () => {
    const { health } = clients()
    // Sequential: otherwise a rejection of the second one would be unhandled when the first one fails.
    const unary = await failure(health.check({ service: 'hang' }, { timeoutMs: 50 }))
    expect(unary.details).toMatchObject({ status: Status.DEADLINE_EXCEEDED })
    const stream = await failure(collect(health.watch({ service: 'hang 1' }, { timeoutMs: 50 })))
    expect(stream.details).toMatchObject({ status: Status.DEADLINE_EXCEEDED })
  })

  it('reports a missing server and a missing method', async () => {
    const nowhere = clients({ web: 'http://127.0.0.1:1', http2: 'http://127.0.0.1:1' })
    const error = await failure(nowhere.health.check({ service: '' }))
    expect(error.details).toMatchObject({ status: Status.UNAVAILABLE })
    const missing = await failure(clients().geyser.getBlockHeight({}))
    expect(missing.details).toMatchObject({ status: Status.UNIMPLEMENTED })
  })

  it.runIf(isDuplex)('sends requests while it reads', async () => {
    const { geyser } = clients()
    const lengths: number[] = []
    let resolveResponse = () => {}
    async function* requests() {
      for (const id of [1, 2, 3]) {
        const response = new Promise<void>((resolve) => {
          resolveResponse = resolve
        })
        yield ping(id)
        await response
      }
    }
    for await (const { updateOneof } of geyser.subscribe(requests())) {
      if (updateOneof?.$case === 'account') lengths.push(updateOneof.value.account?.data.length ?? 0)
      resolveResponse()
    }
    expect(lengths).toEqual([1, 2, 3])
  })

  it.runIf(!isDuplex)('rejects a second request, and does not wait for the end of the first', async () => {
    const { geyser } = clients()
    async function* lasting() {
      yield ping(4)
      await new Promise(() => {})
    }
    const stream = geyser.subscribe(lasting())
    expect((await stream.next()).done).toBe(false)
    expect((await stream.next()).done).toBe(true)
    const error = await failure(collect(geyser.subscribe([ping(1), ping(2)])))
    expect(error.details).toMatchObject({ status: Status.UNIMPLEMENTED })
  })

  it('leaves unread messages on the other side', async () => {
    const { geyser, health } = clients()
    server.sent.count = 0
    const stream = geyser.subscribe([ping(-200)])
    await stream.next()
    await settled(
      () => server.sent.count,
      () => health.check({ service: '' }),
    )
    expect(server.sent.count).toBeLessThan(200)
    await stream.return()
  })

  it('ends open calls when it is closed', async () => {
    const { health, transport } = clients()
    const waiting = once(server.events, 'waiting')
    const call = failure(health.check({ service: 'hang' }))
    await waiting
    await transport.close()
    expect((await call).details).toMatchObject({ status: Status.CANCELLED })
    expect((await failure(health.check({ service: '' }))).details).toMatchObject({
      operation: '/grpc.health.v1.Health/Check',
    })
  })
})

it('the details of a status are decoded', async () => {
  const transport = createGrpcWebTransport(server.http1)
  const health = createGrpcClient(HealthDefinition, { transport })
  const error = await failure(health.check({ service: 'refuse' }))
  expect(statusDetails(error)).toEqual({
    code: Status.FAILED_PRECONDITION,
    message: 'not now  50 % ü',
    details: [{ typeUrl: 'type.googleapis.com/google.rpc.RetryInfo', value: Uint8Array.of(10, 2, 8, 5) }],
  })
})

it.each(['https://user:s3cr3t@node.example.com', 'https://node.example.com?key=s3cr3t', 'node:443 s3cr3t'])(
  'an invalid URL %j is rejected immediately, and not shown',
  (url) => {
    for (const create of [createGrpcWebTransport, createGrpcJsTransport, createHttp2Transport]) {
      const error: unknown = catchError(() => create(url))
      expect(error).toBeInstanceOf(TypeError)
      expect(inspect(error, { showHidden: true })).not.toContain('s3cr3t')
    }
  },
)

it('a path is rejected where it would be ignored', () => {
  for (const create of [createGrpcJsTransport, createHttp2Transport]) {
    expect(() => create('https://node.example.com/s3cr3t')).toThrow(TypeError)
  }
})

function catchError(action: () => unknown): unknown {
  try {
    return action()
  } catch (error) {
    return error
  }
}
