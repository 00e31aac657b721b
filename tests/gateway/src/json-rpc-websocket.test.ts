import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, type EvmDevnetChain, startDevnet } from '@fairlead/devnet'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { setNodeUpstreams } from '@fairlead/platform-server/endpoints/set-upstreams'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import {
  inFrontOf,
  type ListenerFixture,
  type ListenerOptions,
  listenTo,
  token as fixtureToken,
} from '@fairlead/gateway-evm/testing/listener-fixture'
import { sendRaw } from '@fairlead/http1/testing/raw-http'
import {
  type Client,
  openWebSocket,
  rejectedHandshake,
} from '@fairlead/gateway-core/testing/websocket-client'
import { waitFor } from '@fairlead/vitest/wait-for'
import { protocols } from '@fairlead/platform-server/testing/protocols'

let directory: string
let devnet: Devnet
let chain: EvmDevnetChain
let gateway: GatewayFixture
let wsUrl: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-websocket-'))
  devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
  ;[chain] = devnet.chains as [EvmDevnetChain]
  gateway = await start()
  wsUrl = gateway.url.replace('http', 'ws')
}, 60_000)

afterAll(async () => {
  await gateway.stop()
  await devnet.stop()
  await rm(directory, { recursive: true, force: true })
})

function start(): Promise<GatewayFixture> {
  const limits = { FAIRLEAD_MAX_BODY_BYTES: '4096', FAIRLEAD_MAX_BATCH_ITEMS: '12' }
  const embedded = { evm: chain.url, websocket: chain.url.replace('http', 'ws') }
  return gatewayFixture(limits, 'devnet', embedded)
}

/** JSON-RPC only, in front of the same chain. */
function listening(options: ListenerOptions = {}): Promise<ListenerFixture> {
  return inFrontOf(chain.url, { websocket: chain.url.replace('http', 'ws'), ...options })
}

async function client(path?: string, headers: Record<string, string> = {}): Promise<Client> {
  const opened = await openWebSocket(`${wsUrl}${path ?? `/ws/${gateway.first.token}`}`, { headers })
  onTestFinished(() => opened.socket.terminate())
  return opened
}

function basic({ username, password } = gateway.first): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** Calls the node directly. */
async function node<result>(method: string, params: unknown[] = []): Promise<result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(chain.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return ((await response.json()) as { result: result }).result
}

const chainId = '{"jsonrpc":"2.0","id":"x","method":"eth_chainId"}'

describe('the URLs', () => {
  it('accept a token and basic authentication, also by their aliases', async () => {
    const { token } = gateway.first
    for (const path of [
      `/ws/${token}`,
      `/ws/${token}/evm`,
      `/${token}`,
      `/${token}/evm`,
      `/ws/${token}?x=1`,
    ]) {
      expect(await (await client(path)).request(chainId)).toEqual({
        jsonrpc: '2.0',
        id: 'x',
        result: '0x7a69',
      })
    }
    for (const path of ['/ws', '/ws/', '/ws/evm', '/', '/evm']) {
      expect(await (await client(path, basic())).request(chainId)).toMatchObject({ result: '0x7a69' })
    }
    const { username, password } = gateway.first
    const inUrl = await openWebSocket(`${wsUrl.replace('//', `//${username}:${password}@`)}/ws`)
    expect(await inUrl.request(chainId)).toMatchObject({ result: '0x7a69' })
    inUrl.socket.close()
  })

  it('distinguish the endpoints', async () => {
    const syncing = async (path: string) => (await client(path, basic())).call('eth_syncing')
    expect(await syncing('/ws/evm')).toMatchObject({ result: false })
  })

  it('reject over HTTP with the response bodies of HTTP', async () => {
    const { token } = gateway.first
    for (const [path, headers] of [
      ['/ws/wrong', {}],
      ['/wrong', {}],
      ['/ws', {}],
      ['/ws', basic({ ...gateway.first, password: 'x' })],
      ['/ws', { authorization: `Bearer ${token}` }],
    ] as const) {
      const {
        status,
        headers: responseHeaders,
        body,
      } = await rejectedHandshake(`${wsUrl}${path}`, { headers })
      expect(status).toBe(401)
      expect(responseHeaders).toMatchObject({
        'www-authenticate': 'Basic realm="node"',
        'content-type': 'application/json',
        'access-control-allow-origin': '*',
        'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
      })
      expect(body).toMatchObject({
        id: null,
        error: { code: -32041, message: expect.stringContaining('Unauthorized') },
      })
    }
  })

  it('leave other paths and protocols to ordinary HTTP', async () => {
    const { port } = new URL(wsUrl)
    const get = async (path: string, headers: string[]) =>
      (
        await sendRaw(
          Number(port),
          `GET ${path} HTTP/1.1\r\nhost: x\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`,
          /\r\n\r\n/,
        )
      ).text.slice(9, 12)
    const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13']
    expect(await get('/v1/organization/', upgrade)).toBe('401')
    expect(await get('/healthz', upgrade)).toBe('200')
    expect(await get('/healthz', ['connection: upgrade', 'upgrade: h2c'])).toBe('200')
    expect(await get(`/ws/${gateway.first.token}`, upgrade)).toBe('400')
    expect(await get(`/ws/${gateway.first.token}`, ['connection: upgrade', 'upgrade: h2c'])).toBe('426')
    expect(await get(`/ws/${gateway.first.token}`, [])).toBe('426')
    expect(await get(`/${gateway.first.token}`, [])).toBe('405')
    const response = await fetch(`${gateway.url}/ws`, { method: 'POST', body: chainId })
    expect([response.status, response.headers.get('upgrade')]).toEqual([426, 'websocket'])
    expect(await response.json()).toMatchObject({ error: { code: -32600 } })
  })
})

describe('messages', () => {
  it('are calls, batches and notifications, as over HTTP', async () => {
    const { request, messages, socket } = await client()
    // The client offered compression.
    expect(socket.extensions).toBe('')
    expect(await request('{')).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await request('[]')).toMatchObject({ id: null, error: { code: -32600 } })
    expect(await request('{"jsonrpc":"2.0","id":1,"method":"eth_nothing"}')).toMatchObject({
      id: 1,
      error: { code: -32601 },
    })
    socket.send('{"jsonrpc":"2.0","method":"eth_chainId"}')
    const batch = `[${chainId},1,{"jsonrpc":"2.0","method":"eth_chainId"},{"jsonrpc":"2.0","id":"12","method":"eth_blockNumber"}]`
    const before = messages.length
    const response = await request(batch)
    expect(response.map(({ id, error }) => [id, error?.code])).toEqual([
      ['x', undefined],
      [null, -32600],
      ['12', undefined],
    ])
    expect(messages.length).toBe(before + 1)
    expect(await request(`[${Array.from({ length: 13 }, () => chainId).join(',')}]`)).toMatchObject({
      id: null,
      error: { code: -32600, data: { max_items: 12 } },
    })
    socket.send(Buffer.from(chainId), { binary: true })
    await waitFor(() => expect(messages.at(-1)).toMatchObject({ id: 'x', result: '0x7a69' }))
  })

  it('get responses as they complete', async () => {
    const { socket, messages } = await client()
    for (let id = 0; id < 500; id++) socket.send(`{"jsonrpc":"2.0","id":${id},"method":"eth_blockNumber"}`)
    await waitFor(() => expect(messages).toHaveLength(500))
    expect(new Set(messages.map((message) => (message as { id: number }).id)).size).toBe(500)
  })

  it('that are too long or not text close the connection', async () => {
    const closing = await client()
    closing.socket.send('x'.repeat(4_097))
    expect((await closing.closed)[0]).toBe(1009)
    const garbled = await client()
    garbled.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
    expect((await garbled.closed)[0]).toBe(1007)
  })
})

describe('subscriptions', () => {
  it('deliver new heads without a body, with an id that is unique to this connection', async () => {
    const [first, second] = [await client(), await client()]
    const id = await first.subscribe('newHeads')
    const secondId = await second.subscribe('newHeads', {})
    expect(id).toMatch(/^0x[0-9a-f]{32}$/)
    expect(secondId).not.toBe(id)
    await node('evm_mine')
    await waitFor(() => expect(first.results(id)).toHaveLength(1))
    await waitFor(() => expect(second.results(secondId)).toEqual(first.results(id)))
    const [head] = first.results<Record<string, string>>(id)
    const block = await node<Record<string, unknown>>('eth_getBlockByHash', [head?.['hash'], false])
    const { transactions: _, uncles: __, size: ___, withdrawals: ____, ...header } = block
    expect(head).toEqual(header)
    expect(await second.call('eth_unsubscribe', [id])).toMatchObject({
      error: { code: -32000, message: 'subscription not found' },
    })
    expect(await first.call('eth_unsubscribe', [id])).toMatchObject({ result: true })
    expect(await first.call('eth_unsubscribe', [id])).toMatchObject({ error: { code: -32000 } })
    await node('evm_mine')
    await waitFor(() => expect(second.results(secondId)).toHaveLength(2))
    expect(first.results(id)).toHaveLength(1)
  })

  it('deliver the logs that match their filter', async () => {
    const { account, contract, recipient } = chain.example
    const { subscribe, results } = await client()
    const allLogs = await subscribe('logs')
    const ours = await subscribe('logs', {
      address: contract.toUpperCase().replace('0X', '0x'),
      fromBlock: 'latest',
    })
    const otherLogs = await subscribe('logs', { address: [recipient] })
    const data = `0xa9059cbb${recipient.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
    const hash = await node<string>('eth_sendTransaction', [{ from: account, to: contract, data }])
    await waitFor(() => expect(results(allLogs)).toHaveLength(1))
    const [log] = results<{ topics: string[]; blockHash: string; transactionHash: string }>(allLogs)
    expect(log?.transactionHash).toBe(hash)
    expect(await node('eth_getLogs', [{ blockHash: log?.blockHash }])).toEqual(results(allLogs))
    expect(results(ours)).toEqual(results(allLogs))
    expect(results(otherLogs)).toEqual([])
    const byTopic = await subscribe('logs', { topics: [log?.topics[0], null, [log?.topics[2]]] })
    const byOtherTopic = await subscribe('logs', { topics: [null, log?.topics[2]] })
    await node('eth_sendTransaction', [{ from: account, to: contract, data }])
    await waitFor(() => expect(results(byTopic)).toHaveLength(1))
    expect(results(byOtherTopic)).toEqual([])
  })

  it('deliver pending transactions, by hash and in full', async () => {
    const { account, recipient } = chain.example
    const { subscribe, results } = await client()
    const [hashes, full] = [
      await subscribe('newPendingTransactions'),
      await subscribe('newPendingTransactions', true),
    ]
    const hash = await node<string>('eth_sendTransaction', [{ from: account, to: recipient, value: '0x1' }])
    await waitFor(() => expect(results(hashes)).toContain(hash))
    await waitFor(() =>
      expect(results<{ hash: string }>(full).map((transaction) => transaction.hash)).toContain(hash),
    )
  })

  it('are rejected with the violated rule, or with the error of the node', async () => {
    const { call } = await client()
    for (const [params, text] of [
      [[], 'the kind must be one of newHeads, logs'],
      [['nothing'], 'the kind must be'],
      [{}, 'must be an array'],
      [['newHeads', { x: 1 }], 'has no options'],
      [['newHeads', {}, 1], 'at most two params'],
      [['logs', { blockHash: '0x' }], 'must contain only address and topics'],
      [['logs', { address: '0x12' }], 'address must be'],
      [['logs', { topics: ['0x12'] }], 'topics must be'],
      [['logs', { topics: [null, null, null, null, null] }], 'at most 4 positions'],
      [['logs', 'x'], 'must be an object'],
      [['newPendingTransactions', 1], 'true or false'],
      [['transactionReceipts', { transactionHashes: ['0x1'] }], 'transactionHashes'],
    ] as const) {
      const { error } = await call('eth_subscribe', params)
      expect([error?.code, error?.message]).toEqual([-32602, expect.stringContaining(text)])
    }
    expect(await call('eth_subscribe', ['syncing'])).toMatchObject({ error: { code: -32603 } })
    expect(await call('eth_unsubscribe', [1])).toMatchObject({ error: { code: -32602 } })
  })

  it('to logs are rejected where the node has no eth_getLogs, and do not block new heads', async () => {
    const { wsUrl: url } = await listening({ withheldMethods: ['eth_getLogs'] })
    const { call } = await openWebSocket(url)
    expect(await call('eth_subscribe', ['logs'])).toMatchObject({
      error: { code: -32601, message: 'This node does not offer eth_getLogs.' },
    })
    expect(await call('eth_subscribe', ['newHeads'])).toHaveProperty('result')
  })

  it('work in a batch, and count towards the limit', async () => {
    const { wsUrl: url } = await listening({ maxSubscriptions: 2 })
    const { request, call, results } = await openWebSocket(url)
    const subscribe = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"method":"eth_subscribe","params":["newHeads"]}`
    const response = await request(`[${[1, 2, 3].map(subscribe).join(',')}]`)
    expect(response.map(({ error }) => error?.code)).toEqual([undefined, undefined, -32005])
    await node('evm_mine')
    const ids = response.slice(0, 2).map(({ result }) => result as string)
    await waitFor(() => expect(ids.map((id) => results(id).length)).toEqual([1, 1]))
    await call('eth_unsubscribe', [ids[0]])
    expect(await call('eth_subscribe', ['newHeads'])).toHaveProperty('result')
  })
})

describe('a connection whose records change', () => {
  let fixture: GatewayFixture
  beforeAll(async () => {
    fixture = await start()
  }, 60_000)
  afterAll(() => fixture.stop())

  it('closes when the node moves or drops the protocol', async () => {
    const url = `${fixture.url.replace('http', 'ws')}/ws/${fixture.first.token}`
    const { store, first } = fixture
    const row = { network: 'devnet', protocols: ['evm'], upstreams: { evm: 'devnet', websocket: 'devnet' } }
    const elsewhere = { evm: 'http://127.0.0.1:1' }
    const movedSocket = await openWebSocket(url)
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, { ...row, network: 'other' })
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, { ...row, upstreams: elsewhere })
    expect(await movedSocket.closed).toEqual([1012, 'the upstreams of the node have changed'])
    const second = await openWebSocket(url)
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, {
      ...row,
      upstreams: elsewhere,
      protocols: ['beacon'],
    })
    expect(await second.closed).toEqual([4403, 'the node no longer offers this protocol'])
    expect(await rejectedHandshake(url)).toMatchObject({ status: 404, body: { error: { code: -32600 } } })
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, row)
    await waitFor(async () => (await openWebSocket(url)).socket.close())
  })

  it('closes when its credential is revoked or expires', async () => {
    const url = `${fixture.url.replace('http', 'ws')}/ws`
    const byToken = await openWebSocket(`${url}/${fixture.first.token}`)
    const byName = await openWebSocket(url, { headers: basic(fixture.first) })
    await byToken.subscribe('newHeads')
    const credentials = fixture.store.db.updateTable('node_credentials')
    onTestFinished(async () => {
      await credentials.set({ revoked_at: null, expires_at: null }).execute()
      await waitFor(async () => (await openWebSocket(`${url}/${fixture.first.token}`)).socket.close())
    })
    await credentials
      .set({ revoked_at: sql<string>`clock_timestamp()` })
      .where('kind', '=', 'token')
      .execute()
    expect(await byToken.closed).toEqual([4401, 'credential revoked'])
    expect(await byName.request(chainId)).toMatchObject({ result: '0x7a69' })
    await credentials
      .set({ expires_at: sql<string>`clock_timestamp() + interval '700 milliseconds'` })
      .where('kind', '=', 'basic')
      .execute()
    expect(await byName.closed).toEqual([4401, 'credential expired'])
    expect(
      (await fetch(fixture.url, { method: 'POST', body: chainId, headers: basic(fixture.first) })).status,
    ).toBe(401)
  })
})

describe('a connection', () => {
  it('from other origins is rejected', async () => {
    const { wsUrl: url } = await listening({ corsOrigin: 'https://app.example' })
    const { status, body } = await rejectedHandshake(url, { origin: 'https://other.example' })
    expect([status, body.error]).toEqual([
      403,
      expect.objectContaining({ code: -32600, data: { rule: 'origin' } }),
    ])
    for (const options of [{}, { origin: 'https://app.example' }]) {
      const opened = await openWebSocket(url, options)
      expect(await opened.request(chainId)).toMatchObject({ result: '0x7a69' })
      opened.socket.close()
    }
  })

  it('is pinged, and closed when the peer does not respond', async () => {
    const { wsUrl: url } = await listening({ pingMs: 100 })
    const mute = await openWebSocket(url, { autoPong: false })
    const responsive = await openWebSocket(url)
    expect((await mute.closed)[0]).toBe(1006)
    expect(await responsive.request(chainId)).toMatchObject({ result: '0x7a69' })
    responsive.socket.close()
  })

  it('closes when the gateway stops, after the responses to calls in flight', async () => {
    const fixture = await listenTo(chain.url, { websocket: chain.url.replace('http', 'ws') })
    const opened = await openWebSocket(fixture.wsUrl)
    await opened.subscribe('newHeads')
    const response = opened.request(chainId)
    opened.socket.ping()
    await once(opened.socket, 'pong')
    const stopping = fixture.stop()
    expect(await response).toMatchObject({ result: '0x7a69' })
    expect(await opened.closed).toEqual([1001, 'gateway restart'])
    await stopping
    expect(fixture.log()).toMatch(
      /"messages_in":2,"messages_out":2,"duration_ms":\d+,"close_code":1001,"msg":"node websocket"/,
    )
    expect(fixture.log()).not.toContain(fixtureToken)
  })
})

it('updates the metrics', async () => {
  const { wsUrl: url, metrics } = await listening()
  const opened = await openWebSocket(url)
  await opened.subscribe('newHeads')
  await opened.subscribe('logs')
  await opened.call('eth_chainId')
  const text = await metrics()
  for (const line of [
    'fairlead_websockets 1',
    'fairlead_subscriptions{kind="newHeads"} 1',
    'fairlead_subscriptions{kind="logs"} 1',
    'fairlead_upstream_subscriptions 1',
    'fairlead_websocket_messages_total{direction="in"} 3',
    'fairlead_websocket_messages_total{direction="out"} 3',
    'fairlead_node_requests_total{protocol="evm",method="eth_subscribe",status="2xx"} 2',
  ]) {
    expect(text).toContain(line)
  }
  opened.socket.close(4_999)
  await waitFor(async () =>
    expect(await metrics()).toContain('fairlead_websockets_closed_total{code="other"} 1'),
  )
  const after = await metrics()
  expect(after).toContain('fairlead_websockets 0')
  expect(after).toContain('fairlead_subscriptions{kind="logs"} 0')
})
