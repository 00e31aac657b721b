import { EventEmitter, once } from 'node:events'
import { settled } from '@fairlead/vitest/settled'
import { afterEach, describe, expect, it } from 'vitest'
import {
  callUnary,
  createHttp2Transport,
  frameMessage,
  GrpcError,
  type Http2TransportOptions,
  raw,
  Status,
} from './index.ts'
import { listenToBoth } from './listen/testing/both-servers.ts'
import { closeAll, closeLater, serveText, type TextHandlers } from './server/testing/text-service.ts'
import type { GrpcServerOptions } from './server/grpc-server.ts'

afterEach(closeAll)

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (message: Uint8Array) => new TextDecoder().decode(message)

async function join(
  handlers: TextHandlers,
  options: Omit<GrpcServerOptions, 'implementations'> = {},
  clientOptions: Http2TransportOptions = {},
) {
  const server = await serveText(handlers, options)
  const transport = createHttp2Transport(server.url, clientOptions)
  closeLater(() => transport.close())
  return { server, transport }
}

/** Reads a call to its end. */
async function readAll(call: { readable(): Promise<boolean>; read(): Uint8Array | undefined }) {
  const messages: string[] = []
  while (await call.readable()) {
    for (let message = call.read(); message !== undefined; message = call.read()) messages.push(text(message))
  }
  return messages
}

describe('the client and the server', () => {
  it('make unary calls with metadata, one after the other and many at once', async () => {
    const { transport, server } = await join({
      one: (request, call) => {
        call.sendHeaders({ first: String(call.metadata['x-token']) })
        call.setTrailers({ 'last-bin': Uint8Array.of(1, 2) })
        return `${request}!`
      },
    })
    const start = { path: '/test.Text/One', metadata: { 'x-token': 'token' } }
    const response = await callUnary(transport, start, bytes('hello'))
    expect(text(response.message)).toBe('hello!')
    expect(response.headers).toMatchObject({ first: 'token' })
    expect(response.trailers).toEqual({ 'last-bin': Uint8Array.of(1, 2) })
    const many = Array.from({ length: 500 }, (_, index) => callUnary(transport, start, bytes(`${index}`)))
    const texts = (await Promise.all(many)).map(({ message }) => text(message))
    expect(texts).toEqual(Array.from({ length: 500 }, (_, index) => `${index}!`))
    await expect.poll(() => server.openCalls).toBe(0)
  })

  it('stream both ways, in order, also when either side is slow', async () => {
    const { transport } = await join({
      async *talk(requests) {
        for await (const request of requests) for (let copy = 0; copy < 10; copy++) yield `${request}.${copy}`
      },
    })
    const call = transport.open({ path: '/test.Text/Talk' })
    const sending = (async () => {
      for (let index = 0; index < 2_000; index++) await call.send(bytes(`${index}`))
      call.end()
    })()
    const messages = await readAll(call)
    await sending
    expect(messages).toHaveLength(20_000)
    expect(messages.every((message, index) => message === `${Math.floor(index / 10)}.${index % 10}`)).toBe(
      true,
    )
  })

  it.each(['gzip', 'zstd'] as const)('compress with %s on both sides', async (compression) => {
    const long = 'hello '.repeat(50_000)
    const { transport } = await join(
      { one: (request) => request + request },
      { compression },
      { compression },
    )
    const { message } = await callUnary(transport, { path: '/test.Text/One' }, bytes(long))
    expect(text(message)).toBe(long + long)
  })

  it('agree on how a call ends', async () => {
    const ends: unknown[] = []
    const { transport } = await join(
      {
        one: (request) => {
          throw new GrpcError(Status.FAILED_PRECONDITION, request, { why: 'so' })
        },
        async *list(_, call) {
          yield 'x'
          await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
          ends.push(call.signal.reason)
        },
        talk: raw(async (stream) => {
          await stream.readable()
          stream.write(frameMessage(bytes('last')))
          stream.end(Status.DATA_LOSS, 'é %')
        }),
      },
      { maxMessageBytes: 1_000 },
    )
    const pending = callUnary(transport, { path: '/test.Text/One' }, bytes('words'))
    await expect(pending).rejects.toMatchObject({
      code: Status.FAILED_PRECONDITION,
      detail: 'words',
      metadata: { why: 'so' },
    })
    const none = callUnary(transport, { path: '/test.Text/None' }, bytes(''))
    await expect(none).rejects.toMatchObject({ code: Status.UNIMPLEMENTED })
    const large = callUnary(transport, { path: '/test.Text/One' }, new Uint8Array(1_001))
    await expect(large).rejects.toMatchObject({ code: Status.RESOURCE_EXHAUSTED })
    const call = transport.open({ path: '/test.Text/Talk' })
    await call.send(bytes('a'))
    expect(await call.readable()).toBe(true)
    expect(text(call.read() ?? bytes(''))).toBe('last')
    await expect(call.readable()).rejects.toMatchObject({ code: Status.DATA_LOSS, detail: 'é %' })
    for (const end of ['cancel', 'deadline']) {
      const list = transport.open({
        path: '/test.Text/List',
        ...(end === 'deadline' && { timeoutMs: 1_000 }),
      })
      await list.send(bytes(''))
      list.end()
      expect(await list.readable()).toBe(true)
      list.read()
      if (end === 'cancel') list.cancel()
      const code = end === 'cancel' ? Status.CANCELLED : Status.DEADLINE_EXCEEDED
      await expect(list.readable()).rejects.toMatchObject({ code })
    }
    await expect.poll(() => ends).toHaveLength(2)
  })

  it('apply backpressure to a stream of 60 megabytes until it is read', async () => {
    let made = 0
    const message = 'x'.repeat(60_000)
    const { transport } = await join(
      {
        async *list() {
          for (; made < 1_000; made++) yield message
        },
        one: (request) => request,
      },
      {},
      { streamWindowBytes: 1_000_000 },
    )
    const call = transport.open({ path: '/test.Text/List' })
    await call.send(bytes(''))
    call.end()
    await expect.poll(() => made).toBeGreaterThan(0)
    await settled(
      () => made,
      () => callUnary(transport, { path: '/test.Text/One' }, bytes('')),
    )
    expect(made).toBeLessThan(200)
    expect(await readAll(call)).toHaveLength(1_000)
  })

  it('work on a port that also serves HTTP/1.1', async () => {
    const both = await listenToBoth()
    const transport = createHttp2Transport(both.url)
    closeLater(() => transport.close())
    const { message } = await callUnary(transport, { path: '/test.Text/One' }, bytes('hello'))
    expect(text(message)).toBe('hello from 127.0.0.1')
  })

  it('lose no call when the server stops', async () => {
    const events = new EventEmitter()
    const called = once(events, 'called')
    const { transport, server } = await join({
      one: (request) => {
        events.emit('called')
        return request
      },
    })
    const calls = Array.from({ length: 200 }, (_, index) =>
      callUnary(transport, { path: '/test.Text/One' }, bytes(`${index}`)),
    )
    await called
    await server.stop(10_000)
    const texts = (await Promise.all(calls)).map(({ message }) => text(message))
    expect(texts).toEqual(calls.map((_, index) => `${index}`))
  })
})
