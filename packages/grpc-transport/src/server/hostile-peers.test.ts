import { constants } from 'node:http2'
import type { Socket } from 'node:net'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import type { GrpcServer } from './grpc-server.ts'
import type { Http2ServerOptions } from './http2-server.ts'
import {
  callFields,
  flag,
  frame,
  frameType,
  headerBlock,
  type HostilePeer,
  hostilePeer,
  preface,
  uint32,
} from './testing/frames.ts'
import { responseOf, connection, openCall } from './testing/http2-client.ts'
import { closeAll, grpcJsClient, serveText } from './testing/text-service.ts'

afterEach(closeAll)

const { NGHTTP2_ENHANCE_YOUR_CALM: enhanceYourCalm, NGHTTP2_PROTOCOL_ERROR: broken } = constants

let calls = 0

async function serve(http2: Http2ServerOptions = {}): Promise<GrpcServer> {
  calls = 0
  return serveText(
    {
      one: (request) => {
        calls++
        return request
      },
      list: async function* (_, call) {
        yield 'x'
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
      },
    },
    { http2 },
  )
}

/** Verifies that another client is served during the attack. */
async function stillServes(server: GrpcServer): Promise<void> {
  expect(await grpcJsClient(server).one('hello')).toBe('hello')
}

/** Writes until the server closes the connection; gives up after this many writes. */
async function flood(
  { socket }: HostilePeer,
  bytesOf: (index: number) => Buffer,
  most: number,
): Promise<number> {
  for (let index = 0; index < most; index++) {
    if (socket.destroyed || socket.readableEnded) return index
    const isFull = !socket.write(bytesOf(index))
    if (isFull) await drainedOrEnded(socket)
    else if (index % 100 === 99) await turn()
  }
  return most
}

function drainedOrEnded(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'close', 'end'] as const
    const settle = () => {
      for (const event of events) socket.off(event, settle)
      resolve()
    }
    for (const event of events) socket.on(event, settle)
  })
}

const request = (streamId: number, path = '/test.Text/One', flags: number = flag.endHeaders) =>
  frame(frameType.headers, flags, streamId, headerBlock(callFields(path)))

it('a flood of header fields is rejected', async () => {
  const server = await serve()
  const peer = await hostilePeer(server.url)
  const fields = Array.from({ length: 1_000 }, (_, index) => [`x-${index}`, 'y'] as const)
  const block = headerBlock([...callFields('/test.Text/One'), ...fields])
  peer.socket.write(frame(frameType.headers, flag.endHeaders | flag.endStream, 1, block))
  await expect.poll(() => endOf(peer, 1)).toBe(enhanceYourCalm)
  expect(calls).toBe(0)
  await stillServes(server)
})

it('header fields of too many bytes are rejected', async () => {
  const server = await serve()
  const peer = await hostilePeer(server.url)
  // The limit is a setting, which applies once the peer has acknowledged it.
  peer.socket.write(frame(frameType.settings, flag.ack, 0))
  const block = headerBlock([...callFields('/test.Text/One'), ['x-large', 'y'.repeat(17_000)]])
  peer.socket.write(frame(frameType.headers, flag.endStream, 1, block.subarray(0, 10_000)))
  peer.socket.write(frame(frameType.continuation, flag.endHeaders, 1, block.subarray(10_000)))
  await expect.poll(() => endOf(peer, 1)).toBe(enhanceYourCalm)
  expect(calls).toBe(0)
  await stillServes(server)
})

/** Error code with which the server ended a stream. */
function endOf(peer: HostilePeer, streamId: number): number | undefined {
  return peer
    .frames()
    .find((sentFrame) => sentFrame.type === frameType.reset && sentFrame.streamId === streamId)
    ?.payload.readUInt32BE()
}

it('header fields that decompress to many bytes are rejected, also before the settings apply', async () => {
  const server = await serve()
  const peer = await hostilePeer(server.url)
  // One field of 4000 bytes that enters the HPACK table, and one byte for each further reference to it.
  const field = Buffer.concat([Buffer.of(0x40), headerBlock([['x', 'y'.repeat(4_000)]]).subarray(1)])
  const block = Buffer.concat([
    headerBlock(callFields('/test.Text/One')),
    field,
    Buffer.alloc(10_000, 0x80 | 62),
  ])
  peer.socket.write(frame(frameType.headers, flag.endStream | flag.endHeaders, 1, block))
  await expect.poll(() => endOf(peer, 1)).toBe(enhanceYourCalm)
  expect(calls).toBe(0)
  await stillServes(server)
})

it('a flood of CONTINUATION frames ends the connection', async () => {
  const server = await serve()
  const peer = await hostilePeer(server.url)
  peer.socket.write(request(1, '/test.Text/One', 0))
  const more = frame(frameType.continuation, 0, 1, headerBlock([['x', 'y'.repeat(1_000)]]))
  expect(await flood(peer, () => more, 100_000)).toBeLessThan(100_000)
  await peer.ended
  expect(calls).toBe(0)
  await stillServes(server)
})

it('an endless header block is ended by the keepalive', async () => {
  const server = await serve({ keepaliveMs: 50, keepaliveTimeoutMs: 50 })
  const peer = await hostilePeer(server.url)
  peer.socket.write(frame(frameType.settings, flag.ack, 0))
  peer.socket.write(request(1, '/test.Text/One', 0))
  await peer.ended
})

it('rapid reset ends the connection', async () => {
  const server = await serve()
  const peer = await hostilePeer(server.url)
  const resets = await flood(
    peer,
    (index) => {
      const id = 1 + 2 * index
      return Buffer.concat([request(id), frame(frameType.reset, 0, id, uint32(8))])
    },
    50_000,
  )
  expect(resets).toBeLessThan(50_000)
  await peer.ended
  await stillServes(server)
  await expect.poll(() => server.openCalls).toBe(0)
})

it('streams that the peer resets count until they end the connection', async () => {
  const server = await serve({ streamResetBurst: 50, streamResetRate: 1 })
  const peer = await hostilePeer(server.url)
  for (let index = 0; index < 60 && !peer.socket.destroyed; index++) {
    const id = 1 + 2 * index
    peer.socket.write(
      Buffer.concat([request(id, '/test.Text/List'), frame(frameType.reset, 0, id, uint32(8))]),
    )
    await turn()
  }
  await peer.ended
  expect(peer.refusal()).toBe(enhanceYourCalm)
  await stillServes(server)
})

it('resets, control frames and violations are reported, also those of a closed connection', async () => {
  const events = new Map<string, number>()
  const server = await serve({
    onPeerEvent: (event) => {
      events.set(event, (events.get(event) ?? 0) + 1)
      return true
    },
  })
  const peer = await hostilePeer(server.url)
  peer.socket.write(frame(frameType.ping, 0, 0, Buffer.alloc(8)))
  peer.socket.write(request(1, '/test.Text/List'))
  peer.socket.write(frame(frameType.reset, 0, 1, uint32(8)))
  peer.socket.write(request(3, '/test.Text/List'))
  await expect.poll(() => server.openCalls).toBe(1)
  peer.socket.write(request(2))
  await peer.ended
  await expect.poll(() => Object.fromEntries(events)).toMatchObject({ reset: 2, violation: 1 })
  expect(events.get('control')).toBeGreaterThanOrEqual(1)
})

it('a peer that exceeds a limit over several connections is disconnected', async () => {
  let remaining = 10
  const server = await serve({ onPeerEvent: (event) => event !== 'reset' || remaining-- > 0 })
  for (let connections = 0; connections < 2; connections++) {
    const peer = await hostilePeer(server.url)
    for (let id = 1; id < 16; id += 2) {
      peer.socket.write(
        Buffer.concat([request(id, '/test.Text/List'), frame(frameType.reset, 0, id, uint32(8))]),
      )
    }
    if (connections === 0) peer.socket.end()
    await peer.ended
    if (connections === 1) expect(peer.refusal()).toBe(enhanceYourCalm)
  }
  await stillServes(server)
})

it('more streams than allowed are refused, and many of them end the connection', async () => {
  const server = await serve({ maxConcurrentStreams: 10 })
  const peer = await hostilePeer(server.url)
  peer.socket.write(frame(frameType.settings, flag.ack, 0))
  const opened = await flood(peer, (index) => request(1 + 2 * index, '/test.Text/List'), 50_000)
  expect(opened).toBeLessThan(50_000)
  await peer.ended
  await expect.poll(() => server.openCalls).toBe(0)
  await stillServes(server)
})

it.each([
  ['PING', frame(frameType.ping, 0, 0, Buffer.alloc(8))],
  ['SETTINGS', frame(frameType.settings, 0, 0)],
])('a flood of %s frames ends the connection', async (_, sentFrame) => {
  const server = await serve()
  const peer = await hostilePeer(server.url)
  const many = Buffer.concat(Array.from({ length: 500 }, () => sentFrame))
  expect(await flood(peer, () => many, 5_000)).toBeLessThan(5_000)
  await peer.ended
  await stillServes(server)
})

it.each([
  ['PING', frame(frameType.ping, 0, 0, Buffer.alloc(8))],
  ['SETTINGS', frame(frameType.settings, 0, 0)],
])('%s frames at a steady pace end the connection as well', async (_, sentFrame) => {
  // A tenth of the number that even a slow machine sends.
  const server = await serve({ maxControlFramesPerSecond: 5 })
  const peer = await hostilePeer(server.url)
  for (let sent = 0; sent < 1_000 && !peer.socket.destroyed; sent++) {
    peer.socket.write(sentFrame)
    await pause(1)
  }
  await peer.ended
  expect(peer.refusal()).toBe(enhanceYourCalm)
  await stillServes(server)
})

it('a flood of PING frames with unread responses ends the connection', async () => {
  const server = await serve({ maxControlFramesPerSecond: 1e9 })
  const peer = await hostilePeer(server.url)
  peer.socket.pause()
  const many = Buffer.concat(Array.from({ length: 500 }, () => frame(frameType.ping, 0, 0, Buffer.alloc(8))))
  void flood(peer, () => many, 5_000)
  await expect.poll(() => connectionsOf(server)).toBe(0)
  await stillServes(server)
})

function connectionsOf(server: GrpcServer): Promise<number> {
  return new Promise((resolve) => server.http2.getConnections((_, count) => resolve(count)))
}

it('a flood of empty DATA frames ends the connection', async () => {
  const server = await serve()
  const peer = await hostilePeer(server.url)
  peer.socket.write(request(1))
  expect(await flood(peer, () => frame(frameType.data, 0, 1), 50_000)).toBeLessThan(50_000)
  await peer.ended
  await expect.poll(() => server.openCalls).toBe(0)
  await stillServes(server)
})

it.each([
  ['another preface', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')],
  ['no settings', Buffer.concat([preface, frame(frameType.ping, 0, 0, Buffer.alloc(8))])],
  ['a frame that is too long', Buffer.concat([begun(), frame(frameType.data, 0, 1, Buffer.alloc(20_000))])],
  ['data for no stream', Buffer.concat([begun(), frame(frameType.data, 0, 1, Buffer.alloc(10))])],
  [
    'a window update of zero',
    Buffer.concat([begun(), request(1, '/test.Text/List'), frame(frameType.windowUpdate, 0, 1, uint32(0))]),
  ],
  ['a stream of the server', Buffer.concat([begun(), request(2)])],
  [
    'headers that are no header block',
    Buffer.concat([begun(), frame(frameType.headers, 4, 1, Buffer.alloc(9, 255))]),
  ],
  [
    'padding longer than the frame',
    Buffer.concat([begun(), frame(frameType.headers, 12, 1, Buffer.of(200, 1))]),
  ],
  [
    'a window that is too large',
    Buffer.concat([begun(), frame(frameType.windowUpdate, 0, 0, uint32(0x7fffffff))]),
  ],
  [
    'settings with a wrong length',
    Buffer.concat([begun(), frame(frameType.settings, 0, 0, Buffer.alloc(5))]),
  ],
])('%s ends the connection', async (_, bytes) => {
  const server = await serve()
  const peer = await hostilePeer(server.url, bytes)
  await peer.ended
  expect(calls).toBe(0)
  await stillServes(server)
})

function begun(): Buffer {
  return Buffer.concat([preface, frame(frameType.settings, 0, 0)])
}

it('data on a stream that the client has ended resets the stream', async () => {
  const server = await serve()
  const peer = await hostilePeer(server.url)
  peer.socket.write(request(1, '/test.Text/List'))
  peer.socket.write(frame(frameType.data, flag.endStream, 1, Buffer.alloc(5)))
  await expect.poll(() => server.openCalls).toBe(1)
  peer.socket.write(frame(frameType.data, 0, 1, Buffer.alloc(10)))
  await expect.poll(() => endOf(peer, 1) ?? peer.refusal()).toBeGreaterThan(0)
  await expect.poll(() => server.openCalls).toBe(0)
  await stillServes(server)
})

it.each([
  ['sends nothing after the preface', begun(), { handshakeTimeoutMs: 50 }],
  ['sends nothing', Buffer.alloc(0), { handshakeTimeoutMs: 50 }],
  ['opens no stream', Buffer.concat([begun(), frame(frameType.settings, flag.ack, 0)]), { idleMs: 50 }],
] as const)('a peer that %s is disconnected', async (_, bytes, limits) => {
  const server = await serve(limits)
  await (
    await hostilePeer(server.url, bytes)
  ).ended
  await expect.poll(() => connectionsOf(server)).toBe(0)
})

it('a peer that responds to PING, and has an open call, is not disconnected', async () => {
  const server = await serve({ idleMs: 200, keepaliveMs: 20, keepaliveTimeoutMs: 20_000 })
  const session = await connection(server.url)
  let pings = 0
  session.on('ping', () => pings++)
  const list = openCall(session, '/test.Text/List')
  list.end(Buffer.alloc(5))
  // Each one is sent at least 20 ms after the response to the last, so that together they take longer than the idle
  // timeout.
  await expect.poll(() => pings, { interval: 10 }).toBeGreaterThan(11)
  expect(session.closed).toBe(false)
  list.close()
  await expect.poll(() => session.closed).toBe(true)
})

it.each<[Record<string, string | undefined>, number]>([
  [{ ':method': 'GET' }, 405],
  [{ 'content-type': 'application/json' }, 415],
  [{ 'content-type': 'application/grpcx' }, 415],
  [{ 'content-type': undefined }, 415],
])('a request with %j is rejected with HTTP %d', async (headers, status) => {
  const server = await serve()
  const call = openCall(await connection(server.url), '/test.Text/One', headers)
  call.end()
  const { fields } = await responseOf(call)
  expect(fields).toMatchObject({ ':status': status, 'grpc-status': '13' })
  expect(calls).toBe(0)
})

it('a request without te: trailers is a call', async () => {
  const call = openCall(await connection((await serve()).url), '/test.Text/One', { te: undefined })
  call.end(Buffer.alloc(5))
  expect(await responseOf(call)).toMatchObject({ status: '0' })
})

it('a rejected request that continues to send causes no further cost', async () => {
  const server = await serve()
  const session = await connection(server.url)
  const call = openCall(session, '/test.Text/Nothing')
  call.write(Buffer.alloc(3_000_000))
  expect(await responseOf(call)).toMatchObject({ status: '12', rstCode: constants.NGHTTP2_NO_ERROR })
  const nextCall = openCall(session, '/test.Text/One')
  nextCall.end(Buffer.alloc(5))
  expect(await responseOf(nextCall)).toMatchObject({ status: '0' })
})

it('the connection is closed with the code of a protocol error', async () => {
  const server = await serve()
  const peer = await hostilePeer(server.url, Buffer.concat([begun(), request(2)]))
  await peer.ended
  expect(peer.refusal()).toBe(broken)
})
