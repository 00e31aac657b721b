import { connect as connectHttp2, constants, type OutgoingHttpHeaders } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'

let calls = 0
/** A call that differs from all others, so that it waits for no other one. */
const call = (method = 'eth_call', params: unknown = [{ value: `0x${(++calls).toString(16)}` }, 'latest']) =>
  JSON.stringify({ jsonrpc: '2.0', id: calls, method, params })
/** A call without an id, which gets no response. */
const notification = () => call().replace(/"id":\d+,/, '')
const batch = () => `[${Array.from({ length: 20 }, () => call()).join()}]`
const message = Buffer.concat([Buffer.from([0, 0, 0, 0, 5]), Buffer.from('hello')])

let node: Awaited<ReturnType<typeof serve>>
let gateway: GatewayFixture
/** Whether the node responds to no request, or begins each response and holds it or disconnects. */
let behaviour: 'silence' | 'half a response' | 'a broken response' | 'response' = 'response'
let requests = 0
/** Ends the responses that the node has not ended. */
const held: (() => void)[] = []

beforeAll(async () => {
  node = await serve(async (request, response) => {
    response.on('error', () => undefined).setHeader('content-type', 'application/json')
    const begin = `{"jsonrpc":"2.0","id":1,"result":"0x${'0'.repeat(70_000)}`
    const [first, second] = [await responseWithCallId(request, begin), '1"}']
    if (behaviour === 'response') response.end(first + second)
    else {
      requests += 1
      if (behaviour === 'a broken response') response.write(first, () => response.destroy())
      else if (behaviour === 'half a response') response.write(first)
      held.push(() => response.end(response.headersSent ? second : first + second))
    }
  })
})
afterAll(() => node.stop())

/** Waits until the node has received another request, and the gateway has read what it sent of the response. */
async function forwardedAfter(before: number): Promise<void> {
  await vi.waitFor(() => expect(requests).toBeGreaterThan(before))
  for (let round = 0; round < 3; round++) await fetch(`${gateway.url}/healthz`)
}

/** Sends bytes over a connection, and disconnects when the node has received the call, or at once. */
async function overTcp(text: string | Buffer, isForwarded: boolean): Promise<void> {
  const socket: Socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  const before = requests
  await new Promise<void>((resolve) => socket.write(text, () => resolve()))
  if (isForwarded) await forwardedAfter(before)
  socket.resetAndDestroy()
}

/** Does the same with a stream of HTTP/2: resets it, or ends its connection. */
async function overHttp2(
  headers: OutgoingHttpHeaders,
  body: string | Buffer,
  { isForwarded = true, isWhole = true, isReset = true } = {},
): Promise<void> {
  const session = connectHttp2(gateway.url).on('error', () => undefined)
  const stream = session.request({ ':method': 'POST', ...headers }).on('error', () => undefined)
  const before = requests
  await new Promise<void>((resolve) => stream.write(body, () => resolve()))
  if (isWhole) stream.end()
  if (isForwarded) await forwardedAfter(before)
  else await new Promise<void>((resolve) => session.ping(() => resolve()))
  if (isReset) {
    stream.close(constants.NGHTTP2_CANCEL)
    await new Promise<void>((resolve) => session.ping(() => resolve()))
  }
  session.destroy()
}

/** Sends messages over a WebSocket, and disconnects when the node has received a call, or at once. */
async function overWebSocket(texts: readonly (string | Buffer)[], isForwarded: boolean): Promise<void> {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws/${gateway.first.token}`)
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('open', resolve))
  const before = requests
  for (const text of texts) await new Promise((resolve) => socket.send(text, resolve))
  if (isForwarded) await forwardedAfter(before)
  else await new Promise((resolve) => socket.once('pong', resolve).ping())
  socket.terminate()
}

const http1 = (path: string, body: string | Buffer, fields = '', length = body.length) =>
  Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${fields}\r\n`,
    ),
    Buffer.from(body),
  ])

const path = () => `/${gateway.first.token}`
const json = { 'content-type': 'application/json' }
const grpc = () => ({
  ':path': '/test.Test/One',
  'content-type': 'application/grpc',
  te: 'trailers',
  'x-token': gateway.first.xToken ?? '',
})
const apiKey = () => `authorization: Bearer ${gateway.first.apiKey}\r\n`

/** Methods whose responses are read in different ways: to cache them, to find their block, or to combine them. */
const methods: readonly (readonly [string, (n: string) => unknown])[] = [
  ['eth_blockNumber', () => []],
  ['eth_gasPrice', () => []],
  ['eth_getBalance', (n) => [`0x${n.padStart(40, '0')}`, 'latest']],
  ['eth_getBlockByNumber', () => ['latest', true]],
  ['eth_getBlockByNumber', (n) => [`0x1${n}`, true]],
  ['eth_getBlockReceipts', (n) => [`0x1${n}`]],
  ['eth_getLogs', (n) => [{ fromBlock: `0x1${n}`, toBlock: `0x2${n}` }]],
  ['eth_feeHistory', (n) => [`0x1${n}`, 'latest', []]],
  ['eth_getTransactionReceipt', (n) => [`0x${n.padStart(64, '0')}`]],
  ['eth_sendRawTransaction', (n) => [`0x${n.padStart(40, '0')}`]],
  ['trace_block', (n) => [`0x1${n}`]],
  ['debug_traceBlockByNumber', (n) => [`0x1${n}`, {}]],
  ['debug_traceTransaction', (n) => [`0x${n.padStart(64, '0')}`, {}]],
]

const ofMethods = methods.flatMap(([method, params]) => {
  const rpc = () => call(method, params((calls + 1).toString(16)))
  return [
    [`${method} over HTTP/1.1`, () => overTcp(http1(path(), rpc()), true)],
    [`${method} in a batch`, () => overTcp(http1(path(), `[${rpc()},${call()}]`), true)],
    [
      `equal calls of ${method}`,
      () => overTcp(http1(path(), `[${Array.from({ length: 3 }).fill(rpc()).join()}]`), true),
    ],
    [
      `equal calls of ${method} over a WebSocket`,
      () => overWebSocket(Array.from({ length: 3 }, rpc).fill(rpc()), true),
    ],
    [`${method} over a WebSocket`, () => overWebSocket([rpc()], true)],
    [`${method} as a notification`, () => overTcp(http1(path(), rpc().replace(/"id":\d+,/, '')), true)],
  ] as const
})

const forwarded: readonly (readonly [string, () => Promise<void>])[] = [
  ['a call', () => overTcp(http1(path(), call()), true)],
  ['a call by node:http', () => overTcp(http1(path(), call(), 'x-other: 1\r\n'), true)],
  ['a batch', () => overTcp(http1(path(), batch()), true)],
  ['pipelined calls', () => overTcp(Buffer.concat([http1(path(), call()), http1(path(), call())]), true)],
  ['a notification', () => overTcp(http1(path(), notification()), true)],
  ['notifications of a batch', () => overTcp(http1(path(), `[${call()},${notification()}]`), true)],
  ['a notification over a WebSocket', () => overWebSocket([notification()], true)],
  ['a call over HTTP/2', () => overHttp2({ ':path': path(), ...json }, call())],
  ['a batch over HTTP/2', () => overHttp2({ ':path': path(), ...json }, batch(), { isReset: false })],
  ['a call over a WebSocket', () => overWebSocket([call()], true)],
  ['a batch over a WebSocket', () => overWebSocket([batch(), call()], true)],
  ['subscriptions', () => overWebSocket([call('eth_subscribe', ['newHeads']), call()], true)],
  [
    'a beacon call',
    () => overTcp(`GET /beacon${path()}/eth/v1/node/version HTTP/1.1\r\nhost: a\r\n\r\n`, true),
  ],
  [
    'an event stream',
    () => overTcp(`GET /beacon${path()}/eth/v1/events?topics=head HTTP/1.1\r\nhost: a\r\n\r\n`, true),
  ],
  ['a TON call', () => overTcp(`GET ${path()}/api/v2/getMasterchainInfo HTTP/1.1\r\nhost: a\r\n\r\n`, true)],
  [
    'a TON call over JSON-RPC',
    () => overTcp(http1(`${path()}/api/v2/jsonRPC`, call('getMasterchainInfo', {})), true),
  ],
]

const early: readonly (readonly [string, () => Promise<void>])[] = [
  ['half a body', () => overTcp(http1(path(), '[', '', 100_000), false)],
  [
    'half a compressed body',
    () => overTcp(http1(path(), gzipSync(batch()).subarray(0, 40), 'content-encoding: gzip\r\n', 500), false),
  ],
  [
    'an invalid compressed body',
    () => overTcp(http1(path(), 'not gzip', 'content-encoding: gzip\r\n'), false),
  ],
  [
    'half a body over HTTP/2',
    () => overHttp2({ ':path': path(), ...json }, '[', { isForwarded: false, isWhole: false }),
  ],
  ['a body of the platform API', () => overTcp(http1('/v2/projects/', '{', apiKey(), 100), false)],
  [
    'a body of the platform API over HTTP/2',
    () =>
      overHttp2({ ':path': '/v2/projects/', ...json, authorization: `Bearer ${gateway.first.apiKey}` }, '{', {
        isForwarded: false,
        isWhole: false,
      }),
  ],
  [
    'half a beacon body',
    () => overTcp(http1(`/beacon${path()}/eth/v1/beacon/pool/attestations`, '[', '', 100), false),
  ],
  ['half a TON body', () => overTcp(http1(`${path()}/api/v2/jsonRPC`, '{', '', 100), false)],
  [
    'messages that are no JSON-RPC',
    () => overWebSocket(['', '{', '[]', '[1,1]', '5', '\u0000', `[${'['.repeat(5_000)}`], false),
  ],
  ['binary messages', () => overWebSocket([Buffer.from([255, 254]), Buffer.alloc(2_000)], false)],
  ['a gRPC call', () => overHttp2(grpc(), message, { isForwarded: false })],
  [
    'half a gRPC call',
    () => overHttp2(grpc(), message.subarray(0, 7), { isForwarded: false, isWhole: false }),
  ],
  [
    'a gRPC call with its connection',
    () => overHttp2(grpc(), message, { isForwarded: false, isReset: false }),
  ],
  [
    'a gRPC call of an invalid frame',
    () => overHttp2(grpc(), Buffer.alloc(100, 255), { isForwarded: false }),
  ],
  [
    'a gRPC-web call',
    () =>
      overHttp2({ ...grpc(), 'content-type': 'application/grpc-web+proto' }, message, { isForwarded: false }),
  ],
  [
    'a gRPC-web call of invalid text',
    () =>
      overHttp2({ ...grpc(), 'content-type': 'application/grpc-web-text' }, '!!!!', { isForwarded: false }),
  ],
  [
    'a gRPC-web call over HTTP/1.1',
    () =>
      overTcp(
        http1('/test.Test/One', message.subarray(0, 6), `x-token: ${gateway.first.xToken}\r\n`, 100)
          .toString('latin1')
          .replace('application/json', 'application/grpc-web+proto'),
        false,
      ),
  ],
]

const queued = 'one concurrency slot, so that calls are queued'

describe.each([
  ['free concurrency slots', {}],
  [queued, { FAIRLEAD_MAX_CONCURRENT_CALLS: '1' }],
  ['node:http', { FAIRLEAD_BUILTIN_HTTP_SERVER: 'false' }],
] as const)('with %s', (name, environment) => {
  beforeAll(async () => {
    gateway = await gatewayFixture(
      { FAIRLEAD_PRIVATE_UPSTREAMS: 'true', FAIRLEAD_UPSTREAM_TIMEOUT_MS: '60000', ...environment },
      node.url,
      { beacon: node.url, jetton: node.url, grpc: node.url },
    )
  }, 60_000)
  afterAll(() => gateway.stop())

  /** Expects that a case leaves no line at level error and no stack in the log. */
  async function expectQuiet(run: () => Promise<void>): Promise<void> {
    const before = gateway.log().length
    await run()
    // Responses to later requests show that the cancellation was processed.
    await fetch(`${gateway.url}/healthz`)
    await fetch(`${gateway.url}/v2/projects/`, {
      headers: { authorization: `Bearer ${gateway.first.apiKey}` },
    })
    const lines = gateway.log().slice(before).split('\n').filter(Boolean)
    expect(lines.filter((line) => /"level":[4-6]\d|"stack"/.test(line))).toEqual([])
  }

  it.runIf(name !== queued).each(forwarded)(
    'a client that cancels %s leaves no error in the log',
    async (_, cancel) => {
      for (const next of ['silence', 'half a response', 'a broken response'] as const) {
        behaviour = next
        await expectQuiet(cancel)
        behaviour = 'response'
        for (const end of held.splice(0)) end()
      }
    },
  )

  it.runIf(name === 'free concurrency slots').each(ofMethods)(
    'a client that cancels %s leaves no error in the log',
    async (_, cancel) => {
      for (const next of ['half a response', 'a broken response'] as const) {
        behaviour = next
        await expectQuiet(cancel)
        behaviour = 'response'
        for (const end of held.splice(0)) end()
      }
    },
  )

  it.each(early)('a client that cancels %s leaves no error in the log', async (_, cancel) => {
    await expectQuiet(cancel)
  })

  it.runIf(name === queued)('clients that cancel queued calls leave no error in the log', async () => {
    behaviour = 'silence'
    const holding = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', () => undefined)
    const before = requests
    holding.write(http1(path(), call()))
    await vi.waitFor(() => expect(requests).toBeGreaterThan(before))
    await expectQuiet(async () => {
      await overTcp(http1(path(), call()), false)
      await overTcp(http1(path(), batch()), false)
      await overHttp2({ ':path': path(), ...json }, batch(), { isForwarded: false })
      await overHttp2(grpc(), message, { isForwarded: false })
      await overWebSocket([batch(), call()], false)
      await overTcp(`GET /beacon${path()}/eth/v1/node/version HTTP/1.1\r\nhost: a\r\n\r\n`, false)
    })
    holding.destroy()
    behaviour = 'response'
    for (const end of held.splice(0)) end()
  })
})
