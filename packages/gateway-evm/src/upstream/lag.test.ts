import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { pino } from 'pino'
import { createSubscriptionMultiplexers } from '../subscriptions/multiplexers.ts'
import { readSubscriptionRequest } from '../subscriptions/subscription-request.ts'
import { type FaultyUpstream, faultyUpstream } from '../testing/faulty-upstream.ts'
import { pooledNode, type PooledNode } from '../testing/pooled-node.ts'
import { startSubscriptionUpstream } from '../testing/subscription-upstream.ts'

const later = { timeout: 50_000 }

/** A node with two upstreams at block 1000, after their first check. */
async function two(pollMs: number) {
  const [a, b] = await Promise.all([faultyUpstream('a'), faultyUpstream('b')])
  const node = pooledNode(`${a.url} ${b.url}`, { pollMs })
  await vi.waitFor(async () => {
    await node.call('eth_gasPrice')
    expect(node.states()).toMatchObject([{ head: 1_000 }, { head: 1_000 }])
  }, later)
  return { a, b, node }
}

function respondersOf(node: PooledNode, block: string): Promise<unknown[]> {
  return Promise.all(Array.from({ length: 6 }, () => node.call('eth_getBalance', ['0x0', block])))
}

const hex = (number: number) => `0x${number.toString(16)}`
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const headerOf = (number: number) => ({
  number: hex(number),
  hash: hashOf(number),
  parentHash: hashOf(number - 1),
})

describe('a block that is higher than the last poll', () => {
  it.each([
    ['eth_blockNumber', []],
    ['eth_getBlockByNumber', ['latest', false]],
    ['eth_getBlockByNumber', ['0x3ea', true]],
  ])('counts from the response to %s %j', async (method, params) => {
    const { a, node } = await two(60_000)
    a.head = 1_002
    await Promise.all([node.call(method, params), node.call(method, params)])
    expect(node.states()).toMatchObject([
      { head: 1_002, lag: 0, lagMs: 0 },
      { head: 1_000, lag: 2, lagMs: 24_000 },
    ])
    expect(new Set(await respondersOf(node, '0x3ea'))).toEqual(new Set(['a']))
  })

  it('does not count when it is far above the heads of all upstreams', async () => {
    const { a, node } = await two(60_000)
    a.responses['eth_blockNumber'] = { result: hex(1_004) }
    await Promise.all([node.call('eth_blockNumber'), node.call('eth_blockNumber')])
    expect(node.states()).toMatchObject([{ head: 1_000 }, { head: 1_000 }])
  })

  it('does not count from the pending block', async () => {
    const { a, b, node } = await two(60_000)
    a.responses['eth_getBlockByNumber'] = b.responses['eth_getBlockByNumber'] = { result: headerOf(1_001) }
    await Promise.all([1, 2].map(() => node.call('eth_getBlockByNumber', ['pending', false])))
    expect(node.states()).toMatchObject([{ head: 1_000 }, { head: 1_000 }])
  })

  it('counts for the lag when a subscription has delivered it', async () => {
    const { a, b, node } = await two(50)
    const socket = await startSubscriptionUpstream()
    const grant = { ...node.grant, upstreams: { ...node.grant.upstreams, websocket: socket.url } }
    const multiplexers = createSubscriptionMultiplexers({
      upstreams: node.upstreams,
      embeddedSocket: undefined,
      pollMs: 60_000,
      timeoutMs: 20_000,
      log: pino({ level: 'silent' }),
    })
    onTestFinished(() => multiplexers.close())
    const subscriptions: string[] = []
    socket.server.on('connection', (client) => {
      client.on('message', (data: Buffer) => {
        const { id } = JSON.parse(data.toString()) as { id: number }
        subscriptions.push(`0x${id}`)
      })
    })
    const delivered: string[] = []
    await multiplexers.of(grant).join(readSubscriptionRequest(['newHeads']), {
      deliver: (text) => delivered.push(text),
      overflow: () => undefined,
    })
    await vi.waitFor(() => expect(subscriptions).toHaveLength(1), later)
    for (let number = 1_001; number <= 1_004; number += 1) {
      const params = { subscription: subscriptions[0], result: headerOf(number) }
      for (const client of socket.server.clients)
        client.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
    }
    await vi.waitFor(() => expect(delivered).toHaveLength(4), later)
    b.head = 1_002
    await until(node, [
      { head: 1_000, lag: 4, class: 'lagging' },
      { head: 1_002, lag: 2, class: 'ready' },
    ])
    a.head = b.head = 1_004
    await until(node, [{ lag: 0 }, { lag: 0 }])
  })
})

async function until(node: PooledNode, states: readonly object[]): Promise<void> {
  await vi.waitFor(async () => {
    await node.call('eth_gasPrice')
    expect(node.states()).toMatchObject(states)
  }, later)
}

describe('the lag', () => {
  /** Sets the head of an upstream whose blocks have timestamps: four in a second. */
  function setFastHead(upstream: FaultyUpstream, head: number): void {
    upstream.responses['eth_getBlockByNumber'] = ([tag]) => {
      const number = tag === 'latest' ? head : Number(tag)
      return { result: { ...headerOf(number), timestamp: hex(Math.floor(number / 4)) } }
    }
  }

  it('is judged by the block time of the chain, which is measured', async () => {
    const { a, b, node } = await two(50)
    const advance = async (states: readonly object[]) => {
      let head = 2_000
      await vi.waitFor(async () => {
        head += 40
        setFastHead(a, head)
        setFastHead(b, head - 32)
        await node.call('eth_gasPrice')
        expect(node.states()).toMatchObject(states)
      }, later)
    }
    setFastHead(a, 1_032)
    setFastHead(b, 1_000)
    await until(node, [{ class: 'ready' }, { class: 'lagging', lag: 32, lagMs: 384_000 }])
    await advance([{ class: 'ready' }, { class: 'ready', lag: 32, lagMs: 8_000 }])
    setFastHead(b, 1_000)
    await until(node, [{ class: 'ready' }, { class: 'stale' }])
  })

  it('is judged by the known block time of a chain until it is measured', async () => {
    const [a, b] = await Promise.all([
      faultyUpstream('a', { chainId: '0xa4b1', head: 1_040 }),
      faultyUpstream('b', { chainId: '0xa4b1' }),
    ])
    const node = pooledNode(`${a.url} ${b.url}`)
    await until(node, [{ class: 'ready' }, { class: 'ready', lag: 40, lagMs: 10_000 }])
    // Within the tolerated lag, a head is trusted without the block.
    expect(a.received).not.toContain('eth_getBlockByNumber')
    a.head = 1_041
    await until(node, [{ class: 'ready' }, { class: 'lagging', lag: 41 }])
  })
})
