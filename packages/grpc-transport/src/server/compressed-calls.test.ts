import * as zlib from 'node:zlib'
import * as grpc from '@grpc/grpc-js'
import { afterEach, describe, expect, it } from 'vitest'
import { createFrameReader } from '../wire/frame-reader.ts'
import { frameMessage } from '../wire/frame.ts'
import { responseOf, connection, openCall } from './testing/http2-client.ts'
import { closeAll, grpcJsClient, outcomeOf, serveText } from './testing/text-service.ts'

afterEach(closeAll)

const large = 'hello '.repeat(5_000)

describe('requests', () => {
  it('of grpc-js can be compressed with gzip', async () => {
    const client = grpcJsClient(await serveText({ one: (request) => `${request.length}` }), {
      'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip,
    })
    expect(await client.one(large)).toBe('30000')
  })

  it.each([
    ['gzip', zlib.gzipSync],
    ['zstd', zlib.zstdCompressSync],
  ])('can be compressed with %s, per message', async (encoding, compress) => {
    const server = await serveText({
      async *talk(requests) {
        for await (const request of requests) yield `${request.length}`
      },
    })
    const call = openCall(await connection(server.url), '/test.Text/Talk', { 'grpc-encoding': encoding })
    call.write(frameMessage(compress(large), true))
    call.end(frameMessage(Buffer.from('plain')))
    const { messages, status, fields } = await responseOf(call)
    expect(status).toBe('0')
    expect(messages.map((bytes) => Buffer.from(bytes).toString())).toEqual(['30000', '5'])
    expect(fields['grpc-accept-encoding']).toBe('identity,gzip,zstd')
    expect(fields['grpc-encoding']).toBeUndefined()
  })

  it.each([
    [
      'in an unknown encoding',
      'br',
      zlib.gzipSync(large),
      '12',
      'messages may be compressed with identity,gzip,zstd',
    ],
    [
      'with bytes of another encoding',
      'gzip',
      Buffer.from('none'),
      '13',
      'a message is not compressed with gzip',
    ],
    [
      'without an encoding',
      undefined,
      zlib.gzipSync(large),
      '13',
      'a message is compressed, but its encoding was not named',
    ],
    [
      'that unpack to too much',
      'gzip',
      zlib.gzipSync(Buffer.alloc(50_000_000)),
      '8',
      'a message is larger than the limit of 1000000 bytes once it is decompressed',
    ],
  ])('%s are rejected', async (_, encoding, bytes, status, detail) => {
    const server = await serveText({ one: (request) => request }, { maxMessageBytes: 1_000_000 })
    const call = openCall(await connection(server.url), '/test.Text/One', { 'grpc-encoding': encoding })
    call.end(frameMessage(bytes, true))
    const { fields } = await responseOf(call)
    expect(fields).toMatchObject({ 'grpc-status': status, 'grpc-message': detail })
    if (status === '12') expect(fields['grpc-accept-encoding']).toBe('identity,gzip,zstd')
  })
})

describe('responses', () => {
  it('are compressed if configured and supported by the client', async () => {
    const server = await serveText(
      {
        one: () => large,
        async *list() {
          yield large
          yield 'b'
        },
      },
      { compression: 'gzip' },
    )
    const client = grpcJsClient(server)
    expect(await client.one('')).toBe(large)
    expect(await outcomeOf(client.list(''))).toMatchObject({ messages: [large, 'b'], code: 0 })
    const session = await connection(server.url)
    for (const [accepted, encoding] of [
      ['identity, gzip', 'gzip'],
      ['identity', undefined],
      [undefined, undefined],
    ]) {
      const call = openCall(session, '/test.Text/One', { 'grpc-accept-encoding': accepted })
      const pieces: Buffer[] = []
      call.on('data', (bytes: Buffer) => pieces.push(bytes))
      const response = responseOf(call).catch(() => undefined)
      call.end(frameMessage(new Uint8Array()))
      await response
      const body = Buffer.concat(pieces)
      expect(body[0]).toBe(encoding === undefined ? 0 : 1)
      const frames = createFrameReader({ maxMessageBytes: 1e6, decompress: zlib.gunzipSync })
      frames.push(body)
      expect(Buffer.from(frames.read() ?? []).toString()).toBe(large)
    }
  })
})
