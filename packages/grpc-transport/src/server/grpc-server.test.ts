import * as grpc from '@grpc/grpc-js'
import { afterEach, describe, expect, it } from 'vitest'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import { createGrpcServer } from './grpc-server.ts'
import { implement } from './implement.ts'
import {
  closeAll,
  grpcJsClient,
  outcomeOf,
  serveText,
  TextDefinition,
  type TextHandlers,
} from './testing/text-service.ts'

afterEach(closeAll)

const plain: TextHandlers = {
  one: (request) => `${request}!`,
  async *list(request) {
    for (const word of request.split(' ')) yield word
  },
  async collect(requests) {
    const all: string[] = []
    for await (const request of requests) all.push(request)
    return all.join(' ')
  },
  async *talk(requests) {
    for await (const request of requests) yield request.toUpperCase()
  },
}

describe('the four kinds of method', () => {
  it('work with grpc-js', async () => {
    const server = await serveText(plain)
    const client = grpcJsClient(server)
    expect(await client.one('hello')).toBe('hello!')
    expect(await client.collect(['a', 'b', 'c'])).toBe('a b c')
    expect(await outcomeOf(client.list('x y z'))).toMatchObject({ messages: ['x', 'y', 'z'], code: 0 })
    const call = client.talk()
    call.write('one')
    call.write('two')
    call.end()
    expect(await outcomeOf(call)).toMatchObject({ messages: ['ONE', 'TWO'], code: 0 })
    await expect.poll(() => server.openCalls).toBe(0)
  })

  it('serve many concurrent calls on one connection', async () => {
    const client = grpcJsClient(await serveText(plain))
    const numbers = Array.from({ length: 300 }, (_, index) => `${index}`)
    expect(await Promise.all(numbers.map((number) => client.one(number)))).toEqual(
      numbers.map((n) => `${n}!`),
    )
  })

  it('support messages of many megabytes, empty ones, and 20 000 in order', async () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `${index}`)
    const large = 'x'.repeat(9_000_000)
    const server = await serveText(
      {
        one: (request) => request + request,
        async *list() {
          yield ''
          yield* words
        },
      },
      { maxMessageBytes: 10_000_000 },
    )
    const client = grpcJsClient(server, { 'grpc.max_receive_message_length': -1 })
    expect((await client.one(large)).length).toBe(18_000_000)
    expect(await client.one('')).toBe('')
    const { messages, code } = await outcomeOf(client.list(''))
    expect(code).toBe(0)
    expect(messages).toEqual(['', ...words])
  })

  it('send the headers of a stream before its first message', async () => {
    const server = await serveText({
      async *talk(requests) {
        for await (const request of requests) yield request
      },
    })
    const call = grpcJsClient(server).talk()
    await new Promise((resolve) => call.once('metadata', resolve))
    call.end()
    expect(await outcomeOf(call)).toMatchObject({ messages: [], code: 0 })
  })
})

describe('metadata', () => {
  it('is sent both ways, text and bytes', async () => {
    const received: unknown[] = []
    const server = await serveText({
      async *list(_, call) {
        received.push(call.metadata, call.path, call.remoteAddress)
        call.sendHeaders({ 'first-bin': Uint8Array.of(0, 255), first: ['a', 'b'] })
        yield 'x'
        call.setTrailers({ last: 'c', 'last-bin': Uint8Array.of(1) })
      },
    })
    const metadata = new grpc.Metadata()
    metadata.set('x-token', 'secret')
    metadata.set('trace-bin', Buffer.from([1, 2, 3]))
    const { client } = grpcJsClient(server)
    const call = client.makeServerStreamRequest(
      '/test.Text/List',
      (text: string) => Buffer.from(text),
      (bytes) => bytes.toString(),
      'x',
      metadata,
    )
    const headers = new Promise<grpc.Metadata>((resolve) => call.once('metadata', resolve))
    const { trailers } = await outcomeOf(call)
    expect(received).toEqual([
      {
        'x-token': 'secret',
        'trace-bin': Uint8Array.of(1, 2, 3),
        'user-agent': expect.stringMatching(/^grpc-node-js/),
        'accept-encoding': 'identity',
      },
      '/test.Text/List',
      '127.0.0.1',
    ])
    expect((await headers).get('first-bin')).toEqual([Buffer.from([0, 255])])
    expect((await headers).get('first')).toEqual(['a, b'])
    expect(trailers).toMatchObject({ last: 'c', 'last-bin': Buffer.from([1]) })
  })
})

describe('an error', () => {
  it('is the status with its message and metadata, before and after messages', async () => {
    const detail = 'nothing at 100 % of https://a/b: ü\n'
    const server = await serveText({
      one: () => {
        throw new GrpcError(Status.NOT_FOUND, detail, { why: 'no', 'why-bin': Uint8Array.of(9) })
      },
      async *list() {
        yield 'x'
        throw new GrpcError(Status.OUT_OF_RANGE, detail)
      },
    })
    const client = grpcJsClient(server)
    const error = (await client.one('').catch((reason: unknown) => reason)) as grpc.ServiceError
    expect(error).toMatchObject({ code: 5, details: detail })
    expect(error.metadata.get('why')).toEqual(['no'])
    expect(error.metadata.get('why-bin')).toEqual([Buffer.from([9])])
    expect(await outcomeOf(client.list(''))).toMatchObject({ messages: ['x'], code: 11, details: detail })
  })

  it('that is not a status is reported to the operator only', async () => {
    const faults: unknown[] = []
    const fault = new Error('password')
    const server = await serveText(
      {
        one: () => Promise.reject(fault),
        list: () => {
          throw fault
        },
        async *talk() {
          yield 'x'
          throw fault
        },
        collect: () => {
          throw new GrpcError(Status.NOT_FOUND, '', { 'bad name': 'x' })
        },
      },
      { onFault: (error, path) => faults.push([error, path]) },
    )
    const client = grpcJsClient(server)
    const unknown = { code: 2, details: 'internal error' }
    await expect(client.one('')).rejects.toMatchObject(unknown)
    expect(await outcomeOf(client.list(''))).toMatchObject(unknown)
    expect(await outcomeOf(client.talk())).toMatchObject({ ...unknown, messages: ['x'] })
    await expect(client.collect([])).rejects.toMatchObject(unknown)
    expect(faults).toEqual([
      [fault, '/test.Text/One'],
      [fault, '/test.Text/List'],
      [fault, '/test.Text/Talk'],
      [expect.objectContaining({ code: Status.INVALID_ARGUMENT }), '/test.Text/Collect'],
    ])
  })

  it('with metadata that HTTP/2 rejects is sent without it, in headers and in trailers', async () => {
    const invalid = { 'retry-after': ['1', '2'] }
    const faults: unknown[] = []
    const server = await serveText(
      {
        one: () => {
          throw new GrpcError(Status.ABORTED, '', invalid)
        },
        async *list() {
          yield 'x'
          throw new GrpcError(Status.ABORTED, '', invalid)
        },
        async *talk(_, call) {
          yield 'x'
          call.setTrailers(invalid)
        },
      },
      { onFault: (error) => faults.push(error) },
    )
    const client = grpcJsClient(server)
    await expect(client.one('')).rejects.toMatchObject({ code: 2 })
    expect(await outcomeOf(client.list(''))).toMatchObject({ messages: ['x'], code: 2 })
    expect(await outcomeOf(client.talk())).toMatchObject({ messages: ['x'], code: 3 })
    expect(faults).toHaveLength(2)
  })

  it.each([
    ['/test.Text/List', 12, 'the server does not have this method'],
    ['/test.Other/One', 12, 'the server does not have this method'],
    ['/One', 12, 'the path of a call is /service/method'],
  ])('is returned for the path %s, which is not served', async (path, code, details) => {
    const { client } = grpcJsClient(await serveText({ one: plain.one }))
    const call = client.makeServerStreamRequest(
      path,
      (text: string) => Buffer.from(text),
      (bytes) => bytes.toString(),
      'x',
    )
    expect(await outcomeOf(call)).toMatchObject({ code, details })
  })

  it('is returned for a missing request, and for more than one', async () => {
    const faults: unknown[] = []
    const server = await serveText(plain, { onFault: (error) => faults.push(error), maxMessageBytes: 100 })
    const { client } = grpcJsClient(server)
    const send = (...messages: Buffer[]) => {
      const call = client.makeBidiStreamRequest(
        '/test.Text/One',
        (bytes: Buffer) => bytes,
        (bytes) => bytes.toString(),
      )
      for (const message of messages) call.write(message)
      call.end()
      return outcomeOf(call)
    }
    const expected = { code: 12, details: 'the method takes exactly one request' }
    expect(await send()).toMatchObject(expected)
    expect(await send(Buffer.from('a'), Buffer.from('b'))).toMatchObject(expected)
    expect(await send(Buffer.from([0xff]))).toMatchObject({
      code: 13,
      details: 'a request cannot be decoded',
    })
    expect(await send(Buffer.alloc(101))).toMatchObject({
      code: 8,
      details: 'a message of 101 bytes is larger than the limit of 100',
    })
    expect(await send(Buffer.alloc(100, 'x'))).toMatchObject({ code: 0 })
    expect(faults).toEqual([])
  })

  it('is thrown for a method with two implementations', () => {
    const implementation = implement(TextDefinition, plain)
    expect(() => createGrpcServer({ implementations: [implementation, implementation] })).toThrow(
      'two implementations have the method /test.Text/One',
    )
  })
})
