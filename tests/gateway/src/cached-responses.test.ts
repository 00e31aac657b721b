import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { countedNode } from '@fairlead/gateway-evm/testing/caching-upstream'
import { type BusyChain, startBusyChain } from '@fairlead/gateway-evm/testing/busy-chain'
import { gatewayFixture } from './gateway-fixture.ts'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'

let chain: BusyChain
beforeAll(async () => {
  chain = await startBusyChain()
}, 60_000)
afterAll(() => chain.stop())

const account = `0x${'5000'.padStart(40, '0')}`
const batch = JSON.stringify(
  ['latest', 'latest'].map((block, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_getBalance',
    params: [account, block],
  })),
)

it('the gateway caches responses by default and requests the latest block once per batch', async () => {
  const node = await countedNode(chain.node)
  const gateway = await gatewayFixture({ FAIRLEAD_HEAD_POLL_MS: '50' }, node.url)
  onTestFinished(gateway.stop)
  const url = `${gateway.url}/${gateway.first.token}`
  const post = async (body: string) => (await fetch(url, { method: 'POST', body })).json()
  const block = '{"jsonrpc":"2.0","id":"a","method":"eth_getBlockByNumber","params":["0x0",true]}'
  const requestCount = () =>
    node.received('eth_getBlockByNumber').filter(([, isFull]) => isFull === true).length
  const first = await post(block)
  expect(first).toMatchObject({ id: 'a', result: { number: '0x0' } })
  await vi.waitFor(
    async () => {
      const before = requestCount()
      expect(await post(block)).toEqual(first)
      expect(requestCount()).toBe(before)
    },
    { timeout: 50_000 },
  )
  const number = await chain.rpc('eth_blockNumber')
  expect(await post(batch)).toHaveLength(2)
  const { request: send, socket } = await openWebSocket(
    `${gateway.url.replace('http', 'ws')}/ws/${gateway.first.token}`,
  )
  expect(await send(batch)).toHaveLength(2)
  socket.close()
  expect(new Set(node.received('eth_getBalance').map(([, at]) => at))).toEqual(new Set([number]))
})
