import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createEvmClient } from './client.ts'
import { createProvider, type Eip1193Provider, ProviderRpcError } from './index.ts'
import { http } from './transports/http.ts'
import { type NodeServer, ok, refused, startNodeServer } from './transports/testing/node-server.ts'
import { webSocket, type WebSocketTransport } from './transports/web-socket.ts'

const auth = { kind: 'token', token: 's3cr3t-t0k3n' } as const
const plain = (node: NodeServer): Eip1193Provider => createProvider(http({ url: node.url, auth, retries: 0 }))

function liveProvider(node: NodeServer): { transport: WebSocketTransport; provider: Eip1193Provider } {
  const transport = webSocket({ url: node.url, auth, WebSocket, reconnect: { baseMs: 1, maxMs: 5 } })
  onTestFinished(() => transport.close())
  return { transport, provider: createProvider(transport) }
}

async function failure(call: Promise<unknown>): Promise<ProviderRpcError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProviderRpcError)) throw new Error('expected a provider error', { cause: error })
  return error
}

/** Records every event in order. */
function eventsOf(provider: Eip1193Provider): unknown[] {
  const events: unknown[] = []
  provider
    .on('connect', (event) => events.push(['connect', event]))
    .on('disconnect', ({ code, message }) => events.push(['disconnect', code, message]))
    .on('chainChanged', (event) => events.push(['chainChanged', event]))
    .on('accountsChanged', (event) => events.push(['accountsChanged', event]))
  return events
}

describe('a request', () => {
  it('is sent to the node, over a client or a transport', async () => {
    const node = await startNodeServer()
    node.respond = ({ params }) => ok(params)
    const client = createEvmClient({ url: node.url, auth })
    for (const provider of [plain(node), createProvider(client)]) {
      expect(await provider.request({ method: 'eth_getBalance', params: ['0xab', 'latest'] })).toEqual([
        '0xab',
        'latest',
      ])
      expect(await provider.request({ method: 'eth_chainId' })).toEqual([])
    }
  })

  it('preserves code, message and data of an error object', async () => {
    const node = await startNodeServer()
    node.respond = () => refused(3, 'execution reverted', '0x08c379a0')
    const error = await failure(plain(node).request({ method: 'eth_call', params: [{}] }))
    expect(error).toMatchObject({ name: 'ProviderRpcError', code: 3, message: 'execution reverted' })
    expect(error.data).toBe('0x08c379a0')
    expect(error.cause).toMatchObject({ code: 'RPC_ERROR' })
  })

  it('fails with 4900 without a response', async () => {
    const node = await startNodeServer()
    const { provider, transport } = liveProvider(node)
    await node.stop()
    expect((await failure(plain(node).request({ method: 'eth_chainId' }))).code).toBe(4900)
    transport.close()
    expect((await failure(provider.request({ method: 'eth_chainId' }))).code).toBe(4900)
  })

  it.each([
    [401, 4100],
    [403, 4100],
    [500, -32603],
  ])('maps HTTP %i to %i, without secrets', async (status, code) => {
    const node = await startNodeServer()
    node.refuseWith = status
    const error = await failure(plain(node).request({ method: 'eth_chainId' }))
    expect(error.code).toBe(code)
    expect(error.stack).not.toContain(auth.token)
  })

  it.each(['wallet_switchEthereumChain', 'eth_requestAccounts', 'eth_subscribe'])(
    'fails with 4200 for an unsupported method: %s',
    async (method) => {
      const node = await startNodeServer()
      expect((await failure(plain(node).request({ method, params: [] }))).code).toBe(4200)
      expect(node.calls).toEqual([])
    },
  )

  it('is rejected if it is invalid', async () => {
    const node = await startNodeServer()
    expect((await failure(plain(node).request({ method: '' }))).code).toBe(-32600)
    expect((await failure(plain(node).request({ method: 'eth_call', params: {} }))).code).toBe(-32602)
  })
})

describe('events', () => {
  it('report the connection, and a chain change after it', async () => {
    const node = await startNodeServer()
    const { provider } = liveProvider(node)
    const events = eventsOf(provider)
    await vi.waitFor(() => expect(events).toEqual([['connect', { chainId: '0x1' }]]), 20_000)
    node.sockets[0]?.close(1012, 'restart')
    await vi.waitFor(() => expect(events).toHaveLength(3), 20_000)
    node.respond = () => ok('0x2')
    node.sockets[1]?.close(1001)
    await vi.waitFor(() => expect(events).toHaveLength(6), 20_000)
    expect(events.slice(1)).toEqual([
      ['disconnect', 1012, 'restart'],
      ['connect', { chainId: '0x1' }],
      ['disconnect', 1001, 'the connection ended with code 1001'],
      ['connect', { chainId: '0x2' }],
      ['chainChanged', '0x2'],
    ])
  })

  it('report an existing connection', async () => {
    const node = await startNodeServer()
    const { transport } = liveProvider(node)
    await transport.request({ method: 'eth_chainId' })
    const events = eventsOf(createProvider(transport))
    await vi.waitFor(() => expect(events).toEqual([['connect', { chainId: '0x1' }]]), 20_000)
  })

  it('report once that a node responds over HTTP', async () => {
    const node = await startNodeServer()
    const provider = plain(node)
    node.refuseWith = 503
    const events = eventsOf(provider)
    await expect(provider.request({ method: 'eth_chainId' })).rejects.toThrow()
    await expect(provider.request({ method: 'eth_chainId' })).rejects.toThrow()
    expect(events).toEqual([])
    node.refuseWith = undefined
    const connected = new Promise((resolve) => provider.once('connect', resolve))
    expect(await connected).toEqual({ chainId: '0x1' })
    expect(events).toEqual([['connect', { chainId: '0x1' }]])
    provider.on('connect', (event) => events.push(event))
    await provider.request({ method: 'eth_chainId' })
    expect(events).toHaveLength(1)
  })

  it('report a node that responds later, after the first successful call', async () => {
    const node = await startNodeServer()
    const provider = plain(node)
    node.refuseWith = 503
    const events = eventsOf(provider)
    await expect(provider.request({ method: 'eth_blockNumber' })).rejects.toThrow()
    node.refuseWith = undefined
    await vi.waitFor(async () => {
      await provider.request({ method: 'eth_blockNumber' })
      expect(events).toEqual([['connect', { chainId: '0x1' }]])
    }, 20_000)
    await provider.request({ method: 'eth_blockNumber' })
    expect(node.calls.filter(({ method }) => method === 'eth_chainId')).toHaveLength(1)
  })

  it('are not delivered to removed listeners, and once to listeners added by once', async () => {
    const node = await startNodeServer()
    const { provider } = liveProvider(node)
    const [once, removed, staying] = [vi.fn(), vi.fn(), vi.fn()]
    provider
      .once('disconnect', once)
      .on('disconnect', removed)
      .once('disconnect', removed)
      .on('disconnect', staying)
    provider.removeListener('disconnect', removed).removeListener('disconnect', removed)
    await provider.request({ method: 'eth_chainId' })
    for (let round = 1; round <= 2; round++) {
      node.sockets.at(-1)?.close(1012)
      await vi.waitFor(() => expect(staying).toHaveBeenCalledTimes(round), 20_000)
      await provider.request({ method: 'eth_chainId' })
    }
    expect([once.mock.calls.length, removed.mock.calls.length]).toEqual([1, 0])
  })
})

describe('a subscription', () => {
  it('is delivered as messages under an id that stays valid after a reconnect', async () => {
    const node = await startNodeServer()
    const { provider } = liveProvider(node)
    const messages: unknown[] = []
    provider.on('message', (message) => messages.push(message))
    node.respond = ({ method }) => {
      if (method !== 'eth_subscribe') return ok(true)
      node.push('0xbeef', 'early')
      return ok('0xbeef')
    }
    const id = await provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    const message = (result: string) => ({ type: 'eth_subscription', data: { subscription: id, result } })
    // A caller that waits for the id must not miss a message.
    expect(messages).toEqual([])
    await vi.waitFor(() => expect(messages).toEqual([message('early')]), 20_000)
    node.sockets[0]?.terminate()
    await vi.waitFor(() => expect(messages).toEqual([message('early'), message('early')]), 20_000)
    node.push('0xbeef', 'late')
    await vi.waitFor(() => expect(messages).toHaveLength(3), 20_000)
    expect(await provider.request({ method: 'eth_unsubscribe', params: [id] })).toBe(true)
    expect(await provider.request({ method: 'eth_unsubscribe', params: [id] })).toBe(false)
    expect(node.calls.at(-1)).toMatchObject({ method: 'eth_unsubscribe', params: ['0xbeef'] })
  })
})
