import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type BusyChain, startBusyChain } from '../testing/busy-chain.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { countedNode, cachingNode } from '../testing/caching-upstream.ts'

let chain: BusyChain
beforeAll(async () => {
  chain = await startBusyChain()
}, 60_000)
afterAll(() => chain.stop())

const hex = (number: number) => `0x${number.toString(16)}`
const later = { timeout: 50_000, interval: 20 }
const headOf = async () => Number(await chain.rpc('eth_blockNumber'))

/** Starts an upstream that can be made to lag, as one behind a load balancer may. */
async function laggingNode() {
  const node = await countedNode(chain.node)
  const memory = cachingNode(node.url)
  await memory.waitForChain()
  const behind = (blocks: number) => {
    node.scripts.set('eth_blockNumber', async () => ({ result: hex((await headOf()) - blocks) }))
    node.scripts.set('eth_getBlockByNumber', async ([block, isFull]) => ({
      result: await chain.rpc(
        'eth_getBlockByNumber',
        block === 'latest' ? hex((await headOf()) - blocks) : block,
        isFull,
      ),
    }))
  }
  const head = async (credentialId?: string) =>
    Number(await memory.call('eth_blockNumber', [], credentialId === undefined ? {} : { credentialId }))
  const block = async (isFull = false) => {
    const { number } = (await memory.call('eth_getBlockByNumber', ['latest', isFull])) as { number: string }
    return Number(number)
  }
  return { ...memory, node, behind, head, block }
}

it('returns no lower block to a credential than before, and the latest one to others', async () => {
  const { behind, head, block } = await laggingNode()
  await chain.rpc('anvil_mine', '0x5')
  const now = await headOf()
  expect(await head()).toBe(now)
  behind(3)
  expect([await head(), await block(), await block(true)]).toEqual([now, now, now])
  expect(await head('other')).toBe(now - 3)
  // A number from a block raises the high-water mark for `eth_blockNumber` too.
  behind(0)
  await chain.rpc('anvil_mine', '0x1')
  expect(await block()).toBe(now + 1)
  behind(2)
  expect(await head()).toBe(now + 1)
})

it('returns no lower block while the chain is identified again', async () => {
  const { node, memory, behind, head, block } = await laggingNode()
  const now = await headOf()
  expect(await head()).toBe(now)
  behind(3)
  node.scripts.set('eth_chainId', () => new Promise(() => undefined))
  // A cached block above the head means that the chain may be another one.
  memory.chain.cached(now + 1_000)
  expect([await head(), await block(), memory.chain.isCacheable]).toEqual([now, now, false])
})

/** Starts an upstream that reports a head 3 blocks lower, and has its latest block only at the third attempt. */
async function replacingBlocks() {
  const upstream = await laggingNode()
  const now = await headOf()
  expect(await upstream.head()).toBe(now)
  upstream.behind(3)
  const attempts = { count: 0 }
  upstream.node.scripts.set('eth_getBlockByNumber', async ([number, isFull]) => {
    const exists = number !== hex(now) || ++attempts.count > 2
    const available = number === 'latest' ? hex(now - 3) : number
    return { result: exists ? await chain.rpc('eth_getBlockByNumber', available, isFull) : null }
  })
  return { ...upstream, now, attempts }
}

it('retries while a node replaces its latest blocks', async () => {
  const { block, now, attempts } = await replacingBlocks()
  expect(await block()).toBe(now)
  expect(attempts.count).toBe(3)
  // The higher block is permanently missing.
  attempts.count = -1_000
  expect(await block()).toBe(now - 3)
  expect(attempts.count).toBe(-996)
})

it('retries in the same way for the block of a batch', async () => {
  const { batch, now, attempts } = await replacingBlocks()
  const [number, block] = await batch([['eth_blockNumber'], ['eth_getBlockByNumber', 'latest', false]])
  expect([number, block]).toMatchObject([hex(now), { number: hex(now) }])
  expect(attempts.count).toBe(3)
})

it('discards the first response when the retry fails', async () => {
  const node = await countedNode(chain.node)
  const now = await headOf()
  const pad = 'x'.repeat(16 * 1024 * 1024)
  const lower = { number: hex(now - 2), pad }
  let requests = 0
  let isRemoved = false
  const url = await startTestNode(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { method, params } = JSON.parse(body) as { method: string; params: unknown[] }
    const isFull = method === 'eth_getBlockByNumber' && params[1] === true
    if (isFull) requests += 1
    if (isFull && requests === 1) response.once('close', () => (isRemoved = true))
    response.statusCode = requests > 1 ? 500 : 200
    response.setHeader('content-type', 'application/json')
    const lowerText = requests > 1 ? '' : JSON.stringify({ jsonrpc: '2.0', id: '1', result: lower })
    const passedOn = () => fetch(node.url, { method: 'POST', body }).then((passed) => passed.text())
    // The health check may still send requests after the end of the test.
    response.end(isFull ? lowerText : await passedOn().catch(() => ''))
  })
  const { call, waitForChain } = cachingNode(url)
  await waitForChain()
  expect(Number(await call('eth_blockNumber'))).toBe(now)
  await expect(call('eth_getBlockByNumber', ['latest', true])).rejects.toMatchObject({ status: 502 })
  await vi.waitFor(() => expect(isRemoved).toBe(true), { timeout: 50_000 })
})

it('sends the retry to the upstream that has the block', async () => {
  const [ahead, lagging] = [await countedNode(chain.node), await countedNode(chain.node)]
  const { call, waitForChain } = cachingNode(`${ahead.url} ${lagging.url}`)
  await waitForChain()
  const now = await headOf()
  await vi.waitFor(async () => expect(Number(await call('eth_blockNumber'))).toBe(now), later)
  lagging.scripts.set('eth_blockNumber', () => ({ result: hex(now - 1) }))
  for (let round = 0; round < 20; round += 1) expect(Number(await call('eth_blockNumber'))).toBe(now)
})

/** Makes an upstream report blocks that it does not have. */
function claim(node: Awaited<ReturnType<typeof countedNode>>, blocks: number): void {
  const claimed = async () => hex((await headOf()) + blocks)
  node.scripts.set('eth_blockNumber', async () => ({ result: await claimed() }))
  node.scripts.set('eth_getBlockByNumber', async ([block, isFull]) => {
    if (block !== 'latest') return undefined
    const result = await chain.rpc<object>('eth_getBlockByNumber', 'latest', isFull)
    return { result: { ...result, number: await claimed(), hash: `0x${'ab'.repeat(32)}` } }
  })
}

it('returns no head far above the others without its block', async () => {
  const [honest, lying] = [await countedNode(chain.node), await countedNode(chain.node)]
  const { call, waitForChain } = cachingNode(`${lying.url} ${honest.url}`)
  await waitForChain()
  const now = await headOf()
  claim(lying, 1_000)
  for (let round = 0; round < 30; round += 1) {
    const credentialId = `credential ${round % 3}`
    expect(Number(await call('eth_blockNumber', [], { credentialId }))).toBe(now)
    const block = await call('eth_getBlockByNumber', ['latest', false], { credentialId })
    expect(block).toMatchObject({ number: hex(now) })
  }
  lying.scripts.delete('eth_blockNumber')
  lying.scripts.delete('eth_getBlockByNumber')
  await chain.rpc('anvil_mine', '0x1')
  await vi.waitFor(async () => expect(Number(await call('eth_blockNumber'))).toBe(now + 1), later)
})

it.each([1, 2])('trusts %i upstreams that advance by many blocks at once', async (count) => {
  const nodes = await Promise.all(Array.from({ length: count }, () => countedNode(chain.node)))
  const { call, waitForChain } = cachingNode(nodes.map(({ url }) => url).join(' '))
  await waitForChain()
  await call('eth_blockNumber')
  await chain.rpc('anvil_mine', '0x64')
  expect(Number(await call('eth_blockNumber'))).toBe(await headOf())
})

it('is disabled for development nodes, whose chains may be reset', async () => {
  const { call } = cachingNode(chain.node)
  const snapshot = await chain.rpc('evm_snapshot')
  const before = await headOf()
  await chain.rpc('anvil_mine', '0x3')
  expect(Number(await call('eth_blockNumber'))).toBe(before + 3)
  await chain.rpc('evm_revert', snapshot)
  expect(Number(await call('eth_blockNumber'))).toBe(before)
})
