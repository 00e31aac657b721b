import { afterEach, describe, expect, it } from 'vitest'
import { frameMessage } from '../wire/frame.ts'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import { raw } from './implement.ts'
import type { ServerStream } from './server-call.ts'
import { callFields, flag, frame, frameType, headerBlock, hostilePeer } from './testing/frames.ts'
import { answerOf, connection, openCall } from './testing/http2-client.ts'
import { closeAll, grpcJsClient, outcomeOf, serveText } from './testing/text-service.ts'

afterEach(closeAll)

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

describe('a method of bytes', () => {
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
    const talk = grpcJsClient(server).talk()
    talk.write('a')
    talk.write('b')
    talk.end()
    const outcome = await outcomeOf(talk)
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

  it('waits for room also where it keeps less than a stream of HTTP/2 does', async () => {
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
    expect((await answerOf(call)).messages).toHaveLength(20)
  })

  it('may end before the client does', async () => {
    const server = await serveText({
      talk: raw(async (stream) => {
        await stream.readable()
        stream.write(frameMessage(Buffer.from('x')))
        stream.end(Status.OUT_OF_RANGE, 'too old')
      }),
    })
    const call = openCall(await connection(server.url), '/test.Text/Talk')
    call.write(frameMessage(Buffer.from('a')))
    const { fields, rstCode, messages } = await answerOf(call)
    expect(fields).toMatchObject({ 'grpc-status': '11', 'grpc-message': 'too old' })
    expect(messages.map(text)).toEqual(['x'])
    expect(rstCode).toBe(0)
    const talk = grpcJsClient(server).talk()
    talk.write('a')
    expect(await outcomeOf(talk)).toMatchObject({ messages: ['x'], code: 11, details: 'too old' })
    await expect.poll(() => server.openCalls).toBe(0)
  })

  it('gives the same bytes to many, each at its own speed', async () => {
    const streams = new Set<ServerStream>()
    const server = await serveText({
      talk: raw(async (stream) => {
        streams.add(stream)
        await stream.readable()
      }),
    })
    const session = await connection(server.url)
    const calls = Array.from({ length: 30 }, () => openCall(session, '/test.Text/Talk'))
    const answers = calls.map(answerOf)
    await expect.poll(() => streams.size).toBe(30)
    const frames = Array.from({ length: 500 }, (_, index) =>
      frameMessage(Buffer.from(`message ${index}`.repeat(9))),
    )
    const large = frameMessage(Buffer.alloc(100_000, 'x'))
    for (const bytes of [...frames, large, ...frames]) for (const stream of streams) stream.write(bytes)
    for (const call of calls) call.end()
    const expected = [...frames, large, ...frames].map((bytes) => text(bytes.subarray(5)))
    for (const { messages, status } of await Promise.all(answers)) {
      expect(status).toBe('0')
      expect(messages.map(text)).toEqual(expected)
    }
  })

  it('sends what was written in one turn in one piece', async () => {
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

  it('waits for room and goes on', async () => {
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
    const { messages, status } = await answerOf(call)
    expect(status).toBe('0')
    expect(messages).toHaveLength(1_000)
    expect(waits).toBeGreaterThan(5)
  })
})
