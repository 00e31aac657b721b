import { once } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import { setTimeout as pause } from 'node:timers/promises'
import { settled } from '@fairlead/vitest/settled'
import { afterEach, describe, expect, it } from 'vitest'
import { frameMessage } from '../wire/frame.ts'
import { Status } from '../wire/status.ts'
import { raw } from './implement.ts'
import { responseOf, connection, openCall } from './testing/http2-client.ts'
import { closeAll, grpcJsClient, outcomeOf, serveText } from './testing/text-service.ts'

afterEach(closeAll)

/** Waits until the call ends in any other way than by its handler. */
function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true })
  })
}

/** Completes a call in parallel to the others of a connection. */
function roundTripOf(session: ClientHttp2Session): () => Promise<void> {
  return async () => {
    const call = openCall(session, '/test.Text/One')
    call.end(frameMessage(new Uint8Array(3)))
    expect((await responseOf(call)).status).toBe('0')
  }
}

describe('a deadline', () => {
  it('ends the call on the server, and notifies the handler', async () => {
    const reasons: unknown[] = []
    const deadlines: (number | undefined)[] = []
    const server = await serveText({
      one: async (_, call) => {
        deadlines.push(call.deadline)
        reasons.push(await aborted(call.signal))
        return 'late'
      },
    })
    // grpc-js would end the call itself; this client leaves it to the server.
    const call = openCall(await connection(server.url), '/test.Text/One', { 'grpc-timeout': '300m' })
    call.end(frameMessage(new Uint8Array(3)))
    const { fields } = await responseOf(call)
    expect(fields).toMatchObject({
      ':status': 200,
      'grpc-status': '4',
      'grpc-message': 'the deadline of the call has passed',
    })
    await expect.poll(() => reasons).toEqual([expect.objectContaining({ code: Status.DEADLINE_EXCEEDED })])
    expect(deadlines).toEqual([expect.any(Number)])
    expect(server.openCalls).toBe(0)
  })

  it('drops unread data of a complete response', async () => {
    const server = await serveText({ one: () => 'x'.repeat(1_000_000) })
    const call = openCall(await connection(server.url), '/test.Text/One', { 'grpc-timeout': '1000m' })
    call.end(frameMessage(new Uint8Array()))
    await once(call, 'response')
    expect(server.openCalls).toBe(1)
    await expect.poll(() => server.openCalls).toBe(0)
  })

  it('is enforced also if the handler has set trailers that cannot be sent', async () => {
    const server = await serveText({
      one: (_, call) => {
        call.setTrailers({ 'bad name': 'x' })
        return new Promise<string>(() => undefined)
      },
    })
    const call = openCall(await connection(server.url), '/test.Text/One', { 'grpc-timeout': '300m' })
    call.end(frameMessage(new Uint8Array()))
    expect(await responseOf(call)).toMatchObject({ status: '4' })
  })

  it('can be very late or invalid', async () => {
    const server = await serveText({ one: (request) => request })
    const session = await connection(server.url)
    const statusWith = async (timeout: string) => {
      const call = openCall(session, '/test.Text/One', { 'grpc-timeout': timeout })
      call.end(frameMessage(new Uint8Array(3)))
      return (await responseOf(call)).status
    }
    expect(await statusWith('99999999H')).toBe('0')
    expect(await statusWith('10S')).toBe('0')
    expect(await statusWith('soon')).toBe('13')
  })
})

describe('a client that cancels', () => {
  it('aborts the signal, pending request reads, and the iterable of the handler', async () => {
    const received: unknown[] = []
    const server = await serveText({
      async *talk(requests, call) {
        try {
          yield 'first'
          for await (const request of requests) received.push(request)
        } catch (error) {
          received.push(error, call.signal.aborted)
          throw error
        }
      },
      list: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise<never>(() => undefined),
          return: () => {
            received.push('closed')
            return Promise.resolve({ done: true, value: undefined })
          },
        }),
      }),
    })
    const session = await connection(server.url)
    await once(openCall(session, '/test.Text/Talk'), 'data')
    session.destroy()
    const cancelled = { code: Status.CANCELLED, detail: 'the client has cancelled the call' }
    await expect.poll(() => received).toEqual([expect.objectContaining(cancelled), true])
    const client = grpcJsClient(server)
    const list = client.list('')
    await once(list, 'metadata')
    list.on('error', () => undefined)
    list.cancel()
    await expect.poll(() => received.at(-1)).toBe('closed')
    await expect.poll(() => server.openCalls).toBe(0)
  })

  it('and one whose connection breaks look the same to the handler, and are not faults', async () => {
    const faults: unknown[] = []
    const reasons: unknown[] = []
    const server = await serveText(
      {
        async *list(_, call) {
          yield 'x'
          reasons.push(await aborted(call.signal))
          call.signal.throwIfAborted()
        },
        one: async (_, call) => {
          await pause(60_000, undefined, { signal: call.signal })
          return ''
        },
      },
      { onFault: (error) => faults.push(error) },
    )
    const session = await connection(server.url)
    for (const method of ['List', 'One']) {
      openCall(session, `/test.Text/${method}`).end(frameMessage(new Uint8Array(3)))
    }
    await expect.poll(() => server.openCalls).toBe(2)
    session.destroy()
    await expect.poll(() => reasons).toEqual([expect.objectContaining({ code: Status.CANCELLED })])
    await expect.poll(() => server.openCalls).toBe(0)
    expect(faults).toEqual([])
  })
})

describe('a client that does not read', () => {
  it('applies backpressure to the handler', async () => {
    let made = 0
    const message = 'x'.repeat(10_000)
    const server = await serveText({
      async *list() {
        for (; made < 2_000; made++) yield message
      },
      one: (request) => request,
    })
    const session = await connection(server.url)
    const call = openCall(session, '/test.Text/List')
    call.end(frameMessage(new Uint8Array(3)))
    await once(call, 'response')
    call.pause()
    await settled(() => made, roundTripOf(session))
    // The window of the stream, the buffer of the socket, and the write buffer of one call.
    expect(made).toBeLessThan(200)
    const { messages, status } = await responseOf(call)
    expect(messages).toHaveLength(2_000)
    expect(status).toBe('0')
  })

  it('is visible in bufferedBytes, and is disconnected when its call has ended', async () => {
    const frame = frameMessage(new Uint8Array(50_000))
    let buffered = 0
    const server = await serveText(
      {
        talk: raw(async (stream) => {
          while (stream.write(frame));
          buffered = stream.bufferedBytes
          stream.end(Status.RESOURCE_EXHAUSTED, 'too slow')
          expect(stream.write(frame)).toBe(true)
          await stream.drained()
        }),
      },
      { lingerMs: 50 },
    )
    const session = await connection(server.url)
    const call = openCall(session, '/test.Text/Talk').pause()
    await once(call, 'response')
    await expect.poll(() => buffered).toBeGreaterThan(128 << 10)
    await expect.poll(() => server.openCalls).toBe(0)
  })

  it('does not slow down other calls on its connection', async () => {
    const server = await serveText({
      list: async function* () {
        for (;;) yield 'x'.repeat(10_000)
      },
      one: (request) => request,
    })
    const session = await connection(server.url)
    const stalled = Array.from({ length: 20 }, () => {
      const call = openCall(session, '/test.Text/List').pause()
      call.end(frameMessage(new Uint8Array(3)))
      return once(call, 'response')
    })
    await Promise.all(stalled)
    for (let times = 0; times < 20; times++) {
      const call = openCall(session, '/test.Text/One')
      call.end(frameMessage(Buffer.alloc(5_000, 'y')))
      const { messages, status } = await responseOf(call)
      expect(status).toBe('0')
      expect(messages).toEqual([new Uint8Array(5_000).fill(121)])
    }
  })
})

describe('requests that the handler does not read', () => {
  it('remain on the client', async () => {
    let go: () => void = () => undefined
    const server = await serveText(
      {
        collect: async (requests) => {
          await new Promise<void>((resolve) => (go = resolve))
          let bytes = 0
          for await (const request of requests) bytes += request.length
          return `${bytes}`
        },
        one: (request) => request,
      },
      { http2: { streamWindowBytes: 100_000 } },
    )
    const session = await connection(server.url)
    const call = openCall(session, '/test.Text/Collect')
    const frame = frameMessage(Buffer.alloc(10_000, 'x'))
    let pulled = 0
    for (let times = 0; times < 500; times++) call.write(frame, () => pulled++)
    call.end()
    await expect.poll(() => pulled).toBeGreaterThan(0)
    await settled(() => pulled, roundTripOf(session))
    expect(pulled).toBeLessThan(100)
    go()
    const { messages } = await responseOf(call)
    expect(Buffer.concat(messages).toString()).toBe('5000000')
  })

  it('are limited in memory per connection', async () => {
    const server = await serveText({ one: (request) => request }, { maxConnectionBytes: 200_000 })
    const session = await connection(server.url)
    // Messages that never become complete.
    const half = frameMessage(Buffer.alloc(100_000)).subarray(0, 90_000)
    const calls = Array.from({ length: 4 }, () => {
      const call = openCall(session, '/test.Text/One')
      call.write(half)
      return call
    })
    const outcomes = await Promise.all(calls.slice(2).map(responseOf))
    expect(outcomes.map(({ status }) => status)).toEqual(['8', '8'])
    expect(server.openCalls).toBe(2)
    for (const call of calls) call.close()
    await expect.poll(() => server.openCalls).toBe(0)
    const call = openCall(session, '/test.Text/One')
    call.end(frameMessage(Buffer.alloc(150_000, 'x')))
    expect((await responseOf(call)).status).toBe('0')
  })
})

describe('stopping', () => {
  it('waits for calls within the grace period, and accepts no other', async () => {
    let finish: (response: string) => void = () => undefined
    const server = await serveText({ one: () => new Promise<string>((resolve) => (finish = resolve)) })
    const client = grpcJsClient(server)
    const lateClient = grpcJsClient(server)
    const response = client.one('')
    await expect.poll(() => server.openCalls).toBe(1)
    const stopped = server.stop(20_000)
    await expect(lateClient.one('')).rejects.toMatchObject({ code: Status.UNAVAILABLE })
    finish('done')
    expect(await response).toBe('done')
    await stopped
    await server.stop()
  })

  it('ends remaining calls with UNAVAILABLE, also after a longer grace period', async () => {
    const reasons: unknown[] = []
    const server = await serveText({
      one: async (_, call) => {
        reasons.push(await aborted(call.signal))
        return ''
      },
      async *list(_, call) {
        yield 'x'
        await aborted(call.signal)
      },
    })
    const client = grpcJsClient(server)
    const unavailable = { code: Status.UNAVAILABLE, details: 'the server is shutting down' }
    const pending = expect(client.one('')).rejects.toMatchObject(unavailable)
    const list = outcomeOf(client.list(''))
    const idle = await connection(server.url)
    await expect.poll(() => server.openCalls).toBe(2)
    const long = server.stop(60_000)
    await server.stop(50)
    await long
    await pending
    expect(await list).toMatchObject({ messages: ['x'], ...unavailable })
    expect(reasons).toEqual([expect.objectContaining({ code: Status.UNAVAILABLE })])
    await expect.poll(() => idle.destroyed).toBe(true)
    expect(server.openCalls).toBe(0)
  })

  it('does not wait for clients that do not read', async () => {
    const server = await serveText({
      async *list() {
        for (;;) yield 'x'.repeat(10_000)
      },
    })
    const session = await connection(server.url)
    const call = openCall(session, '/test.Text/List')
    call.end(frameMessage(new Uint8Array(3)))
    await once(call.pause(), 'response')
    await server.stop()
    expect(server.openCalls).toBe(0)
  })
})
