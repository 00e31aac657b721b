import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type NodeProxy, proxyTo } from '@fairlead/gateway-core/testing/node-proxy'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { waitFor } from '@fairlead/vitest/wait-for'
import { pino } from 'pino'
import { MemoryBudget } from '@fairlead/gateway-core/memory/memory-budget'
import { grantWith } from '@fairlead/gateway-core/testing/limited-grant'
import { createEvmUpstreams } from '../upstream/evm-upstreams.ts'
import { createSubscriptionMultiplexers } from './multiplexers.ts'
import { type BusyChain, startBusyChain } from '../testing/busy-chain.ts'
import { inFrontOf } from '../testing/listener-fixture.ts'

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

async function start(isPolling: boolean) {
  const proxies = [await proxyTo(chain.node), await proxyTo(chain.node)] as const
  onTestFinished(async () => void (await Promise.all(proxies.map((proxy) => proxy.stop()))))
  const upstreams = Object.entries(lists(proxies)).map(
    ([name, { evm, websocket }]) => [name, isPolling ? { evm } : { evm, websocket }] as const,
  )
  const byName = Object.fromEntries(upstreams) as ReturnType<typeof lists>
  const { evm, websocket } = byName.first
  const gateway = await inFrontOf(evm, { websocket, pollMs: 50 })
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

it('closes a connection when its node loses the last WebSocket upstream', async () => {
  const { gateway, client, byName } = await start(false)
  await client.subscribe('newHeads')
  gateway.change({ upstreams: { evm: byName.both.evm } })
  expect(await client.closed).toEqual([1012, 'the upstreams of the node have changed'])
})

it('nodes whose upstreams became equal do not share subscriptions', () => {
  const timeoutMs = 1_000
  const upstreams = createEvmUpstreams(timeoutMs, {}, new MemoryBudget(2 ** 20))
  const log = pino({ level: 'silent' })
  const multiplexers = createSubscriptionMultiplexers({
    upstreams,
    embeddedSocket: undefined,
    pollMs: 50,
    timeoutMs,
    log,
  })
  onTestFinished(async () => {
    multiplexers.close()
    await upstreams.close()
  })
  const [a, b] = ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/b']
  const grantOf = (nodeId: string, evm: string) => grantWith({ nodeId, upstreams: { evm } })
  const first = upstreams.of(grantOf('first', a), 'evm')
  expect(upstreams.of(grantOf('first', `${a} ${b}`), 'evm')).toBe(first)
  const multiplexer = multiplexers.of(grantOf('first', `${a} ${b}`))
  expect(multiplexers.of(grantOf('second', `${a} ${b}`))).not.toBe(multiplexer)
  expect(multiplexers.of(grantOf('third', `${a} ${b}`))).toBe(multiplexers.of(grantOf('second', `${a} ${b}`)))
})
