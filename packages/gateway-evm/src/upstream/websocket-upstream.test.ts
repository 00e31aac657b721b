import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { pino } from 'pino'
import { DirectSource } from '../subscriptions/direct-source.ts'
import { memory } from '@fairlead/gateway-core/testing/memory'
import type { UpstreamListener } from './upstream-subscription.ts'
import { createWebSocketUpstream, type WebSocketUpstream } from './websocket-upstream.ts'
import { tcpRelay } from '@fairlead/gateway-core/testing/tcp-relay'
import { reservePort } from '@fairlead/vitest/reserved-port'
import { waitFor } from '@fairlead/vitest/wait-for'

/** An upstream with responses that the test sets. */
let server: WebSocketServer
let requests: string[]
let behave: (client: WebSocket, message: { id: number; method: string; params: unknown[] }) => void
let address: string
const lines = memory()

beforeEach(async () => {
  requests = []
  behave = respond
  server = await listen(await reservePort())
  address = `ws://user:s3cr3t@127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => close(server))

async function listen(port: number): Promise<WebSocketServer> {
  const listening = new WebSocketServer({ port, host: '127.0.0.1' })
  listening.on('connection', (client, request) => {
    requests.push(String(request.headers.authorization))
    client.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Parameters<typeof behave>[1]
      requests.push(`${message.method} ${JSON.stringify(message.params)}`)
      behave(client, message)
    })
  })
  await once(listening, 'listening')
  return listening
}

function close(listening: WebSocketServer): Promise<void> {
  for (const client of listening.clients) client.terminate()
  return new Promise((resolve) => listening.close(() => resolve()))
}

function respond(client: WebSocket, { id }: { id: number }): void {
  client.send(JSON.stringify({ jsonrpc: '2.0', id, result: `0x${id}` }))
}

function notify(client: WebSocket, subscription: string, result: unknown): void {
  client.send(
    JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }),
  )
}

function opened(timeoutMs = 5_000, addresses = [address]): WebSocketUpstream {
  const socket = createWebSocketUpstream(
    addresses.map((one) => ({ address: one })),
    timeoutMs,
    pino({ level: 'debug', base: null, timestamp: false }, lines.stream),
  )
  onTestFinished(() => socket.close())
  return socket
}

function listener() {
  return { onLive: vi.fn(), onResult: vi.fn(), onFailure: vi.fn() } satisfies UpstreamListener
}

it('restores subscriptions after a reconnect, with the ids of the new connection', async () => {
  const socket = opened()
  const [heads, syncing] = [listener(), listener()]
  socket.subscribe(['newHeads'], heads)
  const subscription = socket.subscribe(['syncing'], syncing)
  await waitFor(() => expect(syncing.onLive).toHaveBeenCalledTimes(1))
  let lastId = ''
  behave = (client, message) => {
    respond(client, message)
    if (message.params[0] === 'syncing') lastId = `0x${message.id}`
    // The upstream sends notifications before the subscriber has the id, notifications of an unknown subscription,
    // and invalid messages.
    notify(client, `0x${message.id}`, message.params)
    notify(client, '0x1', 'old')
    client.send('nonsense')
    client.send('null')
  }
  for (const client of server.clients) client.terminate()
  await waitFor(() => expect(heads.onLive).toHaveBeenCalledTimes(2))
  await waitFor(() => expect(syncing.onResult).toHaveBeenCalledExactlyOnceWith(['syncing']))
  expect(heads.onResult).toHaveBeenCalledExactlyOnceWith(['newHeads'])
  expect(heads.onFailure).toHaveBeenCalledWith(expect.objectContaining({ status: 502 }), true)
  subscription.end()
  await waitFor(() => expect(requests.at(-1)).toBe(`eth_unsubscribe ["${lastId}"]`))
})

it.each<[string, (id: number) => object]>([
  ['the response to another call', (id) => ({ jsonrpc: '2.0', id: id + 1, result: '0x1' })],
  ['a repeated response', (id) => ({ jsonrpc: '2.0', id, result: '0x1' })],
  ['an error without a call', () => ({ jsonrpc: '2.0', id: null, error: { code: -32_603, message: 'no' } })],
])('opens another connection after %s', async (_, messageOf) => {
  const heads = listener()
  behave = (client, message) => {
    respond(client, message)
    if (heads.onLive.mock.calls.length === 0) client.send(JSON.stringify(messageOf(message.id)))
  }
  opened().subscribe(['newHeads'], heads)
  await waitFor(() => expect(heads.onLive).toHaveBeenCalledTimes(2))
  expect(requests.filter((request) => request.startsWith('eth_subscribe'))).toHaveLength(2)
  expect(lines.text()).toContain('an upstream has sent the response to another call')
})

it('assigns an error without an id to the only call', async () => {
  behave = (client) =>
    client.send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_601, message: 'no' } }))
  const heads = listener()
  opened().subscribe(['newHeads'], heads)
  await waitFor(() =>
    expect(heads.onFailure).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: -32_601 }),
      false,
    ),
  )
})

it('reconnects after a long outage, and logs it once without the URL', async () => {
  const { port } = server.address() as AddressInfo
  await close(server)
  const heads = listener()
  const socket = opened()
  const subscription = socket.subscribe(['newHeads'], heads)
  await waitFor(() => expect(heads.onFailure.mock.calls.length).toBeGreaterThan(2))
  expect(subscription.isLive).toBe(false)
  server = await listen(port)
  await waitFor(() => expect(subscription.isLive).toBe(true))
  expect(requests[0]).toBe(`Basic ${btoa('user:s3cr3t')}`)
  expect(lines.text().match(/the WebSocket to an upstream is disconnected/g)?.length).toBeGreaterThan(0)
  expect(lines.text()).not.toContain('s3cr3t')
  expect(lines.text()).not.toContain(String(port))
})

it('reports a rejection verbatim and does not retry', async () => {
  const rejection = { code: -32_603, message: 'Not implemented', data: [1] }
  behave = (client, { id }) => client.send(JSON.stringify({ jsonrpc: '2.0', id, error: rejection }))
  const [syncing, odd] = [listener(), listener()]
  const socket = opened()
  const subscription = socket.subscribe(['syncing'], syncing)
  socket.subscribe(['odd'], odd)
  await waitFor(() => expect(odd.onFailure).toHaveBeenCalled())
  expect(syncing.onFailure).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(rejection), false)
  subscription.end()
})

it('reconnects when the node does not respond', async () => {
  behave = () => undefined
  const heads = listener()
  opened(200).subscribe(['newHeads'], heads)
  await waitFor(() => expect(requests.filter((each) => each.startsWith('eth')).length).toBeGreaterThan(1))
  expect(heads.onLive).not.toHaveBeenCalled()
})

it('closes an unused connection and opens a new one for the next subscription', async () => {
  const socket = opened()
  for (let round = 1; round <= 2; round++) {
    const heads = listener()
    const subscription = socket.subscribe(['newHeads'], heads)
    await waitFor(() => expect(heads.onLive).toHaveBeenCalled())
    expect(server.clients.size).toBe(1)
    subscription.end()
    subscription.end()
    await waitFor(() => expect(server.clients.size).toBe(0))
  }
})

it('reports an invalid URL without its text', async () => {
  const heads = listener()
  createWebSocketUpstream([{ address: 'ws://x:s3cr3t@[' }], 1_000, pino({ level: 'silent' })).subscribe(
    ['newHeads'],
    heads,
  )
  await waitFor(() => expect(heads.onFailure).toHaveBeenCalled())
  const [[failure, willRetry]] = heads.onFailure.mock.calls as [[Error, boolean]]
  expect([failure.message, willRetry]).toEqual(['The WebSocket URL of this upstream is invalid.', false])
})

it('ignores messages that are not notifications', async () => {
  const results: unknown[] = []
  behave = (client, message) => {
    respond(client, message)
    for (const params of [
      'null',
      '5',
      '{"subscription":{"toString":1},"result":1}',
      '{"subscription":null}',
    ]) {
      client.send(`{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`)
    }
    notify(client, `0x${message.id}`, 'last')
  }
  opened().subscribe(['newHeads'], {
    onLive: () => undefined,
    onResult: (result) => results.push(result),
    onFailure: () => undefined,
  })
  await waitFor(() => expect(results).toEqual(['last']))
})

it('ends a shared subscription when a notification is nested too deeply', async () => {
  behave = (client, message) => {
    respond(client, message)
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    client.send(`{"method":"eth_subscription","params":{"subscription":"0x${message.id}","result":${deep}}}`)
  }
  const [deliver, lose] = [vi.fn(), vi.fn()]
  await new DirectSource(opened(), ['syncing'], () => undefined).join({ deliver, overflow: lose })
  await waitFor(() => expect(lose).toHaveBeenCalledExactlyOnceWith('the upstream ended the subscription'))
  expect(deliver).not.toHaveBeenCalled()
})

it('moves its subscriptions to the next URL when a connection is lost', async () => {
  const other = await listen(0)
  onTestFinished(() => close(other))
  const results: unknown[] = []
  opened(5_000, [address, `ws://127.0.0.1:${(other.address() as AddressInfo).port}`]).subscribe(
    ['newHeads'],
    {
      onLive: () => results.push('live'),
      onResult: () => undefined,
      onFailure: (_, willRetry) => results.push(willRetry),
    },
  )
  await waitFor(() => expect(results).toEqual(['live']))
  await close(server)
  await waitFor(() => expect(results).toEqual(['live', true, 'live']))
  expect(other.clients.size).toBe(1)
})

it('replaces a half-open connection within 9 seconds, and retains an idle one', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const events = vi.spyOn(WebSocket.prototype, 'emit')
  const pongs = () => events.mock.calls.filter(([event]) => event === 'pong').length
  const relay = await tcpRelay((server.address() as AddressInfo).port)
  const heads = listener()
  opened(30_000, [`ws://127.0.0.1:${relay.port}`, address]).subscribe(['newHeads'], heads)
  await waitFor(() => expect(heads.onLive).toHaveBeenCalledTimes(1))
  for (let seconds = 0; seconds < 30; seconds += 2) {
    const before = pongs()
    vi.advanceTimersByTime(2_000)
    await waitFor(() => expect(pongs()).toBe(before + 1))
  }
  expect([relay.connections, heads.onFailure.mock.calls.length]).toEqual([1, 0])
  relay.silence()
  vi.advanceTimersByTime(9_000)
  await waitFor(() => expect(heads.onLive).toHaveBeenCalledTimes(2))
  expect(heads.onFailure).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 502 }), true)
})

it('aborts a handshake without a response before the call timeout', async () => {
  const silent = createServer()
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const heads = listener()
  const first = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`
  opened(600_000, [first, address]).subscribe(['newHeads'], heads)
  await vi.waitFor(() => expect(heads.onLive).toHaveBeenCalled(), { timeout: 50_000, interval: 50 })
})
