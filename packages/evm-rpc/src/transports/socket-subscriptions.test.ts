import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { SubscriptionListener } from '../transport.ts'
import { failure, type NodeServer, ok, startNodeServer } from './testing/node-server.ts'
import { webSocket, type WebSocketTransport } from './web-socket.ts'

const auth = { kind: 'token', token: 't0k3n' } as const

function open(node: NodeServer): WebSocketTransport {
  const transport = webSocket({ url: node.url, auth, reconnect: { baseMs: 1, maxMs: 20 }, WebSocket })
  onTestFinished(() => transport.close())
  return transport
}

/** Records all callbacks, in order. */
function recorder(): SubscriptionListener & { readonly received: unknown[] } {
  const received: unknown[] = []
  return {
    received,
    next: (result) => received.push(result),
    resumed: () => received.push('resumed'),
    error: (error) => received.push(error),
  }
}

const named = (node: NodeServer, method: string) => node.calls.filter((call) => call.method === method)

describe('a subscription', () => {
  it('receives only notifications with its id', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const [heads, logs] = [recorder(), recorder()]
    await transport.subscribe(['newHeads'], heads)
    await transport.subscribe(['logs', { address: '0xab' }], logs)
    expect(named(node, 'eth_subscribe').map(({ params }) => params)).toEqual([
      ['newHeads'],
      ['logs', { address: '0xab' }],
    ])
    node.push('0x1', 'head')
    node.push('0x2', 'log')
    node.push('0x3', 'stray')
    await transport.request({ method: 'eth_chainId' })
    expect([heads.received, logs.received]).toEqual([['head'], ['log']])
  })

  it('receives notifications that arrive before its id, in order', async () => {
    const node = await startNodeServer()
    node.respond = ({ method }) => {
      if (method !== 'eth_subscribe') return ok('0x1')
      node.push('0x7', 1)
      node.push('0x8', 'of another')
      node.push('0x7', 2)
      // Both arrive in one chunk with the response, so that there is no event-loop tick between them.
      queueMicrotask(() => queueMicrotask(() => node.push('0x7', 3)))
      return ok('0x7')
    }
    const listener = recorder()
    await open(node).subscribe(['newHeads'], listener)
    await vi.waitFor(() => expect(listener.received).toEqual([1, 2, 3]), 20_000)
  })

  it('fails with the error of the node', async () => {
    const node = await startNodeServer()
    node.respond = () => ({ error: { code: -32602, message: 'no such kind' } })
    const error = await failure(open(node).subscribe(['odd'], recorder()))
    expect(error.details).toMatchObject({ operation: 'eth_subscribe', rpcCode: -32602 })
  })

  it('releases all state if it cannot be serialized', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    await expect(transport.subscribe(['logs', { fromBlock: 1n }], recorder())).rejects.toThrow(TypeError)
    await transport.request({ method: 'eth_chainId' })
    node.push('0x1', 'from before')
    await transport.request({ method: 'eth_chainId' })
    const listener = recorder()
    await transport.subscribe(['newHeads'], listener)
    node.push('0x1', 'head')
    await transport.request({ method: 'eth_chainId' })
    expect(listener.received).toEqual(['head'])
  })

  it('is renewed after a broken connection, under its new id only', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const [first, second] = [recorder(), recorder()]
    await transport.subscribe(['newHeads'], first)
    await transport.subscribe(['logs', {}], second)
    node.sockets[0]?.terminate()
    await vi.waitFor(
      () => expect([first.received, second.received]).toEqual([['resumed'], ['resumed']]),
      20_000,
    )
    expect(named(node, 'eth_subscribe').map(({ params }) => params)).toEqual([
      ['newHeads'],
      ['logs', {}],
      ['newHeads'],
      ['logs', {}],
    ])
    node.push('0x1', 'old id')
    node.push('0x3', 'head')
    node.push('0x4', 'log')
    await transport.request({ method: 'eth_chainId' })
    expect(first.received).toEqual(['resumed', 'head'])
    expect(second.received).toEqual(['resumed', 'log'])
  })

  it('is requested again when the connection breaks before its id arrives', async () => {
    const node = await startNodeServer()
    node.respond = (_, socket) => {
      if (node.sockets.length > 1) return ok('0x5')
      socket?.terminate()
      return undefined
    }
    const listener = recorder()
    await open(node).subscribe(['newHeads'], listener)
    node.push('0x5', 'head')
    await vi.waitFor(() => expect(listener.received).toEqual(['head']), 20_000)
    expect(named(node, 'eth_subscribe')).toHaveLength(2)
  })

  it('is renewed although connections break during the renewal', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    await transport.subscribe(['newHeads'], listener)
    node.respond = (_, socket) => {
      if (node.sockets.length > 3) return ok('0x9')
      socket?.terminate()
      return undefined
    }
    node.sockets[0]?.terminate()
    await vi.waitFor(() => expect(listener.received).toEqual(['resumed']), 20_000)
    node.push('0x9', 'head')
    await vi.waitFor(() => expect(listener.received).toEqual(['resumed', 'head']), 20_000)
  })

  it('is requested again until the rate limit accepts it', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    await transport.subscribe(['newHeads'], listener)
    let refusals = 0
    node.respond = () => {
      if (refusals === 2) return ok('0x9')
      refusals++
      return { error: { code: -32005, message: 'limit', data: { reason: 'rate', retry_after_ms: 1 } } }
    }
    node.sockets[0]?.terminate()
    await vi.waitFor(() => expect(listener.received).toEqual(['resumed']), 20_000)
    expect(refusals).toBe(2)
  })

  it('ends when the node rejects the renewal', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    await transport.subscribe(['newHeads'], listener)
    node.respond = () => ({ error: { code: -32601, message: 'no more' } })
    node.sockets[0]?.terminate()
    await vi.waitFor(
      () => expect(listener.received).toMatchObject([{ details: { rpcCode: -32601 } }]),
      20_000,
    )
    node.sockets[1]?.terminate()
    await vi.waitFor(() => expect(node.sockets).toHaveLength(3), 20_000)
    expect(named(node, 'eth_subscribe')).toHaveLength(2)
  })

  it('ends with the transport', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    const subscription = await transport.subscribe(['newHeads'], listener)
    transport.close()
    expect(listener.received).toMatchObject([{ code: 'TRANSPORT_CLOSED' }])
    await subscription.unsubscribe()
  })

  it('is unsubscribed at the node once, and receives nothing from then on', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    const subscription = await transport.subscribe(['newHeads'], listener)
    const ending = subscription.unsubscribe()
    node.push('0x1', 'late')
    await Promise.all([ending, subscription.unsubscribe()])
    await transport.request({ method: 'eth_chainId' })
    expect(named(node, 'eth_unsubscribe').map(({ params }) => params)).toEqual([['0x1']])
    node.sockets[0]?.terminate()
    await vi.waitFor(() => expect(node.sockets).toHaveLength(2), 20_000)
    await transport.request({ method: 'eth_chainId' })
    expect(named(node, 'eth_subscribe')).toHaveLength(1)
    expect(listener.received).toEqual([])
  })

  it('can be ended without a connection, and is not renewed', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    const subscription = await transport.subscribe(['newHeads'], listener)
    const lost = new Promise<void>((resolve) => {
      transport.onConnection(({ type }) => type === 'disconnect' && resolve())
    })
    node.sockets[0]?.terminate()
    await lost
    await subscription.unsubscribe()
    await transport.request({ method: 'eth_chainId' })
    expect(named(node, 'eth_subscribe')).toHaveLength(1)
    expect(named(node, 'eth_unsubscribe')).toHaveLength(0)
  })

  it('is unsubscribed under its new id if it ends during the renewal', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    const subscription = await transport.subscribe(['newHeads'], listener)
    let respond = () => {}
    const wait = new Promise<void>((resolve) => {
      respond = resolve
    })
    node.respond = ({ method }) => (method === 'eth_subscribe' ? wait.then(() => ok('0x9')) : ok(true))
    node.sockets[0]?.terminate()
    await vi.waitFor(() => expect(named(node, 'eth_subscribe')).toHaveLength(2), 20_000)
    await subscription.unsubscribe()
    respond()
    await vi.waitFor(
      () => expect(named(node, 'eth_unsubscribe')).toMatchObject([{ params: ['0x9'] }]),
      20_000,
    )
    expect(listener.received).toEqual([])
  })
})
