import { constants } from 'node:http2'
import { addAbortSignal } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { frameMessage, Status } from '../wire/index.ts'
import {
  respond,
  responseHeaders,
  startCall,
  closeAll,
  failureOf,
  path,
  readAll,
  serveStreams,
  transportTo,
} from './testing/servers.ts'
import { waiter } from './waiter.ts'

afterEach(closeAll)

const message = Uint8Array.of(1, 2, 3)
const framed = frameMessage(message)
const none = new Uint8Array(0)

async function readFrom(
  onStream: Parameters<typeof serveStreams>[0],
  options?: Parameters<typeof transportTo>[1],
) {
  const { url } = await serveStreams(onStream)
  return readAll(transportTo(url, options).open({ path }))
}

describe('a response', () => {
  test('can arrive in single bytes or chunks of several messages', async () => {
    const stream = Buffer.concat([framed, frameMessage(none), framed])
    for (let cut = 0; cut <= stream.length; cut++) {
      const messages = await readFrom(async (sent) => {
        sent.respond(responseHeaders, { waitForTrailers: true })
        sent.once('wantTrailers', () => sent.sendTrailers({ 'grpc-status': '0' }))
        sent.write(stream.subarray(0, cut))
        await turn()
        sent.end(stream.subarray(cut))
      })
      expect(messages).toEqual([message, none, message])
    }
    const bytewise = await readFrom(async (sent) => {
      sent.respond(responseHeaders, { waitForTrailers: true })
      sent.once('wantTrailers', () => sent.sendTrailers({ 'grpc-status': '0' }))
      for (const byte of stream) {
        sent.write(Uint8Array.of(byte))
        await turn()
      }
      sent.end()
    })
    expect(bytewise).toEqual([message, none, message])
  })

  test('can follow informational responses', async () => {
    const messages = await readFrom((sent) => {
      sent.additionalHeaders({ ':status': 103, link: 'x' })
      respond(sent, framed)
    })
    expect(messages).toEqual([message])
  })

  test('can be trailers-only', async () => {
    const { url } = await serveStreams((sent) => {
      sent.respond(
        { ...responseHeaders, 'grpc-status': '16', 'grpc-message': 'No valid', a: 'b' },
        { endStream: true },
      )
    })
    const call = transportTo(url).open({ path })
    expect(await failureOf(call.readable())).toMatchObject({
      code: 16,
      detail: 'No valid',
      metadata: { a: 'b' },
    })
    await expect(call.headers).rejects.toMatchObject({ code: 16 })
    expect(call.trailers).toMatchObject({ a: 'b' })
  })

  test('can be trailers-only with OK', async () => {
    const { url } = await serveStreams((sent) => {
      sent.respond({ ...responseHeaders, 'grpc-status': '0', a: 'b' }, { endStream: true })
    })
    const transport = transportTo(url)
    const call = transport.open({ path })
    expect(await call.readable()).toBe(false)
    expect(await call.headers).toEqual({})
    expect(call.trailers).toMatchObject({ a: 'b' })
    expect(await failureOf(startCall(transport))).toMatchObject({
      code: Status.UNIMPLEMENTED,
      detail: /without a message/,
    })
  })

  test('has one message for a unary call', async () => {
    const reset = waiter<number | undefined>()
    const { url } = await serveStreams((sent) => {
      sent.respond(responseHeaders)
      sent.write(Buffer.concat([framed, framed]))
      sent.on('close', () => reset.resolve(sent.rstCode))
    })
    expect((await failureOf(startCall(transportTo(url)))).message).toBe(
      'UNIMPLEMENTED: the server answered with more than one message',
    )
    expect(await reset.promise).toBe(8)
  })

  test('maps the HTTP status if there is no gRPC status', async () => {
    for (const [http, code] of [
      [401, Status.UNAUTHENTICATED],
      [403, Status.PERMISSION_DENIED],
      [404, Status.UNIMPLEMENTED],
      [429, Status.UNAVAILABLE],
      [503, Status.UNAVAILABLE],
      [500, Status.UNKNOWN],
    ] as const) {
      const failed = readFrom((sent) => {
        sent.respond({ ':status': http, 'content-type': 'text/html', 'retry-after': '7' })
        sent.end('<html>')
      })
      const error = await failureOf(failed)
      expect(error).toMatchObject({ code, detail: `the server answered with HTTP ${http}` })
      expect(error.metadata).toMatchObject({ 'retry-after': '7' })
    }
  })

  test('prefers the gRPC status to the HTTP status', async () => {
    const failed = readFrom((sent) =>
      sent.respond({ ':status': 401, 'grpc-status': '16' }, { endStream: true }),
    )
    expect((await failureOf(failed)).message).toBe('UNAUTHENTICATED')
  })

  test('must have the content type of gRPC', async () => {
    for (const type of ['text/html', 'application/grpc-web', 'application/grpcx']) {
      const failed = readFrom((sent) => {
        sent.respond({ ':status': 200, 'content-type': type })
        sent.end('x')
      })
      expect(await failureOf(failed)).toMatchObject({ code: Status.UNKNOWN, detail: /content-type/ })
    }
    const messages = await readFrom((sent) => {
      sent.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true })
      sent.once('wantTrailers', () => sent.sendTrailers({ 'grpc-status': '0' }))
      sent.end(framed)
    })
    expect(messages).toEqual([message])
  })

  test('must end with trailers that contain one status', async () => {
    const without = readFrom((sent) => {
      sent.respond(responseHeaders)
      sent.end(framed)
    })
    expect((await failureOf(without)).message).toBe('INTERNAL: the server ended the stream without trailers')
    expect(await readFrom((sent) => respond(sent, framed, { 'grpc-status': ['0', '0'] }))).toEqual([message])
    for (const status of [['0', '5'], 'x', '-1']) {
      const failed = readFrom((sent) => respond(sent, framed, { 'grpc-status': status }))
      expect((await failureOf(failed)).code).toBe(Status.UNKNOWN)
    }
  })

  test('preserves an invalid escape in the message', async () => {
    const failed = readFrom((sent) =>
      respond(sent, none, { 'grpc-status': '9', 'grpc-message': '50% %zz%41' }),
    )
    expect((await failureOf(failed)).detail).toBe('50% %zzA')
  })

  test('delivers the messages before the error', async () => {
    const { url } = await serveStreams((sent) => respond(sent, framed, { 'grpc-status': '10' }))
    const call = transportTo(url).open({ path })
    expect(await call.readable()).toBe(true)
    expect(call.read()).toEqual(message)
    expect((await failureOf(call.readable())).code).toBe(Status.ABORTED)
    expect((await failureOf(call.readable())).code).toBe(Status.ABORTED)
  })

  test('is rejected if a message is truncated, too large or has an unknown flag', async () => {
    const wrong = {
      'INTERNAL: the stream ended inside a message': framed.subarray(0, 7),
      'RESOURCE_EXHAUSTED: a message of 101 bytes is larger than the limit of 100': frameMessage(
        new Uint8Array(101),
      ),
      'INTERNAL: a message has the unknown flag 4': Uint8Array.of(4, 0, 0, 0, 0),
      'INTERNAL: a message is compressed, but its encoding was not named': Uint8Array.of(1, 0, 0, 0, 0),
    }
    for (const [text, bytes] of Object.entries(wrong)) {
      const { url } = await serveStreams((sent) => respond(sent, Buffer.concat([framed, bytes])))
      const call = transportTo(url, { maxMessageBytes: 100 }).open({ path })
      expect(await call.readable()).toBe(true)
      expect(call.read()).toEqual(message)
      expect((await failureOf(call.readable())).message).toBe(text)
      expect(call.read()).toBeUndefined()
    }
  })

  test('is rejected by its head if it is too large, and the stream is reset', async () => {
    const reset = waiter<number | undefined>()
    const failed = readFrom(
      (sent) => {
        sent.respond(responseHeaders)
        sent.write(Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff))
        sent.on('close', () => reset.resolve(sent.rstCode))
      },
      { maxMessageBytes: 100 },
    )
    expect((await failureOf(failed)).code).toBe(Status.RESOURCE_EXHAUSTED)
    expect(await reset.promise).toBe(8)
  })

  test('is decompressed with its encoding, up to the limit', async () => {
    const plain = new Uint8Array(1000).fill(7)
    for (const [encoding, compressed] of [
      ['gzip', gzipSync(plain)],
      ['zstd', zstdCompressSync(plain)],
    ] as const) {
      const { url } = await serveStreams((sent, headers) => {
        expect(headers['grpc-accept-encoding']).toBe(`identity,${encoding}`)
        sent.respond({ ...responseHeaders, 'grpc-encoding': encoding }, { waitForTrailers: true })
        sent.once('wantTrailers', () => sent.sendTrailers({ 'grpc-status': '0' }))
        sent.end(Buffer.concat([frameMessage(compressed, true), framed]))
      })
      const call = transportTo(url, { acceptCompression: [encoding] }).open({ path })
      expect(await readAll(call)).toEqual([Buffer.from(plain), message])
      const strict = transportTo(url, { acceptCompression: [encoding], maxMessageBytes: 999 })
      for (const failed of [readAll(strict.open({ path })), startCall(strict)]) {
        expect((await failureOf(failed)).message).toBe(
          'RESOURCE_EXHAUSTED: a message is larger than the limit of 999 bytes once it is decompressed',
        )
      }
    }
  })

  test('is rejected if it cannot be decompressed or has an unknown encoding', async () => {
    for (const [encoding, text] of [
      ['gzip', 'INTERNAL: a message is not compressed with gzip'],
      ['br', 'INTERNAL: messages may be compressed with identity,gzip,zstd'],
    ]) {
      const failed = readFrom((sent) => {
        sent.respond({ ...responseHeaders, 'grpc-encoding': encoding }, { waitForTrailers: true })
        sent.once('wantTrailers', () => sent.sendTrailers({ 'grpc-status': '0' }))
        sent.end(frameMessage(message, true))
      })
      expect((await failureOf(failed)).message).toBe(text)
    }
  })

  test('fails with the error code of a stream reset', async () => {
    for (const [reset, code] of [
      [0, Status.INTERNAL],
      [1, Status.INTERNAL],
      [2, Status.INTERNAL],
      [8, Status.CANCELLED],
      [11, Status.RESOURCE_EXHAUSTED],
      [12, Status.PERMISSION_DENIED],
    ] as const) {
      const failed = readFrom((sent) => sent.close(reset))
      expect((await failureOf(failed)).code).toBe(code)
    }
    const inside = readFrom((sent) => {
      sent.respond(responseHeaders)
      sent.write(Buffer.concat([framed, framed.subarray(0, 6)]), () => sent.destroy(new Error('broken')))
    })
    expect((await failureOf(inside)).message).toBe(
      'INTERNAL: the server reset the stream with INTERNAL_ERROR',
    )
    const controller = new AbortController()
    const cancelled = readFrom((sent) => {
      addAbortSignal(controller.signal, sent)
      sent.respond(responseHeaders)
      sent.write(framed, () => controller.abort())
    })
    expect((await failureOf(cancelled)).message).toBe('CANCELLED: the server reset the stream with CANCEL')
  })

  test('is requested again after REFUSED_STREAM, with all sent messages', async () => {
    let streams = 0
    const { url } = await serveStreams((sent) => {
      if (++streams % 2 === 1) {
        sent.close(7)
        return
      }
      const chunks: Buffer[] = []
      sent.on('data', (chunk: Buffer) => chunks.push(chunk))
      sent.on('end', () => respond(sent, Buffer.concat(chunks)))
    })
    const call = transportTo(url).open({ path })
    void call.send(Uint8Array.of(1))
    void call.send(Uint8Array.of(2))
    call.end()
    expect(await readAll(call)).toEqual([Uint8Array.of(1), Uint8Array.of(2)])
    expect(streams).toBe(2)
  })

  test('is not requested again if more was sent than is buffered', async () => {
    let streams = 0
    const { url } = await serveStreams((sent) => {
      let bytes = 0
      streams++
      sent.on('data', (chunk: Buffer) => {
        if ((bytes += chunk.length) > 400_000) sent.close(7)
      })
    })
    const call = transportTo(url).open({ path })
    for (let sent = 0; sent < 8; sent++) await call.send(new Uint8Array(64_000))
    expect(await failureOf(call.readable())).toMatchObject({ code: Status.UNAVAILABLE, isUnprocessed: true })
    expect(streams).toBe(1)
  })

  test('is not requested a third time', async () => {
    let streams = 0
    const failed = readFrom((sent) => {
      streams++
      sent.close(7)
    })
    expect(await failureOf(failed)).toMatchObject({ code: Status.UNAVAILABLE, isUnprocessed: true })
    expect(streams).toBe(2)
  })
})

test.each([
  ['after the deadline is DEADLINE_EXCEEDED, also before the timer has fired', 20, Status.DEADLINE_EXCEEDED],
  ['before the deadline is CANCELLED', 60_000, Status.CANCELLED],
])('a stream that the server cancels %s', async (_, timeoutMs, status) => {
  const { url } = await serveStreams((sent) => {
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now + 1_000)
    sent.close(constants.NGHTTP2_CANCEL)
  })
  const transport = transportTo(url)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { code } = await failureOf(readAll(transport.open({ path, timeoutMs })))
    expect(code).toBe(status)
  } finally {
    vi.useRealTimers()
  }
})
