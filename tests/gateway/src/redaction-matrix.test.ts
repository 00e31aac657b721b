import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setImmediate as nextTick } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { encodeStatusMessage } from '@fairlead/grpc-transport/wire'
import { grpcJs } from '@fairlead/gateway-grpc/testing/grpc-js-client'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { secretEncodings } from '@fairlead/gateway-core/testing/secret-encodings'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'

const secret = 'k7Qz-9f2b_Lm4x8Wc1Rt6Vy3'
const encodings = secretEncodings(secret)
const patience = { timeout: 50_000, interval: 20 }

/** Formats the JSON-RPC error of the node with this message. */
type WriteError = (id: unknown, message: string) => string | readonly string[]

const errorOf = (message: string) => ({ code: -32000, message, data: { at: [message] } })
const written: WriteError = (id, message) => JSON.stringify({ jsonrpc: '2.0', id, error: errorOf(message) })
const escaped = (text: string) =>
  Array.from(text, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const errorForms: readonly (readonly [name: string, write: WriteError])[] = [
  ['plainly', written],
  ['behind another member', (id, message) => `{"node":{"a":"}"},${String(written(id, message)).slice(1)}`],
  [
    'with an escaped key',
    (id, message) => String(written(id, message)).replace('"error"', `"${escaped('error')}"`),
  ],
  ['behind 2 kB of blanks', (id, message) => `${' '.repeat(2_048)}${String(written(id, message))}`],
  ['behind 100 kB of blanks', (id, message) => [' '.repeat(100_000), String(written(id, message))]],
  ['as a text', (id, message) => JSON.stringify({ jsonrpc: '2.0', id, error: message })],
  ['as a list', (id, message) => JSON.stringify({ jsonrpc: '2.0', id, error: [message] })],
  ['behind a null result', (id, message) => `{"result":null,${String(written(id, message)).slice(1)}`],
  ['behind a result', (id, message) => `{"result":"0x1",${String(written(id, message)).slice(1)}`],
  [
    'behind 200 kB of a result',
    (id, message) => [
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":"`,
      ...Array.from({ length: 4 }, () => 'a'.repeat(50_000)),
      `","error":${JSON.stringify(errorOf(message))}}`,
    ],
  ],
  [
    'twice',
    (id, message) =>
      `{"error":{"message":${JSON.stringify(message)},${JSON.stringify(errorOf('x')).slice(1)},"id":${JSON.stringify(id)},"jsonrpc":"2.0"}`,
  ],
  ['in chunks of a few bytes', (id, message) => String(written(id, message)).match(/.{1,7}/gs) ?? []],
]

let node: Awaited<ReturnType<typeof serve>>
let sockets: WebSocketServer
let http2: ReturnType<typeof createHttp2Server>
let gateway: GatewayFixture
let message = ''
let write: WriteError = written

async function respondHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readText(request)
  response.setHeader('content-type', 'application/json')
  response.setHeader('eth-consensus-version', headerOf(message))
  response.setHeader('x-served-by', headerOf(message))
  if (request.url?.includes('/eth/')) {
    response.writeHead(400, headerOf(message))
    response.end(JSON.stringify({ code: 400, message, failures: [{ index: 0, message }] }))
  } else if (request.url?.includes('/api/')) {
    response.statusCode = 500
    response.end(JSON.stringify({ ok: false, error: message, code: 500 }))
  } else {
    const calls = JSON.parse(body) as { id: unknown } | { id: unknown }[]
    const parts = Array.isArray(calls)
      ? [`[${calls.map(({ id }) => [write(id, message)].flat().join('')).join(',')}]`]
      : [write(calls.id, message)].flat()
    for (const part of parts) {
      response.write(part)
      await nextTick()
    }
    response.end()
  }
}

// Header values must not contain line breaks.
const headerOf = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, ' ')

function respondGrpc(stream: ServerHttp2Stream): void {
  const bytes = Buffer.from(message).toString('base64')
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'x-served-by': headerOf(message),
      'x-served-bin': bytes,
    },
    { waitForTrailers: true },
  )
  stream.once('wantTrailers', () =>
    stream.sendTrailers({
      'grpc-status': '9',
      'grpc-message': encodeStatusMessage(message),
      'grpc-status-details-bin': bytes,
      'x-why': headerOf(message),
    }),
  )
  stream.resume().end()
}

beforeAll(async () => {
  node = await serve((request, response) => respondHttp(request, response))
  sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  sockets.on('connection', (client) =>
    client.on('message', (data: Buffer) => {
      const { id } = JSON.parse(data.toString()) as { id: number }
      client.send(JSON.stringify({ jsonrpc: '2.0', id, error: errorOf(message) }))
    }),
  )
  await once(sockets, 'listening')
  http2 = createHttp2Server().on('stream', respondGrpc)
  http2.listen(0, '127.0.0.1')
  await once(http2, 'listening')
  const urlWith = (scheme: string, port: number, user = 'user') =>
    `${scheme}://${user}:${secret}@127.0.0.1:${port}`
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
  const http = `${urlWith('http', Number(new URL(node.url).port))}/${secret}`
  gateway = await gatewayFixture({}, http, {
    websocket: urlWith('ws', portOf(sockets)),
    beacon: http,
    jetton: http,
    grpc: urlWith('http', portOf(http2), 'x-token'),
  })
}, 60_000)
afterAll(async () => {
  await gateway.stop()
  await node.stop()
  sockets.close()
  http2.close()
})

async function textOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => 'interrupted')
  return `${response.status} ${response.statusText} ${JSON.stringify([...response.headers])} ${text}`
}
const path = (rest: string) => `${gateway.url}/${rest.replace('TOKEN', gateway.first.token)}`
const post = async (body: unknown) => {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  return textOf(await fetch(path('TOKEN'), request))
}
const call = (id: number, method = 'eth_gasPrice') => ({ jsonrpc: '2.0', id, method, params: [] })
const paths = {
  single: () => post(call(1)),
  'batch of short calls': () => post([call(1), call(2)]),
  'batch of slow calls': () => post([call(1, 'eth_accounts'), call(2, 'net_peerCount')]),
  WebSocket: async () => {
    const client = await openWebSocket(path('ws/TOKEN').replace('http', 'ws'))
    const called = await client.call('eth_gasPrice', [])
    client.socket.close()
    return JSON.stringify(called)
  },
} as const
const errors = {
  'refused subscription': async () => {
    const client = await openWebSocket(path('ws/TOKEN').replace('http', 'ws'))
    const rejected = await client.call('eth_subscribe', ['newPendingTransactions'])
    client.socket.close()
    return JSON.stringify(rejected)
  },
  beacon: async () => textOf(await fetch(path('beacon/TOKEN/eth/v1/beacon/headers/head'))),
  'TON v2': async () => textOf(await fetch(path('TOKEN/api/v2/getMasterchainInfo'))),
  'TON v3': async () => textOf(await fetch(path('TOKEN/api/v3/masterchainInfo'))),
  gRPC: async () => {
    const { status, headers } = await grpcJs(gateway.url, gateway.first.xToken).one('a')
    expect(status.code).toBe(9)
    const metadata = { ...status.metadata.getMap(), ...headers?.getMap() }
    return `${status.details} ${JSON.stringify(metadata)} ${Object.values(metadata).map(String).join(' ')}`
  },
} as const

function expectNoSecret(text: string, encoded: string, source: string): void {
  const forms = [encoded, JSON.stringify(encoded).slice(1, -1), secret]
  const found = forms.filter((form) => text.toLowerCase().includes(form.toLowerCase()))
  expect({ source, found }).toEqual({ source, found: [] })
}

// The last test counts what the others recorded, so they run in order.
describe('no secret of an upstream is revealed by the gateway', { shuffle: false }, () => {
  const cells: string[] = []

  it.each(Object.entries(errors))('no encoding of a secret is revealed by %s', async (name, readOutput) => {
    write = written
    for (const [encoding, encoded] of encodings) {
      message = `failed at ${encoded} now`
      expectNoSecret(await readOutput(), encoded, `${name}: ${encoding}`)
      cells.push(name)
    }
  })

  describe.each(Object.entries(paths))('no encoding of a secret is revealed by %s', (name, readOutput) => {
    it.each(errorForms)('with the error in the format %s', async (form, writeForm) => {
      write = writeForm
      for (const [encoding, encoded] of encodings) {
        message = `failed at ${encoded} now`
        expectNoSecret(await readOutput(), encoded, `${name}, ${form}: ${encoding}`)
        cells.push(name)
      }
    })
  })

  it('a result with the same text is forwarded unchanged', async () => {
    for (const [, encoded] of encodings) {
      write = (id) => JSON.stringify({ jsonrpc: '2.0', id, result: { error: encoded } })
      expect(await post(call(1))).toContain(JSON.stringify({ error: encoded }))
    }
  })

  it('the platform API returns no secret after a probe', async () => {
    write = written
    // All encodings in each response, so that one probe tests all of them in all its calls.
    message = `failed at ${encodings.map(([, encoded]) => encoded).join(' or ')} now`
    const { nodeId, apiKey } = gateway.first
    const platform = async (method: string, rest: string) => {
      const headers = { authorization: `Bearer ${apiKey}` }
      return (await fetch(`${gateway.url}/v2/nodes/${nodeId}/${rest}`, { method, headers })).text()
    }
    // Queries through the platform API would exceed its rate limit.
    const recordedMethods = () => gateway.store.db.selectFrom('node_methods').select('method').execute()
    await gateway.store.db.deleteFrom('node_methods').execute()
    await platform('POST', 'methods/probe/')
    await vi.waitFor(async () => expect(await recordedMethods()).not.toEqual([]), patience)
    const responses = await Promise.all(
      ['methods/?limit=500', '', 'upstreams/'].map((rest) => platform('GET', rest)),
    )
    expect(responses[0]).toMatch(/"probed_at":"/)
    for (const text of responses) {
      for (const [encoding, encoded] of encodings) {
        expectNoSecret(text, encoded, `platform API: ${encoding}`)
      }
    }
  })

  it('the log and the metrics contain none of them', async () => {
    expect(cells.length).toBe(
      encodings.length * (Object.keys(errors).length + Object.keys(paths).length * errorForms.length),
    )
    const text = `${gateway.log()}${await gateway.registry.metrics()}`
    for (const [encoding, encoded] of encodings) expectNoSecret(text, encoded, `log: ${encoding}`)
  })
})
