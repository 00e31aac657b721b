import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { generate } from 'selfsigned'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { respondWith } from '@fairlead/gateway-core/testing/with-call-id'

vi.setConfig({ testTimeout: 60_000 })

const capacity = 32 << 20
// All unauthenticated clients together may use a quarter, and four connections and streams of an address in addition.
const maxOfUnauthenticated = capacity / 4 + (1 << 20)

const { NGHTTP2_REFUSED_STREAM: refusedStream, NGHTTP2_ENHANCE_YOUR_CALM: enhanceYourCalm } = constants

let folder: string
let node: Awaited<ReturnType<typeof serve>>
let gateway: GatewayFixture

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-tls-'))
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
  await writeFile(join(folder, 'key.pem'), pair.private)
  await writeFile(join(folder, 'cert.pem'), pair.cert)
  node = await serve(respondWith('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  gateway = await gatewayFixture(
    {
      FAIRLEAD_MAX_HELD_BYTES: String(capacity),
      // Longer than the tests.
      FAIRLEAD_STALL_MS: '3600000',
      FAIRLEAD_TLS_PORT: '0',
      FAIRLEAD_TLS_CERTIFICATE_FILE: join(folder, 'cert.pem'),
      FAIRLEAD_TLS_KEY_FILE: join(folder, 'key.pem'),
    },
    node.url,
  )
}, 60_000)
let attackers = 10
/** The limits of an address last longer than a test. */
let attacker: string
beforeEach(async () => {
  attackers += 1
  attacker = `127.0.0.${attackers}`
  // The memory of the previous test is released with its connections.
  await vi.waitFor(async () => expect(await reservedBytes()).toBe(0), 20_000)
})
afterAll(async () => {
  await gateway.stop()
  await node.stop()
  await rm(folder, { recursive: true })
})

async function reservedBytes(): Promise<number> {
  const metric = await gateway.registry.getSingleMetric('fairlead_memory_reserved_bytes')?.get()
  return metric?.values[0]?.value ?? Number.NaN
}

const portOf = (url = '') => Number(new URL(url).port)

/** Opens a TCP connection, from the address of the attacker unless another one is given. */
function tcp(localAddress = attacker): Socket {
  const socket = connect({ port: portOf(gateway.url), host: '127.0.0.1', localAddress })
  onTestFinished(() => void socket.destroy())
  return socket.on('error', () => undefined)
}

function tls(): Socket {
  const under = connect({ port: portOf(gateway.tlsUrl), host: '127.0.0.1', localAddress: attacker })
  const socket = connectTls({ socket: under, rejectUnauthorized: false })
  onTestFinished(() => void socket.destroy())
  return socket.on('error', () => undefined)
}

/** Opens an HTTP/2 connection; undefined when the gateway closes it. */
async function http2(
  settings: { readonly initialWindowSize?: number } = {},
  localAddress?: string,
): Promise<ClientHttp2Session | undefined> {
  const session = connectHttp2(gateway.url, { settings, createConnection: () => tcp(localAddress) })
  session.on('error', () => undefined)
  onTestFinished(() => session.destroy())
  const isOpen = await Promise.race([
    once(session, 'remoteSettings').then(() => true),
    closeOf(session).then(() => false),
  ])
  // The acknowledgment shows that the gateway has reserved the memory of the connection.
  const isAccepted = isOpen && (await new Promise<boolean>((resolve) => ping(session, resolve)))
  return isAccepted ? session : undefined
}

function ping(session: ClientHttp2Session, done: (isAcknowledged: boolean) => void): void {
  if (session.destroyed || session.closed) done(false)
  else session.ping((error) => done(error === null))
}

const post = { ':method': 'POST', 'content-type': 'application/json' }
const call = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'

/** Sends an authenticated call from another address. */
async function statusOfBystander(): Promise<unknown> {
  const session = await http2({}, '127.0.0.2')
  const stream = session?.request({ ...post, ':path': `/${gateway.first.token}` })
  stream?.end(call)
  const [headers] = stream ? ((await once(stream, 'response')) as [Record<string, unknown>]) : [{}]
  session?.destroy()
  return headers[':status']
}

/** Opens connections until one is refused; returns how many were accepted. */
async function connectUntilRefused(open: () => Promise<boolean>): Promise<number> {
  for (let accepted = 0; accepted < 2_000; accepted++) if (!(await open())) return accepted
  return Number.POSITIVE_INFINITY
}

/** Opens streams on several connections until one is refused; returns its code. */
async function streamUntilRefused(
  headers: Record<string, string>,
  settings: { readonly initialWindowSize?: number },
): Promise<number | undefined> {
  for (let connections = 0; connections < 20; connections++) {
    const session = await http2(settings)
    if (!session) return refusedStream
    const codes: number[] = []
    for (let count = 0; count < 100; count++) {
      const stream = session.request({ ...headers }, { endStream: headers[':method'] === 'GET' })
      stream.on('error', () => undefined).once('close', () => codes.push(stream.rstCode))
    }
    await new Promise<boolean>((resolve) => ping(session, resolve))
    if (codes.length > 0) return codes[0]
  }
  return undefined
}

const longHeaders = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [`x-${index}`, 'y'.repeat(200)]),
)

describe('unauthenticated clients hold a bounded part of the memory, and others are served:', () => {
  it.each<[string, () => Promise<number>, least: number]>([
    ['HTTP/1.1', () => connectUntilRefused(() => staysOpen(tcp())), 100],
    ['TLS', () => connectUntilRefused(() => staysOpen(tls())), 25],
    ['HTTP/2', () => connectUntilRefused(async () => (await http2()) !== undefined), 25],
  ])('idle connections over %s', async (_, accepted, least) => {
    const number = await accepted()
    expect(number).toBeGreaterThan(least)
    expect(number).toBeLessThan(2_000)
    expect(await reservedBytes()).toBeLessThan(maxOfUnauthenticated)
    expect(await statusOfBystander()).toBe(200)
  })

  it.each<[string, Record<string, string>, { readonly initialWindowSize?: number }]>([
    ['bodies that are not sent', { ...post, ':path': '/v1/session/' }, {}],
    ['responses that are not read', { ':method': 'GET', ':path': '/console/' }, { initialWindowSize: 0 }],
    ['long headers', { ':method': 'GET', ':path': '/healthz', ...longHeaders }, { initialWindowSize: 0 }],
  ])('HTTP/2 streams with %s', async (_, headers, settings) => {
    expect(await streamUntilRefused(headers, settings)).toBe(refusedStream)
    expect(await reservedBytes()).toBeLessThan(maxOfUnauthenticated)
    expect(await statusOfBystander()).toBe(200)
  })
})

function closeOf(stream: { once(event: 'close', listener: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => stream.once('close', resolve))
}

/** Whether the gateway accepts a connection: it closes one that it refuses immediately. */
async function staysOpen(socket: Socket): Promise<boolean> {
  const closed = closeOf(socket.resume()).then(() => false)
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), closed])
  // The connection is closed before a later one is accepted.
  const other = tcp('127.0.0.3')
  other.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await closeOf(other.resume())
  return Promise.race([closed, new Promise<boolean>((resolve) => setImmediate(() => resolve(true)))])
}

it('a connection may have more streams once a request is authenticated', async () => {
  const session = await http2()
  if (!session) throw new Error('refused')
  expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 100, initialWindowSize: 65_535 })
  const unauthenticated = session.request({ ...post, ':path': '/unknown' })
  unauthenticated.end(call)
  await once(unauthenticated.resume(), 'close')
  expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 100 })
  const authenticated = session.request({ ...post, ':path': `/${gateway.first.token}` })
  authenticated.end(call)
  await once(authenticated.resume(), 'close')
  await vi.waitFor(() =>
    expect(session.remoteSettings).toMatchObject({
      maxConcurrentStreams: 250,
      initialWindowSize: 262_144,
    }),
  )
})

it('the more connections an address has, the fewer streams each may have', async () => {
  const most = async (localAddress?: string) =>
    (await http2({}, localAddress))?.remoteSettings.maxConcurrentStreams
  const connections: unknown[] = []
  for (let count = 0; count < 40; count += 1) connections.push(await most())
  expect([connections[0], connections.at(-1)]).toEqual([100, 25])
  expect(await most('127.0.0.2')).toBe(100)
})

it('a connection closes when its address opens too many streams without a credential', async () => {
  const session = await http2()
  if (!session) throw new Error('refused')
  const isOpen = () => !session.closed && !session.destroyed
  let opened = 0
  for (; isOpen() && opened < 2_000; opened += 50) {
    const streams = Array.from({ length: 50 }, () => session.request({ ':path': '/healthz' }).resume())
    await Promise.all(streams.map((stream) => closeOf(stream.on('error', () => undefined))))
  }
  expect(opened).toBeLessThan(1_500)
  expect(await statusOfBystander()).toBe(200)
})

it('unauthenticated clients that stall are disconnected, and authenticated ones are not', async () => {
  const { token } = gateway.first
  const raw = (target: string, lines: string) => {
    const socket = tcp()
    socket.resume().write(`${target} HTTP/1.1\r\nhost: x\r\n${lines}\r\n`)
    return socket
  }
  const session = await http2({ initialWindowSize: 0 })
  if (!session) throw new Error('refused')
  const unread = session.request({ ':path': '/console/' }).on('error', () => undefined)
  const unsent = session.request({ ...post, ':path': '/v1/session/' }).on('error', () => undefined)
  const authenticated = raw(`POST /${token}`, 'content-type: application/json\r\ncontent-length: 100\r\n')
  const json = 'content-type: application/json\r\ncontent-length: 100\r\n\r\n{'
  const ended = [
    raw('POST /v1/session/', json),
    raw('POST /unknown', json),
    raw('GET /healthz', 'content-length: 100\r\n\r\n{'),
    raw('GET /console/', 'transfer-encoding: chunked\r\n'),
    unread,
    unsent,
  ].map(closeOf)
  await Promise.all(ended)
  expect([unread.rstCode, unsent.rstCode]).toEqual([enhanceYourCalm, enhanceYourCalm])
  expect(authenticated.destroyed).toBe(false)
  authenticated.write(`${call}${' '.repeat(100 - call.length)}`)
  const [bytes] = (await once(authenticated, 'data')) as [Buffer]
  expect(bytes.toString()).toContain('200 OK')
})
