import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type NodeProxy, proxyTo } from '@fairlead/gateway-core/testing/node-proxy'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { waitFor } from '@fairlead/vitest/wait-for'
import { pino } from 'pino'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { grantWith } from '@fairlead/gateway-core/testing/limited-grant'
import { createEvmUpstreams } from '../upstream/evm-upstreams.ts'
import { createSubscriptionMultiplexers } from './multiplexers.ts'
import { type BusyChain, receiver, startBusyChain } from '../testing/busy-chain.ts'
import { inFrontOf } from '../testing/listener-fixture.ts'
import { startSubscriptionUpstream } from '../testing/subscription-upstream.ts'

let chain: BusyChain
beforeAll(async () => {
  chain = await startBusyChain()
}, 60_000)
afterAll(() => chain.stop())

/** The upstream lists of a node, of two URLs of one chain. */
const lists = ([a, b]: readonly [NodeProxy, NodeProxy]) => ({
  first: { evm: a.url, websocket: a.wsUrl },
  both: { evm: `${a.url} ${b.url}`, websocket: `${a.wsUrl} ${b.wsUrl}` },
  cordoned: { evm: `${a.url}#cordoned ${b.url}`, websocket: `${a.wsUrl}#cordoned ${b.wsUrl}` },
  second: { evm: b.url, websocket: b.wsUrl },
})

async function start(isPolling: boolean, secondToken?: string) {
  const proxies = [await proxyTo(chain.node), await proxyTo(chain.node)] as const
  onTestFinished(async () => void (await Promise.all(proxies.map((proxy) => proxy.stop()))))
  const upstreams = Object.entries(lists(proxies)).map(
    ([name, { evm, websocket }]) => [name, isPolling ? { evm } : { evm, websocket }] as const,
  )
  const byName = Object.fromEntries(upstreams) as ReturnType<typeof lists>
  const { evm, websocket } = byName.first
  const gateway = await inFrontOf(evm, {
    websocket: isPolling ? undefined : websocket,
    pollMs: 50,
    secondToken,
  })
  const client = await openWebSocket(gateway.wsUrl)
  return { gateway, client, byName, proxies }
}

it.each([
  ['WebSocket upstreams', false],
  ['polls', true],
])('subscriptions over %s continue without a gap while upstreams change', async (_, isPolling) => {
  const { gateway, client, byName, proxies } = await start(isPolling)
  const id = await client.subscribe('newHeads')
  const received = () => client.results<{ number: string }>(id).map(({ number }) => Number(number))
  const before = Number(await chain.rpc('eth_blockNumber'))
  let mined = 0
  for (const name of ['both', 'cordoned', 'second'] as const) {
    gateway.change({ upstreams: byName[name] })
    for (let block = 0; block < 2; block += 1) await chain.rpc('evm_mine')
    mined += 2
    await waitFor(() =>
      expect(received()).toEqual(Array.from({ length: mined }, (__, index) => before + 1 + index)),
    )
  }
  // The removed upstream is no longer used.
  await proxies[0].stop()
  await chain.rpc('evm_mine')
  await waitFor(() => expect(received().at(-1)).toBe(before + mined + 1))
  gateway.change({ upstreams: byName.first })
  expect(await client.closed).toEqual([1012, 'the upstreams of the node have changed'])
})

describe.each([
  ['WebSocket upstreams', false],
  ['polls', true],
])('subscriptions over %s of a node that shares its list with another node', (_, isPolling) => {
  async function startShared() {
    const secondToken = 'second-token'
    const { gateway, client, byName } = await start(isPolling, secondToken)
    const other = await openWebSocket(`${new URL(gateway.wsUrl).origin}/ws/${secondToken}`)
    const { contract } = chain.example
    const subscribed = []
    for (const each of [client, other])
      subscribed.push({
        each,
        heads: await each.subscribe('newHeads'),
        logs: await each.subscribe('logs', { address: contract }),
        pending: await each.subscribe('newPendingTransactions'),
      })
    return { gateway, client, byName, subscribed }
  }

  it('continue without a gap or a duplicate, and report logs of the time before as removed', async () => {
    const { gateway, client, byName, subscribed } = await startShared()
    const expected: unknown[] = []
    const heads: string[] = []
    const { account, contract, recipient } = chain.example
    const data = `0xa9059cbb${recipient.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
    const transfer = async () => {
      const { transactionHash, blockNumber } = await chain.rpc<
        Readonly<Record<'transactionHash' | 'blockNumber', string>>
      >('eth_sendTransactionSync', { from: account, to: contract, data, gas: '0x30d40' })
      expected.push([transactionHash, false])
      heads.push(blockNumber)
    }
    const expectEvents = async () => {
      for (const { each, heads: headsId, logs } of subscribed) {
        await waitFor(() =>
          expect(
            each
              .results<{ transactionHash: string; removed: boolean }>(logs)
              .map(({ transactionHash, removed }) => [transactionHash, removed]),
          ).toEqual(expected),
        )
        await waitFor(() =>
          expect(each.results<{ number: string }>(headsId).map(({ number }) => number)).toEqual(heads),
        )
      }
    }
    await transfer()
    await expectEvents()
    for (const name of ['both', 'cordoned', 'second', 'both', 'first'] as const) {
      gateway.change({ upstreams: byName[name] })
      await transfer()
      await transfer()
      await expectEvents()
    }
    gateway.change({ upstreams: byName.both })
    await chain.rpc('anvil_reorg', 2, [])
    const [second, last] = [expected.at(-2), expected.at(-1)] as [[string], [string]]
    expected.push([last[0], true], [second[0], true])
    heads.push(...heads.slice(-2))
    await expectEvents()
    await transfer()
    await expectEvents()
    expect(client.socket.readyState).toBe(client.socket.OPEN)
  })
})

it.each(['removed', 'cordoned'])(
  'polls after the last WebSocket upstream was %s, until there is one again',
  async (change) => {
    const { gateway, client, byName, proxies } = await start(false)
    const { evm, websocket } = byName.first
    const heads = await client.subscribe('newHeads')
    const pending = await client.subscribe('newPendingTransactions')
    const before = Number(await chain.rpc('eth_blockNumber'))
    const subscribed = () => proxies[0].requestCounts.get('eth_subscribe') ?? 0
    let mined = 0
    // A transaction that is sent before its source has changed is not notified.
    const expectNotifications = async () => {
      const sent: unknown[] = []
      await waitFor(async () => {
        const { transactionHash } = await chain.rpc<{ transactionHash: string }>('eth_sendTransactionSync', {
          from: chain.example.account,
          to: receiver,
        })
        sent.push(transactionHash)
        mined += 1
        return client.results(pending).some((hash) => sent.includes(hash))
      })
      await waitFor(() =>
        expect(client.results<{ number: string }>(heads).map(({ number }) => Number(number))).toEqual(
          Array.from({ length: mined }, (_, index) => before + 1 + index),
        ),
      )
    }
    await expectNotifications()
    const atFirst = subscribed()
    gateway.change({
      upstreams: change === 'removed' ? { evm } : { evm, websocket: `${websocket}#cordoned` },
    })
    await expectNotifications()
    expect(subscribed()).toBe(atFirst)
    gateway.change({ upstreams: byName.first })
    await waitFor(() => expect(subscribed()).toBe(2 * atFirst))
    await expectNotifications()
    expect(client.socket.readyState).toBe(client.socket.OPEN)
  },
)

it('ends only the connections whose subscriptions need a WebSocket upstream', async () => {
  const { url } = await startSubscriptionUpstream()
  const gateway = await inFrontOf(chain.node, { websocket: url })
  const [client, other] = [await openWebSocket(gateway.wsUrl), await openWebSocket(gateway.wsUrl)]
  await client.subscribe('newHeads')
  await other.subscribe('transactionReceipts')
  gateway.change({ upstreams: { evm: chain.node } })
  expect(await other.closed).toEqual([1011, 'the upstream ended the subscription'])
  expect(await client.call('eth_subscribe', ['transactionReceipts'])).toMatchObject({
    error: { code: -32_601 },
  })
})

/** The multiplexers of nodes whose upstreams are not reachable. */
function startMultiplexers() {
  const timeoutMs = 1_000
  const upstreams = createEvmUpstreams(timeoutMs, {}, new MemoryLedger(2 ** 20))
  const multiplexers = createSubscriptionMultiplexers({
    upstreams,
    embeddedSocket: undefined,
    pollMs: 50,
    timeoutMs,
    log: pino({ level: 'silent' }),
  })
  onTestFinished(async () => {
    multiplexers.close()
    await upstreams.close()
  })
  return { upstreams, multiplexers }
}

const [a, b] = ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/b']
const grantOf = (nodeId: string, evm: string, websocket?: string) =>
  grantWith({ nodeId, upstreams: { evm, ...(websocket !== undefined && { websocket }) } })

it('nodes whose upstreams became equal do not share subscriptions', () => {
  const { upstreams, multiplexers } = startMultiplexers()
  const first = upstreams.of(grantOf('first', a), 'evm')
  expect(upstreams.of(grantOf('first', `${a} ${b}`), 'evm')).toBe(first)
  const multiplexer = multiplexers.of(grantOf('first', `${a} ${b}`))
  expect(multiplexers.of(grantOf('second', `${a} ${b}`))).not.toBe(multiplexer)
  expect(multiplexers.of(grantOf('third', `${a} ${b}`))).toBe(multiplexers.of(grantOf('second', `${a} ${b}`)))
})

it('changes the WebSocket upstreams of a node in place, unless another node has had them', () => {
  const { multiplexers } = startMultiplexers()
  const of = (nodeId: string, websocket?: string) => multiplexers.of(grantOf(nodeId, a, websocket))
  const alone = of('first', 'ws://127.0.0.1:1/1')
  expect(of('first')).toBe(alone)
  expect(of('first', 'ws://127.0.0.1:1/2')).toBe(alone)
  const shared = of('second', 'ws://127.0.0.1:1/3')
  expect(of('third', 'ws://127.0.0.1:1/3')).toBe(shared)
  // A connection of the third node may still have subscriptions there.
  expect(of('third', 'ws://127.0.0.1:1/4')).not.toBe(shared)
  expect(of('second', 'ws://127.0.0.1:1/5')).not.toBe(shared)
})
