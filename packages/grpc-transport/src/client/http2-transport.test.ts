import * as grpc from '@grpc/grpc-js'
import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { waitWithoutTimers } from '@fairlead/vitest/wait-for'
import { callUnary, GrpcError, Status } from '../wire/index.ts'
import { createHttp2Transport } from './http2-transport.ts'
import { closeAll, closeLater, failureOf, readAll, transportTo } from './testing/servers.ts'

afterEach(closeAll)

const bytes = (text: string) => new TextEncoder().encode(text)
const texts = (messages: readonly Uint8Array[]) =>
  messages.map((message) => new TextDecoder().decode(message))
const same = (value: Buffer) => value

function method(path: string, requestStream: boolean, responseStream: boolean) {
  const codec = {
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  }
  return { path: `/test.Echo/${path}`, requestStream, responseStream, ...codec }
}

const service = {
  one: method('One', false, false),
  list: method('List', false, true),
  collect: method('Collect', true, false),
  call: method('Talk', true, true),
  wait: method('Wait', false, false),
}

/** A grpc-js server that echoes messages. */
async function serveEcho(options: grpc.ServerOptions = {}) {
  const observed: {
    metadata?: grpc.Metadata
    deadline?: grpc.Deadline
    waiting: number
    cancelled: number
  } = { waiting: 0, cancelled: 0 }
  const server = new grpc.Server(options)
  server.addService(service, {
    one: (call: grpc.ServerUnaryCall<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => {
      observed.metadata = call.metadata
      observed.deadline = call.getDeadline()
      const headers = new grpc.Metadata()
      headers.set('said-bin', Buffer.from([0, 255]))
      call.sendMetadata(headers)
      const trailers = new grpc.Metadata()
      trailers.set('last', 'yes')
      trailers.set('grpc-status-details-bin', Buffer.from([8, 5]))
      if (call.request.toString() === 'fail') {
        done({ code: grpc.status.NOT_FOUND, details: 'no: 100% ünknown', metadata: trailers })
      } else done(null, call.request, trailers)
    },
    list: (call: grpc.ServerWritableStream<Buffer, Buffer>) => {
      for (const word of call.request.toString().split(' ')) call.write(Buffer.from(word))
      call.end()
    },
    collect: (call: grpc.ServerReadableStream<Buffer, Buffer>, done: grpc.sendUnaryData<Buffer>) => {
      const chunks: Buffer[] = []
      call.on('data', (chunk: Buffer) => chunks.push(chunk))
      call.on('end', () => done(null, Buffer.concat(chunks)))
    },
    call: (call: grpc.ServerDuplexStream<Buffer, Buffer>) => {
      call.on('data', (word: Buffer) => call.write(word))
      call.on('end', () => call.end())
      call.on('cancelled', () => observed.cancelled++)
    },
    wait: (call: grpc.ServerUnaryCall<Buffer, Buffer>) => {
      observed.waiting++
      call.on('cancelled', () => observed.cancelled++)
    },
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  closeLater(() => server.forceShutdown())
  return { url: `http://127.0.0.1:${port}`, observed }
}

describe('createHttp2Transport with a server of grpc-js', () => {
  test('makes a unary call with metadata both ways', async () => {
    const { url, observed } = await serveEcho()
    const metadata = {
      'x-token': 't0k3n',
      'trace-bin': [Uint8Array.of(1), Uint8Array.of(2, 3)],
      many: ['a', 'b'],
    }
    const start = { path: '/test.Echo/One', metadata, timeoutMs: 20_000 }
    const response = await callUnary(transportTo(url), start, bytes('hello'))
    expect(texts([response.message])).toEqual(['hello'])
    expect(response.headers['said-bin']).toEqual(Uint8Array.of(0, 255))
    expect(response.trailers).toMatchObject({ last: 'yes' })
    expect(observed.metadata?.get('x-token')).toEqual(['t0k3n'])
    expect(observed.metadata?.get('trace-bin')).toEqual([Buffer.of(1), Buffer.of(2, 3)])
    expect(observed.metadata?.get('many')).toEqual(['a, b'])
    expect(observed.metadata?.get('user-agent')).toEqual(['grpc-node-fairlead'])
    expect(Number(observed.deadline) - Date.now()).toBeLessThanOrEqual(20_000)
  })

  test('fails with the status, its message and its metadata', async () => {
    const { url } = await serveEcho()
    const call = transportTo(url).open({ path: '/test.Echo/One' })
    void call.send(bytes('fail'))
    call.end()
    const error = await failureOf(call.readable())
    expect(error).toMatchObject({
      code: Status.NOT_FOUND,
      detail: 'no: 100% ünknown',
      metadata: { last: 'yes', 'grpc-status-details-bin': Uint8Array.of(8, 5) },
      isUnprocessed: false,
    })
    expect(await call.headers).toMatchObject({ 'said-bin': Uint8Array.of(0, 255) })
    expect(call.trailers).toMatchObject({ last: 'yes' })
  })

  test('reads a stream, writes a stream, and does both', async () => {
    const { url } = await serveEcho()
    const transport = transportTo(url)

    const list = transport.open({ path: '/test.Echo/List' })
    void list.send(bytes('a b c'))
    list.end()
    expect(texts(await readAll(list))).toEqual(['a', 'b', 'c'])

    const collect = transport.open({ path: '/test.Echo/Collect' })
    for (const word of ['x', 'y', 'z']) await collect.send(bytes(word))
    collect.end()
    expect(texts(await readAll(collect))).toEqual(['xyz'])

    const call = transport.open({ path: '/test.Echo/Talk' })
    for (const word of ['one', 'two']) {
      await call.send(bytes(word))
      expect(await call.readable()).toBe(true)
      expect(texts([call.read() ?? bytes('')])).toEqual([word])
      expect(call.read()).toBeUndefined()
    }
    call.end()
    expect(await call.readable()).toBe(false)
    expect(await call.readable()).toBe(false)
    await expect(call.send(bytes('late'))).resolves.toBeUndefined()
  })

  test('compresses what it sends', async () => {
    const { url } = await serveEcho()
    const transport = transportTo(url, { compression: 'gzip' })
    const message = bytes('a'.repeat(100_000))
    expect((await callUnary(transport, { path: '/test.Echo/One' }, message)).message).toEqual(message)
  })

  test('ends at its deadline and notifies the server', async () => {
    const { url, observed } = await serveEcho()
    const transport = transportTo(url)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const callWithin = (timeoutMs: number) =>
      failureOf(callUnary(transport, { path: '/test.Echo/Wait', timeoutMs }, bytes('')))
    const late = callWithin(50)
    await waitWithoutTimers(() => observed.waiting === 1)
    vi.advanceTimersByTime(50)
    expect((await late).message).toBe('DEADLINE_EXCEEDED: no answer within 50 ms')
    expect((await callWithin(0)).message).toBe('DEADLINE_EXCEEDED: no answer within 0 ms')
    vi.useRealTimers()
    await expect.poll(() => observed.cancelled).toBe(1)
  })

  test('ends with the reason of the signal and notifies the server', async () => {
    const { url, observed } = await serveEcho()
    const transport = transportTo(url)
    const controller = new AbortController()
    const call = transport.open({ path: '/test.Echo/Talk', signal: controller.signal })
    await call.send(bytes('a'))
    expect(await call.readable()).toBe(true)
    call.read()
    const waiting = call.readable()
    controller.abort('enough')
    await expect(waiting).rejects.toBe('enough')
    await expect(call.readable()).rejects.toBe('enough')
    await expect(call.headers).resolves.toBeDefined()
    await expect.poll(() => observed.cancelled).toBe(1)

    const lateCall = transport.open({ path: '/test.Echo/Talk', signal: controller.signal })
    await expect(lateCall.readable()).rejects.toBe('enough')
    await expect(lateCall.headers).rejects.toBe('enough')
  })

  test('is cancelled without a reason', async () => {
    const { url, observed } = await serveEcho()
    const call = transportTo(url).open({ path: '/test.Echo/Talk' })
    await call.send(bytes('a'))
    await call.readable()
    call.cancel()
    expect(call.read()).toBeUndefined()
    expect((await failureOf(call.readable())).code).toBe(Status.CANCELLED)
    await expect.poll(() => observed.cancelled).toBe(1)
  })

  test('makes many concurrent calls with one signal, and leaves no listener on it', async () => {
    const { url } = await serveEcho()
    const transport = transportTo(url)
    const { signal } = new AbortController()
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    const calls = Array.from({ length: 300 }, (_, index) =>
      callUnary(transport, { path: '/test.Echo/One', signal, timeoutMs: 60_000 }, bytes(`${index}`)),
    )
    const responses = texts((await Promise.all(calls)).map(({ message }) => message))
    expect(responses).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`))
    process.off('warning', note)
    expect(warnings).toEqual([])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('rejects invalid metadata in the call, without the value', async () => {
    const transport = transportTo('http://127.0.0.1:1')
    const error = await failureOf(
      callUnary(transport, { path: '/a/b', metadata: { 'x-token': 's3cret\n' } }, bytes('')),
    )
    expect(error.code).toBe(Status.INVALID_ARGUMENT)
    expect(String(error)).not.toContain('s3cret')
  })

  test('rejects a URL with more than a host, and numbers out of range', () => {
    for (const url of ['x', 'ws://a', 'http://a/path', 'https://user:s3cret@a', 'https://a?token=s3cret']) {
      expect(() => createHttp2Transport(url)).toThrow(
        /^url must be https:\/\/host\[:port\] or http:\/\/host:port/,
      )
    }
    expect(() => createHttp2Transport('http://a', { keepaliveMs: -1 })).toThrow(RangeError)
    expect(() => createHttp2Transport('http://a', { maxMessageBytes: 0 })).toThrow(RangeError)
    expect(GrpcError.is(new GrpcError(Status.OK, ''))).toBe(true)
  })
})
