import { afterEach, describe, expect, it } from 'vitest'
import { frameMessage } from '../wire/frame.ts'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import { raw } from './implement.ts'
import type { ServerStream } from './server-call.ts'
import { callFields, flag, frame, frameType, headerBlock, hostilePeer } from './testing/frames.ts'
import { responseOf, connection, openCall } from './testing/http2-client.ts'
import { closeAll, grpcJsClient, outcomeOf, serveText } from './testing/text-service.ts'

afterEach(closeAll)

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

describe('a raw method', () => {
  it('reads messages and writes frames', async () => {
    const server = await serveText({
      talk: raw(async (stream) => {
        stream.sendHeaders({ kind: 'raw' })
        while (await stream.readable()) {
          for (let bytes = stream.read(); bytes !== undefined; bytes = stream.read()) {
            stream.write(Buffer.concat([frameMessage(bytes), frameMessage(bytes)]))
          }
        }
        expect(stream.read()).toBeUndefined()
        stream.end(Status.ABORTED, 'enough', { left: '0' })
        stream.end(Status.OK)
        expect(stream.hasEnded).toBe(true)
      }),
    })
    const clientCall = grpcJsClient(server).talk()
    clientCall.write('a')
    clientCall.write('b')
    clientCall.end()
    const outcome = await outcomeOf(clientCall)
    expect(outcome).toMatchObject({ messages: ['a', 'a', 'b', 'b'], code: 10, details: 'enough' })
    expect(outcome.trailers).toMatchObject({ left: '0' })
  })

  it('ends with OK when it resolves, and with the status that it throws', async () => {
    const server = await serveText({
      talk: raw((stream) => {
        stream.write(frameMessage(Buffer.from('x')))
        return Promise.resolve()
      }),
      list: raw(() => Promise.reject(new GrpcError(Status.NOT_FOUND, 'nothing'))),
    })
    const client = grpcJsClient(server)
    expect(await outcomeOf(client.talk())).toMatchObject({ messages: ['x'], code: 0 })
    expect(await outcomeOf(client.list(''))).toMatchObject({ messages: [], code: 5, details: 'nothing' })
  })

  it('waits for buffer space also with a limit below that of an HTTP/2 stream', async () => {
    const server = await serveText(
      {
        talk: raw(async (stream) => {
          const message = frameMessage(new Uint8Array(2_000))
          for (let sent = 0; sent < 20; sent++) {
            if (!stream.write(message)) await stream.drained()
          }
        }),
      },
      { writeBufferBytes: 1_024 },
    )
    const call = openCall(await connection(server.url), '/test.Text/Talk')
    call.end()
    expect((await responseOf(call)).messages).toHaveLength(20)
  })

  it('can end before the client does', async () => {
    const server = await serveText({
      talk: raw(async (stream) => {
        await stream.readable()
        stream.write(frameMessage(Buffer.from('x')))
        stream.end(Status.OUT_OF_RANGE, 'too old')
      }),
    })
    const call = openCall(await connection(server.url), '/test.Text/Talk')
    call.write(frameMessage(Buffer.from('a')))
    const { fields, rstCode, messages } = await responseOf(call)
    expect(fields).toMatchObject({ 'grpc-status': '11', 'grpc-message': 'too old' })
    expect(messages.map(text)).toEqual(['x'])
    expect(rstCode).toBe(0)
    const clientCall = grpcJsClient(server).talk()
    clientCall.write('a')
    expect(await outcomeOf(clientCall)).toMatchObject({ messages: ['x'], code: 11, details: 'too old' })
    await expect.poll(() => server.openCalls).toBe(0)
  })

  it('sends the same bytes to many clients, each at its own speed', async () => {
    const streams = new Set<ServerStream>()
    const server = await serveText({
      talk: raw(async (stream) => {
        streams.add(stream)
        await stream.readable()
      }),
    })
    const session = await connection(server.url)
    const calls = Array.from({ length: 30 }, () => openCall(session, '/test.Text/Talk'))
    const responses = calls.map(responseOf)
    await expect.poll(() => streams.size).toBe(30)
    const frames = Array.from({ length: 500 }, (_, index) =>
      frameMessage(Buffer.from(`message ${index}`.repeat(9))),
    )
    const large = frameMessage(Buffer.alloc(100_000, 'x'))
    for (const bytes of [...frames, large, ...frames]) for (const stream of streams) stream.write(bytes)
    for (const call of calls) call.end()
    const expected = [...frames, large, ...frames].map((bytes) => text(bytes.subarray(5)))
    for (const { messages, status } of await Promise.all(responses)) {
      expect(status).toBe('0')
      expect(messages.map(text)).toEqual(expected)
    }
  })

  it('sends the frames of one tick in one write', async () => {
    let stream: ServerStream | undefined
    const server = await serveText({
      talk: raw(async (opened) => {
        stream = opened
        await opened.readable()
      }),
    })
    const peer = await hostilePeer(server.url)
    peer.socket.write(
      frame(frameType.headers, flag.endHeaders, 1, headerBlock(callFields('/test.Text/Talk'))),
    )
    await expect.poll(() => stream).toBeDefined()
    for (let index = 0; index < 100; index++) stream?.write(frameMessage(Buffer.alloc(100)))
    const dataFrames = () => peer.frames().filter(({ type }) => type === frameType.data)
    await expect.poll(() => dataFrames().map(({ payload }) => payload.length)).toEqual([10_500])
    await Promise.resolve()
    stream?.write(frameMessage(Buffer.alloc(10)))
    await Promise.resolve()
    stream?.write(frameMessage(Buffer.alloc(10)))
    await expect.poll(() => dataFrames().map(({ payload }) => payload.length)).toEqual([10_500, 30])
  })

  it('waits for buffer space and continues', async () => {
    let waits = 0
    const message = frameMessage(Buffer.alloc(10_000))
    const server = await serveText({
      talk: raw(async (stream) => {
        for (let index = 0; index < 1_000; index++) {
          if (stream.write(message)) continue
          expect(stream.bufferedBytes).toBeGreaterThanOrEqual(128 << 10)
          waits++
          await stream.drained()
          expect(stream.bufferedBytes).toBeLessThan(128 << 10)
        }
      }),
    })
    const call = openCall(await connection(server.url), '/test.Text/Talk')
    const { messages, status } = await responseOf(call)
    expect(status).toBe('0')
    expect(messages).toHaveLength(1_000)
    expect(waits).toBeGreaterThan(5)
  })
})
