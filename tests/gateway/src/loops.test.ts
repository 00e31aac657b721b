import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as send,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { createSessions } from '@fairlead/grpc-transport'
import { expect, it, onTestFinished } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { beaconFormat } from '@fairlead/gateway-beacon/http/beacon-format'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import { createWebSocketUpstream } from '@fairlead/gateway-evm/upstream/websocket-upstream'
import { pino } from 'pino'
import { createLoopDetector, withPassedThrough } from '@fairlead/gateway-core/network/cdn-loop'
import { operatorRules } from '@fairlead/gateway-core/network/guarded-connect'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'

/** Starts a proxy that forwards every request to a target that is set later. */
async function startProxy() {
  const receivedRequests: {
    readonly path: string
    readonly headers: IncomingHttpHeaders
    readonly body: string
  }[] = []
  let target = new URL('http://127.0.0.1:9')
  const server = createServer((received, response) => {
    const chunks: Buffer[] = []
    received.on('data', (chunk: Buffer) => chunks.push(chunk))
    received.on('end', () => {
      const body = Buffer.concat(chunks)
      const { method, headers, url: path = '' } = received
      receivedRequests.push({ path, headers, body: body.toString() })
      const outgoing = send(target, { method, headers: { ...headers, host: target.host } })
      outgoing.on('response', (upstreamResponse) => {
        response.writeHead(upstreamResponse.statusCode ?? 500, upstreamResponse.headers)
        upstreamResponse.pipe(response)
      })
      outgoing.on('error', () => response.destroy())
      outgoing.end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, receivedRequests, forwardTo: (to: string) => (target = new URL(to)) }
}

async function started(
  upstream: string,
  embedded: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const gateway = await gatewayFixture(environment, upstream, embedded)
  onTestFinished(() => gateway.stop())
  return gateway
}

async function call(
  { url, first }: GatewayFixture,
  method: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: method.includes('Raw') ? ['0x02'] : [],
  })
  const response = await fetch(`${url}/${first.token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  return { status: response.status, body: (await response.json()) as unknown }
}

const allProtocols = {
  beacon: 'http://127.0.0.1:9',
  jetton: 'http://127.0.0.1:9',
  grpc: 'http://127.0.0.1:9',
}

const countOf = (received: readonly { readonly body: string }[], text: string) =>
  received.filter(({ body }) => body.includes(text)).length

it.each(['eth_sendRawTransaction', 'eth_gasPrice', 'eth_blobBaseFee'])(
  'ends a loop of %s after one round',
  async (method) => {
    const proxy = await startProxy()
    const gateway = await started(proxy.url)
    proxy.forwardTo(`${gateway.url}/${gateway.first.token}`)
    const { status, body } = await call(gateway, method)
    expect([status, countOf(proxy.receivedRequests, method)]).toEqual([508, 1])
    expect(body).toMatchObject({ error: { code: expect.any(Number) as number } })
  },
  60_000,
)

it('rejects a WebSocket handshake that has already passed through it', async () => {
  const gateway = await started('http://127.0.0.1:9', allProtocols)
  const { token } = gateway.first
  const detector = createLoopDetector(gateway.store.encryptor)
  const { port } = new URL(gateway.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    `GET /ws/${token} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\ncdn-loop: ${detector.entry}\r\n\r\n`,
  )
  const [text] = (await once(socket, 'data')) as [Buffer]
  expect(text.toString()).toMatch(/^HTTP\/1\.1 508 Loop Detected\r\n/)
  socket.destroy()
})

it.each([
  ['/beacon/TOKEN/eth/v1/node/version', { code: 508, message: expect.any(String) as string }],
  ['/TOKEN/api/v2/getMasterchainInfo', { ok: false, code: 508, error: expect.any(String) as string }],
])('responds with 508 to %s in the format of its API', async (path, error) => {
  const gateway = await started('http://127.0.0.1:9', allProtocols)
  const { token } = gateway.first
  const { entry } = createLoopDetector(gateway.store.encryptor)
  const response = await fetch(`${gateway.url}${path.replace('TOKEN', token)}`, {
    headers: { 'cdn-loop': `other.example, ${entry}` },
  })
  expect(response.status).toBe(508)
  expect(await response.json()).toMatchObject(error)
})

it('responds to a gRPC call with FAILED_PRECONDITION', async () => {
  const gateway = await started('http://127.0.0.1:9', allProtocols)
  const { entry } = createLoopDetector(gateway.store.encryptor)
  const sessions = createSessions(gateway.url)
  onTestFinished(() => sessions.close())
  const session = await sessions.acquire()
  const stream = session.request({
    ':method': 'POST',
    ':path': '/geyser.Geyser/GetVersion',
    'content-type': 'application/grpc',
    te: 'trailers',
    'cdn-loop': entry,
  })
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  expect(headers['grpc-status']).toBe('9')
  stream.close()
})

it('forwards requests of other deployments, with their Via entries and its own', async () => {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await responseWithCallId(request, '{"jsonrpc":"2.0","id":1,"result":"0x1"}')
    response.setHeader('content-type', 'application/json').end(text)
  }
  const node = createServer((request, response) => {
    received.push(request.headers['cdn-loop'])
    void respond(request, response)
  })
  const received: unknown[] = []
  node.listen(0, '127.0.0.1')
  await once(node, 'listening')
  onTestFinished(() => void node.close())
  const second = await started(`http://127.0.0.1:${(node.address() as AddressInfo).port}`)
  const front = await started(
    `${second.url}/${second.first.token}`,
    {},
    { FAIRLEAD_SECRET_KEY: randomBytes(32).toString('hex') },
  )
  expect(await call(front, 'eth_gasPrice')).toMatchObject({ status: 200, body: { result: '0x1' } })
  const [a, b] = [front, second].map(({ store }) => createLoopDetector(store.encryptor).entry)
  expect(a).not.toBe(b)
  expect(received).toContain(`${a}, ${b}`)
  // Requests of a gateway itself have passed only through that gateway.
  for (const value of received) expect([b, `${a}, ${b}`]).toContain(value)
})

it('adds its Via entry to requests of the REST APIs and to WebSocket handshakes', async () => {
  const received: unknown[] = []
  const node = createServer((request, response) => {
    received.push(request.headers['cdn-loop'])
    response.end('{}')
  })
  node.on('upgrade', (request, socket) => {
    received.push(request.headers['cdn-loop'])
    socket.destroy()
  })
  node.listen(0, '127.0.0.1')
  await once(node, 'listening')
  onTestFinished(() => void node.close())
  const host = `127.0.0.1:${(node.address() as AddressInfo).port}`
  const restUpstream = createRestUpstream(
    `http://${host}`,
    5_000,
    beaconFormat,
    operatorRules,
    'fairlead; id=a',
  )
  const { signal } = new AbortController()
  const version = {
    method: 'GET',
    target: '/eth/v1/node/version',
    headers: {},
    tenant: undefined,
    signal,
  } as const
  await restUpstream.request(version)
  await withPassedThrough('other.example', () => restUpstream.request(version))
  await restUpstream.close()
  const options = { loopEntry: 'fairlead; id=a' }
  const socket = createWebSocketUpstream(
    [{ address: `ws://${host}` }],
    5_000,
    pino({ level: 'silent' }),
    options,
  )
  await new Promise<void>((resolve) => {
    const noop = () => undefined
    socket.subscribe(['newHeads'], { onLive: noop, onResult: noop, onFailure: () => resolve() })
  })
  socket.close()
  expect(received).toEqual(['fairlead; id=a', 'other.example, fairlead; id=a', 'fairlead; id=a'])
})

it('adds its Via entry to gRPC calls', async () => {
  const received: unknown[] = []
  const node = createHttp2Server().on('stream', (stream, headers) => {
    received.push(headers['cdn-loop'])
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' },
      { endStream: true },
    )
  })
  node.listen(0, '127.0.0.1')
  await once(node, 'listening')
  onTestFinished(() => void node.close())
  const grpc = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const gateway = await started('http://127.0.0.1:9', { grpc })
  const sessions = createSessions(gateway.url)
  onTestFinished(() => sessions.close())
  for (const before of [undefined, 'other.example']) {
    const stream = (await sessions.acquire()).request({
      ':method': 'POST',
      ':path': '/geyser.Geyser/GetVersion',
      'content-type': 'application/grpc',
      'x-token': gateway.first.xToken ?? '',
      te: 'trailers',
      ...(before !== undefined && { 'cdn-loop': before }),
    })
    const [headers] = (await once(stream.end(), 'response')) as [IncomingHttpHeaders]
    expect(headers['grpc-status']).toBe('0')
    stream.close()
  }
  const { entry } = createLoopDetector(gateway.store.encryptor)
  expect(received).toEqual([entry, `other.example, ${entry}`])
})

it('rejects more Via entries than a request can need', async () => {
  const gateway = await started('http://127.0.0.1:9')
  expect((await call(gateway, 'eth_gasPrice', { 'cdn-loop': 'a, '.repeat(500) })).status).toBe(508)
  expect((await call(gateway, 'eth_gasPrice', { 'cdn-loop': 'a, '.repeat(20) })).status).toBe(502)
})

it('has an id that depends on the secret key and does not reveal it', () => {
  const encryptor = { fingerprint: (text: string, context: string) => `${context}-${text}-`.padEnd(43, 'x') }
  const { entry, isLoop } = createLoopDetector(encryptor)
  expect(entry).toMatch(/^fairlead; id=[\w-]{22}$/)
  expect([isLoop(`a, ${entry}; b`), isLoop('fairlead; id=other')]).toEqual([true, false])
})
