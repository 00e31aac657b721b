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
function recorder(): SubscriptionListener & { readonly heard: unknown[] } {
  const heard: unknown[] = []
  return {
    heard,
    next: (result) => heard.push(result),
    resumed: () => heard.push('resumed'),
    error: (error) => heard.push(error),
  }
}

const named = (node: NodeServer, method: string) => node.calls.filter((call) => call.method === method)

describe('a subscription', () => {
  it('hears what is pushed under its id, and nothing else', async () => {
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
    expect([heads.heard, logs.heard]).toEqual([['head'], ['log']])
  })

  it('hears also what comes before its id, in order', async () => {
    const node = await startNodeServer()
    node.answer = ({ method }) => {
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
    await vi.waitFor(() => expect(listener.heard).toEqual([1, 2, 3]), 20_000)
  })

  it('fails with the error of the node', async () => {
    const node = await startNodeServer()
    node.answer = () => ({ error: { code: -32602, message: 'no such kind' } })
    const error = await failure(open(node).subscribe(['odd'], recorder()))
    expect(error.context).toMatchObject({ operation: 'eth_subscribe', rpcCode: -32602 })
  })

  it('that cannot be written down leaves nothing behind', async () => {
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
    expect(listener.heard).toEqual(['head'])
  })

  it('runs again after a broken connection, under its new id only', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const [first, second] = [recorder(), recorder()]
    await transport.subscribe(['newHeads'], first)
    await transport.subscribe(['logs', {}], second)
    node.sockets[0]?.terminate()
    await vi.waitFor(() => expect([first.heard, second.heard]).toEqual([['resumed'], ['resumed']]), 20_000)
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
    expect(first.heard).toEqual(['resumed', 'head'])
    expect(second.heard).toEqual(['resumed', 'log'])
  })

  it('is asked for once more when the connection breaks before its id comes', async () => {
    const node = await startNodeServer()
    node.answer = (_, socket) => {
      if (node.sockets.length > 1) return ok('0x5')
      socket?.terminate()
      return undefined
    }
    const listener = recorder()
    await open(node).subscribe(['newHeads'], listener)
    node.push('0x5', 'head')
    await vi.waitFor(() => expect(listener.heard).toEqual(['head']), 20_000)
    expect(named(node, 'eth_subscribe')).toHaveLength(2)
  })

  it('outlives connections that break while it is asked for again', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    await transport.subscribe(['newHeads'], listener)
    node.answer = (_, socket) => {
      if (node.sockets.length > 3) return ok('0x9')
      socket?.terminate()
      return undefined
    }
    node.sockets[0]?.terminate()
    await vi.waitFor(() => expect(listener.heard).toEqual(['resumed']), 20_000)
    node.push('0x9', 'head')
    await vi.waitFor(() => expect(listener.heard).toEqual(['resumed', 'head']), 20_000)
  })

  it('is asked for again until a limit on calls lets it', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    await transport.subscribe(['newHeads'], listener)
    let refusals = 0
    node.answer = () => {
      if (refusals === 2) return ok('0x9')
      refusals++
      return { error: { code: -32005, message: 'limit', data: { reason: 'rate', retry_after_ms: 1 } } }
    }
    node.sockets[0]?.terminate()
    await vi.waitFor(() => expect(listener.heard).toEqual(['resumed']), 20_000)
    expect(refusals).toBe(2)
  })

  it('ends when the node does not take it back', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    await transport.subscribe(['newHeads'], listener)
    node.answer = () => ({ error: { code: -32601, message: 'no more' } })
    node.sockets[0]?.terminate()
    await vi.waitFor(() => expect(listener.heard).toMatchObject([{ context: { rpcCode: -32601 } }]), 20_000)
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
    expect(listener.heard).toMatchObject([{ code: 'TRANSPORT_CLOSED' }])
    await subscription.unsubscribe()
  })

  it('is told to the node once when it is ended, and hears nothing from then on', async () => {
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
    expect(listener.heard).toEqual([])
  })

  it('can be ended without a connection, and does not run again', async () => {
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

  it('that is ended while it is asked for again is ended under its new id', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const listener = recorder()
    const subscription = await transport.subscribe(['newHeads'], listener)
    let give = () => {}
    const wait = new Promise<void>((resolve) => {
      give = resolve
    })
    node.answer = ({ method }) => (method === 'eth_subscribe' ? wait.then(() => ok('0x9')) : ok(true))
    node.sockets[0]?.terminate()
    await vi.waitFor(() => expect(named(node, 'eth_subscribe')).toHaveLength(2), 20_000)
    await subscription.unsubscribe()
    give()
    await vi.waitFor(
      () => expect(named(node, 'eth_unsubscribe')).toMatchObject([{ params: ['0x9'] }]),
      20_000,
    )
    expect(listener.heard).toEqual([])
  })
})
