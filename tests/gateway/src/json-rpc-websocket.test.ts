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
import { type Client, openWebSocket, refusedHandshake } from '@fairlead/gateway-core/testing/websocket-client'
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

describe('the addresses', () => {
  it('are open to a token and to basic authentication, also by their aliases', async () => {
    const { token } = gateway.first
    for (const path of [
      `/ws/${token}`,
      `/ws/${token}/evm`,
      `/${token}`,
      `/${token}/evm`,
      `/ws/${token}?x=1`,
    ]) {
      expect(await (await client(path)).ask(chainId)).toEqual({ jsonrpc: '2.0', id: 'x', result: '0x7a69' })
    }
    for (const path of ['/ws', '/ws/', '/ws/evm', '/', '/evm']) {
      expect(await (await client(path, basic())).ask(chainId)).toMatchObject({ result: '0x7a69' })
    }
    const { username, password } = gateway.first
    const inUrl = await openWebSocket(`${wsUrl.replace('//', `//${username}:${password}@`)}/ws`)
    expect(await inUrl.ask(chainId)).toMatchObject({ result: '0x7a69' })
    inUrl.socket.close()
  })

  it('tell the endpoints apart', async () => {
    const syncing = async (path: string) => (await client(path, basic())).call('eth_syncing')
    expect(await syncing('/ws/evm')).toMatchObject({ result: false })
  })

  it('refuse over HTTP what they refuse, with the bodies of HTTP', async () => {
    const { token } = gateway.first
    for (const [path, headers] of [
      ['/ws/wrong', {}],
      ['/wrong', {}],
      ['/ws', {}],
      ['/ws', basic({ ...gateway.first, password: 'x' })],
      ['/ws', { authorization: `Bearer ${token}` }],
    ] as const) {
      const { status, headers: answered, body } = await refusedHandshake(`${wsUrl}${path}`, { headers })
      expect(status).toBe(401)
      expect(answered).toMatchObject({
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

  it('leave other addresses and other protocols to ordinary HTTP', async () => {
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
    const answer = await fetch(`${gateway.url}/ws`, { method: 'POST', body: chainId })
    expect([answer.status, answer.headers.get('upgrade')]).toEqual([426, 'websocket'])
    expect(await answer.json()).toMatchObject({ error: { code: -32600 } })
  })
})

describe('messages', () => {
  it('are calls, batches and notifications, as over HTTP', async () => {
    const { ask, messages, socket } = await client()
    // The client offered compression.
    expect(socket.extensions).toBe('')
    expect(await ask('{')).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await ask('[]')).toMatchObject({ id: null, error: { code: -32600 } })
    expect(await ask('{"jsonrpc":"2.0","id":1,"method":"eth_nothing"}')).toMatchObject({
      id: 1,
      error: { code: -32601 },
    })
    socket.send('{"jsonrpc":"2.0","method":"eth_chainId"}')
    const batch = `[${chainId},1,{"jsonrpc":"2.0","method":"eth_chainId"},{"jsonrpc":"2.0","id":"12","method":"eth_blockNumber"}]`
    const before = messages.length
    const answer = await ask(batch)
    expect(answer.map(({ id, error }) => [id, error?.code])).toEqual([
      ['x', undefined],
      [null, -32600],
      ['12', undefined],
    ])
    expect(messages.length).toBe(before + 1)
    expect(await ask(`[${Array.from({ length: 13 }, () => chainId).join(',')}]`)).toHaveLength(13)
    socket.send(Buffer.from(chainId), { binary: true })
    await waitFor(() => expect(messages.at(-1)).toMatchObject({ id: 'x', result: '0x7a69' }))
  })

  it('are answered as they are ready, and all of them', async () => {
    const { socket, messages } = await client()
    for (let id = 0; id < 500; id++) socket.send(`{"jsonrpc":"2.0","id":${id},"method":"eth_blockNumber"}`)
    await waitFor(() => expect(messages).toHaveLength(500))
    expect(new Set(messages.map((message) => (message as { id: number }).id)).size).toBe(500)
  })

  it('that are too long or no text end the connection', async () => {
    const long = await client()
    long.socket.send('x'.repeat(4_097))
    expect((await long.closed)[0]).toBe(1009)
    const garbled = await client()
    garbled.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
    expect((await garbled.closed)[0]).toBe(1007)
  })
})

describe('subscriptions', () => {
  it('give new heads without a body, under an id of this connection alone', async () => {
    const [one, other] = [await client(), await client()]
    const id = await one.subscribe('newHeads')
    const otherId = await other.subscribe('newHeads', {})
    expect(id).toMatch(/^0x[0-9a-f]{32}$/)
    expect(otherId).not.toBe(id)
    await node('evm_mine')
    await waitFor(() => expect(one.results(id)).toHaveLength(1))
    await waitFor(() => expect(other.results(otherId)).toEqual(one.results(id)))
    const [head] = one.results<Record<string, string>>(id)
    const block = await node<Record<string, unknown>>('eth_getBlockByHash', [head?.['hash'], false])
    const { transactions: _, uncles: __, size: ___, withdrawals: ____, ...header } = block
    expect(head).toEqual(header)
    expect(await other.call('eth_unsubscribe', [id])).toMatchObject({
      error: { code: -32000, message: 'subscription not found' },
    })
    expect(await one.call('eth_unsubscribe', [id])).toMatchObject({ result: true })
    expect(await one.call('eth_unsubscribe', [id])).toMatchObject({ error: { code: -32000 } })
    await node('evm_mine')
    await waitFor(() => expect(other.results(otherId)).toHaveLength(2))
    expect(one.results(id)).toHaveLength(1)
  })

  it('give the logs that their filter takes', async () => {
    const { account, contract, recipient } = chain.example
    const { subscribe, results } = await client()
    const all = await subscribe('logs')
    const ours = await subscribe('logs', {
      address: contract.toUpperCase().replace('0X', '0x'),
      fromBlock: 'latest',
    })
    const others = await subscribe('logs', { address: [recipient] })
    const data = `0xa9059cbb${recipient.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
    const hash = await node<string>('eth_sendTransaction', [{ from: account, to: contract, data }])
    await waitFor(() => expect(results(all)).toHaveLength(1))
    const [log] = results<{ topics: string[]; blockHash: string; transactionHash: string }>(all)
    expect(log?.transactionHash).toBe(hash)
    expect(await node('eth_getLogs', [{ blockHash: log?.blockHash }])).toEqual(results(all))
    expect(results(ours)).toEqual(results(all))
    expect(results(others)).toEqual([])
    const byTopic = await subscribe('logs', { topics: [log?.topics[0], null, [log?.topics[2]]] })
    const byOther = await subscribe('logs', { topics: [null, log?.topics[2]] })
    await node('eth_sendTransaction', [{ from: account, to: contract, data }])
    await waitFor(() => expect(results(byTopic)).toHaveLength(1))
    expect(results(byOther)).toEqual([])
  })

  it('give pending transactions, by hash and whole', async () => {
    const { account, recipient } = chain.example
    const { subscribe, results } = await client()
    const [hashes, whole] = [
      await subscribe('newPendingTransactions'),
      await subscribe('newPendingTransactions', true),
    ]
    const hash = await node<string>('eth_sendTransaction', [{ from: account, to: recipient, value: '0x1' }])
    await waitFor(() => expect(results(hashes)).toContain(hash))
    await waitFor(() => expect(results<{ hash: string }>(whole).map((each) => each.hash)).toContain(hash))
  })

  it('are refused with the rule that a wish breaks, or as the node refuses them', async () => {
    const { call } = await client()
    for (const [params, text] of [
      [[], 'the kind must be one of newHeads, logs'],
      [['nothing'], 'the kind must be'],
      [{}, 'must be an array'],
      [['newHeads', { x: 1 }], 'has no options'],
      [['newHeads', {}, 1], 'at most two params'],
      [['logs', { blockHash: '0x' }], 'may hold address and topics'],
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

  it('to logs are refused where the node has none, as they would keep its heads from everybody', async () => {
    const { wsUrl: url } = await listening({ withheldMethods: ['eth_getLogs'] })
    const { call } = await openWebSocket(url)
    expect(await call('eth_subscribe', ['logs'])).toMatchObject({
      error: { code: -32601, message: 'This node does not offer eth_getLogs.' },
    })
    expect(await call('eth_subscribe', ['newHeads'])).toHaveProperty('result')
  })

  it('work in a batch, and count towards the limit', async () => {
    const { wsUrl: url } = await listening({ maxSubscriptions: 2 })
    const { ask, call, results } = await openWebSocket(url)
    const subscribe = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"method":"eth_subscribe","params":["newHeads"]}`
    const answer = await ask(`[${[1, 2, 3].map(subscribe).join(',')}]`)
    expect(answer.map(({ error }) => error?.code)).toEqual([undefined, undefined, -32005])
    await node('evm_mine')
    const ids = answer.slice(0, 2).map(({ result }) => result as string)
    await waitFor(() => expect(ids.map((id) => results(id).length)).toEqual([1, 1]))
    await call('eth_unsubscribe', [ids[0]])
    expect(await call('eth_subscribe', ['newHeads'])).toHaveProperty('result')
  })
})

describe('a connection of records that change', () => {
  let own: GatewayFixture
  beforeAll(async () => {
    own = await start()
  }, 60_000)
  afterAll(() => own.stop())

  it('ends when the node moves or no longer speaks this', async () => {
    const url = `${own.url.replace('http', 'ws')}/ws/${own.first.token}`
    const { store, first } = own
    const row = { network: 'devnet', protocols: ['evm'], upstreams: { evm: 'devnet', websocket: 'devnet' } }
    const one = await openWebSocket(url)
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, { ...row, network: 'other' })
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, { ...row, upstreams: { evm: 'devnet' } })
    expect(await one.closed).toEqual([1012, 'the node has moved'])
    const other = await openWebSocket(url)
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, {
      ...row,
      upstreams: { evm: 'devnet' },
      protocols: ['beacon'],
    })
    expect(await other.closed).toEqual([4403, 'the node no longer offers this protocol'])
    expect(await refusedHandshake(url)).toMatchObject({ status: 404, body: { error: { code: -32600 } } })
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, row)
    await waitFor(async () => (await openWebSocket(url)).socket.close())
  })

  it('ends when its credential is revoked or expires', async () => {
    const url = `${own.url.replace('http', 'ws')}/ws`
    const byToken = await openWebSocket(`${url}/${own.first.token}`)
    const byName = await openWebSocket(url, { headers: basic(own.first) })
    await byToken.subscribe('newHeads')
    const credentials = own.store.db.updateTable('node_credentials')
    onTestFinished(async () => {
      await credentials.set({ revoked_at: null, expires_at: null }).execute()
      await waitFor(async () => (await openWebSocket(`${url}/${own.first.token}`)).socket.close())
    })
    await credentials
      .set({ revoked_at: sql<string>`clock_timestamp()` })
      .where('kind', '=', 'token')
      .execute()
    expect(await byToken.closed).toEqual([4401, 'credential revoked'])
    expect(await byName.ask(chainId)).toMatchObject({ result: '0x7a69' })
    await credentials
      .set({ expires_at: sql<string>`clock_timestamp() + interval '700 milliseconds'` })
      .where('kind', '=', 'basic')
      .execute()
    expect(await byName.closed).toEqual([4401, 'credential expired'])
    expect((await fetch(own.url, { method: 'POST', body: chainId, headers: basic(own.first) })).status).toBe(
      401,
    )
  })
})

describe('a connection', () => {
  it('is refused to pages of other origins', async () => {
    const { wsUrl: url } = await listening({ corsOrigin: 'https://app.example' })
    const { status, body } = await refusedHandshake(url, { origin: 'https://other.example' })
    expect([status, body.error]).toEqual([
      403,
      expect.objectContaining({ code: -32600, data: { rule: 'origin' } }),
    ])
    for (const options of [{}, { origin: 'https://app.example' }]) {
      const opened = await openWebSocket(url, options)
      expect(await opened.ask(chainId)).toMatchObject({ result: '0x7a69' })
      opened.socket.close()
    }
  })

  it('is pinged, and ended when nobody answers', async () => {
    const { wsUrl: url } = await listening({ pingMs: 100 })
    const mute = await openWebSocket(url, { autoPong: false })
    const lively = await openWebSocket(url)
    expect((await mute.closed)[0]).toBe(1006)
    expect(await lively.ask(chainId)).toMatchObject({ result: '0x7a69' })
    lively.socket.close()
  })

  it('is closed when the service stops, after the answers of what is in flight', async () => {
    const own = await listenTo(chain.url, { websocket: chain.url.replace('http', 'ws') })
    const opened = await openWebSocket(own.wsUrl)
    await opened.subscribe('newHeads')
    const answer = opened.ask(chainId)
    opened.socket.ping()
    await once(opened.socket, 'pong')
    const stopping = own.stop()
    expect(await answer).toMatchObject({ result: '0x7a69' })
    expect(await opened.closed).toEqual([1001, 'service restarts'])
    await stopping
    expect(own.log()).toMatch(
      /"messages_in":2,"messages_out":2,"duration_ms":\d+,"close_code":1001,"msg":"node websocket"/,
    )
    expect(own.log()).not.toContain(fixtureToken)
  })
})

it('counts what goes on', async () => {
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
