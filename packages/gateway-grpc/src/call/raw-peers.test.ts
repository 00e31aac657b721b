import { once } from 'node:events'
import type { ServerHttp2Stream } from 'node:http2'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { status } from '@grpc/grpc-js'
import { expect, it, onTestFinished } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { grpcInFrontOf, xToken } from '../testing/grpc-fixture.ts'
import { grpcJs } from '../testing/grpc-js-client.ts'
import { grpcNode, http2Node } from '../testing/grpc-node.ts'
import {
  clientStart,
  data,
  firstHeaders,
  goAway,
  hasHeaders,
  lastHeaders,
  prefaceBytes,
  reset,
  serverStart,
  settingsAck,
} from '../testing/raw-http2.ts'

it('a client that repeats headers that may occur once is served', async () => {
  let rawHeaders: readonly string[] = []
  const node = await http2Node((stream, _, raw) => {
    rawHeaders = raw
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' },
      { endStream: true },
    )
  })
  const gateway = await grpcInFrontOf(node.url)
  const socket = await rawClient(gateway.port)
  socket.write(
    lastHeaders(1, [
      [':method', 'POST'],
      [':path', '/a.B/C'],
      [':scheme', 'http'],
      [':authority', 'x'],
      ['content-type', 'application/grpc'],
      ['te', 'trailers'],
      ['x-token', xToken],
      ['user-agent', 'one'],
      ['user-agent', 'two'],
      ['x-many', '1'],
      ['x-many', '2'],
    ]),
  )
  await waitFor(() => expect(rawHeaders.join(' ')).toMatch(/user-agent one x-many 1 x-many 2/))
  expect(rawHeaders).not.toContain('two')
})

it.for([
  ['OPTIONS', 'text/plain'],
  ['GET', 'text/plain'],
  ['POST', 'application/grpc'],
  ['POST', 'application/grpc-web'],
] as const)(
  'a stream of %s, %s that is reset when it opens does not affect other streams',
  async ([method, type]) => {
    const gateway = await grpcInFrontOf((await grpcNode()).url)
    const socket = await rawClient(gateway.port)
    const headers = requestHeaders(method, type)
    for (let id = 1; id < 20; id += 4) {
      socket.write(
        Buffer.concat([lastHeaders(id, headers), reset(id), firstHeaders(id + 2, headers), reset(id + 2)]),
      )
    }
    expect((await grpcJs(gateway.url).one('a')).status.code).toBe(0)
  },
)

it.for([
  ['OPTIONS', 'text/plain'],
  ['GET', 'text/plain'],
  ['POST', 'application/grpc-web'],
] as const)(
  'a stream of %s, %s is closed after the response, even when the client still sends',
  async ([method, type]) => {
    const gateway = await grpcInFrontOf('http://127.0.0.1:1')
    const streams: ServerHttp2Stream[] = []
    gateway.http2.on('stream', (stream) => void streams.push(stream))
    const socket = await rawClient(gateway.port)
    socket.write(
      Buffer.concat([firstHeaders(1, requestHeaders(method, type)), data(1, Buffer.alloc(16_384))]),
    )
    await waitFor(() => expect(streams.map(({ destroyed }) => destroyed)).toEqual([true]))
  },
)

it.for(['headers', 'trailers', 'trailers-only response'])(
  'removes headers that HTTP/2 forbids from the %s of an upstream',
  async (where) => {
    const forbidden = ['http2-settings', 'AAMAAABkAAQCAAAAAAIAAAAA'] as const
    const type = ['content-type', 'application/grpc'] as const
    const ended = ['grpc-status', '9'] as const
    const url = await rawNode(() =>
      where === 'trailers-only response'
        ? lastHeaders(1, [[':status', '200'], type, ended, forbidden])
        : Buffer.concat([
            firstHeaders(1, [[':status', '200'], type, ...(where === 'headers' ? [forbidden] : [])]),
            lastHeaders(1, [ended, ...(where === 'trailers' ? [forbidden] : [])]),
          ]),
    )
    const { status: end } = await grpcJs((await grpcInFrontOf(url)).url).one('a')
    expect(end.code).toBe(9)
  },
)

it('an upstream that repeats headers that may occur once affects only its own call', async () => {
  const url = await rawNode(() =>
    lastHeaders(1, [
      [':status', '200'],
      ['content-type', 'application/grpc'],
      ['content-type', 'application/grpc+proto'],
      ['retry-after', '1'],
      ['retry-after', '2'],
      ['grpc-status', '9'],
      ['x-a', '1'],
      ['x-a', '2'],
    ]),
  )
  const gateway = await grpcInFrontOf(url)
  const client = grpcJs(gateway.url)
  const { status: end } = await client.one('a')
  expect(end.code).toBe(status.FAILED_PRECONDITION)
  expect(end.metadata.getMap()).toMatchObject({ 'retry-after': '1', 'x-a': '1, 2' })
  gateway.grant({ upstreams: { grpc: (await grpcNode()).url } })
  expect((await client.one('a')).status.code).toBe(0)
})

it('a call that a closing connection did not process is retried on another connection', async () => {
  let calls = 0
  const response = lastHeaders(1, [
    [':status', '200'],
    ['content-type', 'application/grpc'],
    ['grpc-status', '9'],
  ])
  const gateway = await grpcInFrontOf(await rawNode(() => (++calls === 1 ? goAway : response)))
  const { status: end } = await grpcJs(gateway.url).one('a')
  expect([end.code, calls]).toEqual([status.FAILED_PRECONDITION, 2])
})

async function rawClient(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.on('error', () => undefined).resume()
  socket.write(Buffer.concat([clientStart, settingsAck]))
  return socket
}

function requestHeaders(method: string, type: string) {
  return [
    [':method', method],
    [':path', '/a.B/C'],
    [':scheme', 'http'],
    [':authority', 'x'],
    ['content-type', type],
    ['access-control-request-headers', 'x-token'],
  ] as const
}

/** An upstream that responds to the first headers of every connection with these bytes. */
async function rawNode(respond: () => Buffer): Promise<string> {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(serverStart))
    socket.on('data', (bytes: Buffer) => {
      const hadHeaders = hasHeaders(received.subarray(prefaceBytes))
      received = Buffer.concat([received, bytes])
      if (!hadHeaders && hasHeaders(received.subarray(prefaceBytes))) socket.write(respond())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
