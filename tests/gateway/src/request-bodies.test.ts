import { text as readText } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { withCallId } from '@fairlead/gateway-core/testing/with-call-id'

let node: Awaited<ReturnType<typeof serve>>
let gateway: GatewayFixture
let received: readonly string[] = []

beforeAll(async () => {
  node = await serve(async (request, response) => {
    const body = await readText(request)
    if (request.method === 'POST') received = [...received, body]
    const isRest = /^\/(?:eth|api)\//.test(request.url ?? '')
    response.setHeader('content-type', 'application/json')
    response.end(
      isRest
        ? '{"ok":true,"result":"1","data":[]}'
        : withCallId(body, '{"jsonrpc":"2.0","id":1,"result":"0x1"}'),
    )
  })
  gateway = await gatewayFixture({}, node.url, { beacon: node.url, jetton: node.url })
}, 60_000)
afterAll(async () => {
  await gateway.stop()
  await node.stop()
})

const rpc = { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] }
const apis = [
  ['JSON-RPC', 'TOKEN', rpc, 200],
  ['TON', 'TOKEN/api/v2/jsonRPC', { jsonrpc: '2.0', id: 1, method: 'getConsensusBlock', params: {} }, 200],
  ['beacon', 'beacon/TOKEN/eth/v1/beacon/states/head/validators', { ids: ['1'] }, 200],
  ['platform', 'v1/session/', { email: 'a@example.com', password: 'wrong' }, 401],
] as const

function post(path: string, body: Buffer | string, headers: Readonly<Record<string, string>> = {}) {
  received = []
  return fetch(`${gateway.url}/${path.replace('TOKEN', gateway.first.token)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: new Uint8Array(Buffer.from(body)),
  })
}

describe.each(apis)('a body to the API of %s', (name, path, body, status) => {
  const json = JSON.stringify(body)

  it.each([
    ['gzip', gzipSync(json)],
    ['x-gzip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['identity', Buffer.from(json)],
    ['GZIP', gzipSync(json)],
  ])('may be encoded: %s', async (encoding, bytes) => {
    const response = await post(path, bytes, { 'content-encoding': encoding })
    expect(response.status).toBe(status)
    if (name === 'JSON-RPC' || name === 'beacon')
      expect(received.map((text) => JSON.parse(text) as unknown)).toContainEqual(
        // The gateway replaces ids.
        'id' in body ? { ...body, id: expect.any(Number) } : body,
      )
  })

  it.each([
    ['br', brotliCompressSync(json)],
    ['gzip, gzip', gzipSync(gzipSync(json))],
    ['zstd', Buffer.from(json)],
  ])('in another encoding gets a 415 that lists the accepted ones: %s', async (encoding, bytes) => {
    const response = await post(path, bytes, { 'content-encoding': encoding })
    expect(response.status).toBe(415)
    expect(response.headers.get('accept-encoding')).toBe('gzip, deflate')
    expect(await response.json()).toBeTypeOf('object')
  })

  it('that is not valid gzip is rejected as malformed', async () => {
    const response = await post(path, json, { 'content-encoding': 'gzip' })
    expect(response.status).toBe(400)
  })

  it('that is truncated gzip is rejected as malformed', async () => {
    const response = await post(path, gzipSync(json).subarray(0, 20), { 'content-encoding': 'gzip' })
    expect(response.status).toBe(400)
  })

  it('is limited by its decoded length', async () => {
    const bomb = gzipSync(Buffer.alloc(40_000_000, ' '))
    expect(bomb.length).toBeLessThan(100_000)
    const response = await post(path, bomb, { 'content-encoding': 'gzip' }).catch(() => undefined)
    // A client that still sends may see its connection close first.
    expect(response?.status ?? 413).toBe(413)
    expect(received.filter((text) => text.startsWith(' '))).toEqual([])
  })
})

it('a raw transaction with six blobs is accepted', async () => {
  const raw = `0x03${'ab'.repeat(6 * (131_072 + 96) + 1_000)}`
  const response = await post(
    'TOKEN',
    JSON.stringify({ ...rpc, method: 'eth_sendRawTransaction', params: [raw] }),
  )
  expect(response.status).toBe(200)
  expect(received.some((text) => text.includes(raw))).toBe(true)
})

it('the platform API rejects text that is not UTF-8, as the others do', async () => {
  const bytes = Buffer.concat([Buffer.from('{"email":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')])
  const response = await post('v1/session/', bytes)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'parse_error' } })
})

it.each([
  ['POST', 'v1/session/', 'text/plain'],
  ['POST', 'v1/session/', 'application/json'],
  ['DELETE', 'v1/session/', 'application/json'],
  ['PUT', 'v2/projects/', 'application/json'],
  ['POST', 'v2/projects/', 'application/json'],
  ['POST', 'v2/projects/', 'text/plain'],
])(
  'a malformed gzip body of a rejected request ends only that request: %s /%s, %s',
  async (method, path, type) => {
    for (const authorization of ['', `Bearer ${gateway.first.apiKey}`]) {
      const response = await fetch(`${gateway.url}/${path}`, {
        method,
        headers: { 'content-type': type, 'content-encoding': 'gzip', authorization },
        body: 'not gzip at all',
      })
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.status).toBeLessThan(500)
      await response.text()
    }
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  },
)
