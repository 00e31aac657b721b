import type { ServerHttp2Stream } from 'node:http2'
import { setImmediate as turn } from 'node:timers/promises'
import { settled } from '@fairlead/vitest/settled'
import { afterEach, describe, expect, test } from 'vitest'
import { frameMessage } from '../wire/index.ts'
import {
  respond,
  responseHeaders,
  startCall,
  closeAll,
  path,
  readAll,
  serveStreams,
  transportTo,
} from './testing/servers.ts'

afterEach(closeAll)

const kibibyte = frameMessage(new Uint8Array(1024 - 5))

/** Writes for as long as the client reads bytes, and counts them. */
function pour(stream: ServerHttp2Stream): { readonly bytes: () => number } {
  let bytes = 0
  stream.respond(responseHeaders)
  const write = () => {
    while (!stream.destroyed && stream.write(kibibyte, () => (bytes += kibibyte.length)));
    if (!stream.destroyed) stream.once('drain', write)
  }
  write()
  return { bytes: () => bytes }
}

describe('reading', () => {
  test('buffers about one window without a reader, and delivers everything later', async () => {
    let poured: ReturnType<typeof pour> | undefined
    const { url } = await serveStreams((stream) => {
      if (poured) respond(stream, kibibyte)
      else poured = pour(stream)
    })
    const streamWindowBytes = 262_144
    const transport = transportTo(url, { streamWindowBytes })
    const call = transport.open({ path })
    await call.readable()
    const bytes = () => poured?.bytes() ?? 0
    await expect.poll(bytes).toBeGreaterThanOrEqual(streamWindowBytes)
    const held = await settled(bytes, () => startCall(transport))
    expect(held).toBeGreaterThanOrEqual(streamWindowBytes)
    expect(held).toBeLessThan(2.5 * streamWindowBytes)
    for (let read = 0; read < 4 * held;) {
      await call.readable()
      for (let message = call.read(); message !== undefined; message = call.read()) read += message.length + 5
    }
    call.cancel()
  })

  test('is not delayed by 20 unread streams', async () => {
    const poured: ReturnType<typeof pour>[] = []
    const { url } = await serveStreams((stream) => {
      if (poured.length < 20) poured.push(pour(stream))
      else respond(stream, frameMessage(new Uint8Array(1_000_000)))
    })
    const streamWindowBytes = 131_072
    const transport = transportTo(url, { streamWindowBytes, connectionWindowBytes: 262_144 })
    const stalled = Array.from({ length: 20 }, () => transport.open({ path }))
    await Promise.all(stalled.map((call) => call.readable()))
    // Each of them has filled its own window.
    await expect
      .poll(() => Math.min(...poured.map(({ bytes }) => bytes())))
      .toBeGreaterThanOrEqual(streamWindowBytes)
    for (let count = 0; count < 3; count++) {
      expect((await startCall(transport)).message.length).toBe(1_000_000)
    }
    for (const call of stalled) call.cancel()
  })

  test('accepts a message larger than every window', async () => {
    const message = new Uint8Array(20_000_000).map((_, index) => index)
    const { url } = await serveStreams((stream) => respond(stream, frameMessage(message)))
    const transport = transportTo(url, { streamWindowBytes: 65_535, connectionWindowBytes: 65_535 })
    const call = transport.open({ path })
    expect(Buffer.compare((await readAll(call))[0] ?? new Uint8Array(), message)).toBe(0)
  })

  test('is cancelled while it is paused, and the server is notified', async () => {
    let stream: ServerHttp2Stream | undefined
    let poured: ReturnType<typeof pour> | undefined
    const { url } = await serveStreams((opened) => {
      stream = opened
      poured = pour(opened)
    })
    const streamWindowBytes = 65_535
    const call = transportTo(url, { streamWindowBytes }).open({ path })
    await call.readable()
    await expect.poll(() => poured?.bytes()).toBeGreaterThanOrEqual(streamWindowBytes)
    call.cancel('enough')
    await expect.poll(() => stream?.rstCode).toBe(8)
    expect(call.read()).toBeUndefined()
    await expect(call.readable()).rejects.toBe('enough')
  })
})

describe('writing', () => {
  test('sends headers and the first messages together, and the messages of a tick in one write', async () => {
    const chunks: number[] = []
    let atHeaders: number | undefined
    const { url } = await serveStreams(async (stream) => {
      stream.on('data', (chunk: Buffer) => chunks.push(chunk.length))
      stream.on('end', () => respond(stream, kibibyte))
      await turn()
      atHeaders ??= chunks.length
    })
    const transport = transportTo(url)
    await startCall(transport)
    chunks.length = 0
    atHeaders = undefined
    const call = transport.open({ path })
    for (let count = 0; count < 10; count++) void call.send(new Uint8Array(10))
    await expect.poll(() => chunks).toEqual([150])
    expect(atHeaders).toBe(1)
    call.end()
    await readAll(call)
  })

  test('waits while the server does not read, and resolves when the call ends', async () => {
    let stream: ServerHttp2Stream | undefined
    const { url } = await serveStreams((opened) => {
      if (stream) return respond(opened, kibibyte)
      stream = opened
      opened.on('data', () => undefined).pause()
    })
    const transport = transportTo(url)
    const call = transport.open({ path })
    let sent = 0
    const controller = new AbortController()
    const sending = (async () => {
      while (!controller.signal.aborted) {
        await call.send(new Uint8Array(10_000))
        sent++
      }
    })()
    await expect.poll(() => sent).toBeGreaterThan(0)
    const held = await settled(
      () => sent,
      () => startCall(transport),
    )
    expect(held).toBeGreaterThan(0)
    expect(held).toBeLessThan(100)
    stream?.respond({ ...responseHeaders, 'grpc-status': '0' }, { endStream: true })
    expect(await call.readable()).toBe(false)
    controller.abort()
    await sending
    await expect.poll(() => stream?.rstCode).toBe(8)
  })

  test('accepts messages before there is a connection, in order', async () => {
    const { url } = await serveStreams((stream) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => respond(stream, Buffer.concat(chunks)))
    })
    const call = transportTo(url).open({ path })
    for (let count = 0; count < 300; count++) await call.send(new Uint8Array(1000).fill(count))
    call.end()
    const messages = await readAll(call)
    expect(messages.map(([first]) => first)).toEqual(Array.from({ length: 300 }, (_, count) => count % 256))
    await expect(call.send(new Uint8Array(1))).resolves.toBeUndefined()
  })

  test('rejects a message after the last one', async () => {
    const { url } = await serveStreams(() => undefined)
    const call = transportTo(url).open({ path })
    call.end()
    await expect(call.send(new Uint8Array(1))).rejects.toThrow(
      'INTERNAL: a message was sent after the last one',
    )
    call.cancel()
  })
})
