import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type BusyChain, startBusyChain } from '../testing/busy-chain.ts'
import { type CountedNode, countedNode, cachingNode } from '../testing/caching-upstream.ts'

let chain: BusyChain
let head: number
beforeAll(async () => {
  chain = await startLongChain()
}, 60_000)
beforeEach(async () => {
  head = Number(await chain.rpc('eth_blockNumber'))
})
afterAll(() => chain.stop())

async function startLongChain(): Promise<BusyChain> {
  const long = await startBusyChain()
  await long.rpc('anvil_mine', '0x60')
  return long
}

const hex = (number: number) => `0x${number.toString(16)}`
const later = { timeout: 50_000, interval: 20 }

const callCount = (node: CountedNode, method: string, params: readonly unknown[]) =>
  node.received(method).filter((received) => JSON.stringify(received) === JSON.stringify(params)).length

async function startCachingNode(options = {}, { node: url } = chain) {
  const node = await countedNode(url)
  const memory = cachingNode(node.url, options)
  await memory.waitForChain()
  return { node, ...memory, memory: memory.memory }
}

describe('a response', () => {
  it.each([
    ['eth_getBlockByNumber', ['0x1', true]],
    ['eth_getBalance', [`0x${'5000'.padStart(40, '0')}`, '0x1']],
    ['eth_getBalance', [`0x${'5000'.padStart(40, '0')}`, { blockNumber: '0x1' }]],
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x1' }]],
    ['web3_sha3', ['0x00']],
    ['eth_chainId', []],
  ])('to %s that does not change is requested once', async (method, params) => {
    const { node, call, states } = await startCachingNode()
    const first = await call(method, params)
    const before = callCount(node, method, params)
    const { hits } = states()
    expect(await call(method, params)).toEqual(first)
    expect(callCount(node, method, params)).toBe(before)
    expect(states().hits - hits).toBe(1)
  })

  it('by hash is cached verbatim when it names a finalized block', async () => {
    const { node, call } = await startCachingNode()
    const { hash, blockHash } = chain.busy
    for (const [method, ...params] of [
      ['eth_getTransactionByHash', hash],
      ['eth_getTransactionReceipt', hash],
      ['eth_getBlockByHash', blockHash, false],
      ['eth_getLogs', { blockHash: chain.example.transfer_block_hash }],
    ] as const) {
      const first = await call(method, params)
      expect(first).toEqual(await call(method, params))
      expect([method, node.received(method).length]).toEqual([method, 1])
    }
  })

  it.each([
    ['eth_getBlockByNumber', () => [hex(head), false]],
    ['eth_getBlockByNumber', () => ['latest', false]],
    ['eth_getBalance', () => [`0x${'5000'.padStart(40, '0')}`, hex(head - 1)]],
    ['eth_getLogs', () => [{ fromBlock: '0x0', toBlock: hex(head - 1) }]],
    ['eth_getLogs', () => [{ fromBlock: '0x0' }]],
    ['eth_getTransactionCount', () => [`0x${'5000'.padStart(40, '0')}`, 'pending']],
    ['eth_getTransactionByHash', () => [`0x${'ab'.repeat(32)}`]],
    ['eth_getBlockByNumber', () => [hex(head + 1_000), false]],
    ['eth_blockNumber', () => []],
    ['debug_traceTransaction', () => [chain.busy.hash]],
  ] as const)('to %s that may change is requested each time (%#)', async (method, params) => {
    const { node, call, states } = await startCachingNode()
    const before = callCount(node, method, params())
    for (let round = 0; round < 2; round += 1) await call(method, params())
    // The health check requests the chain head too.
    expect(callCount(node, method, params()) - before).toBeGreaterThanOrEqual(2)
    expect(states()).toMatchObject({ hits: 0, stored: 0 })
  })

  it('is shared by params that differ only in white space and in the case of an address', async () => {
    const { node, call } = await startCachingNode()
    const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
    await call('eth_getBalance', [address, '0x2'])
    await call('eth_getBalance', [], { paramsText: `[ "${address.toLowerCase()}",\n"0x2" ]` })
    expect(node.received('eth_getBalance')).toHaveLength(1)
    await call('eth_getBalance', [address, '0x3'])
    expect(node.received('eth_getBalance')).toHaveLength(2)
  })

  it('is retained when another upstream of the node changes', async () => {
    const { node, call, changeUpstreams, waitForChain } = await startCachingNode()
    const other = await countedNode(chain.node)
    const first = await call('eth_getBlockByNumber', ['0x1', true])
    changeUpstreams(`${other.url} ${node.url}`)
    changeUpstreams(other.url)
    await waitForChain()
    expect(await call('eth_getBlockByNumber', ['0x1', true])).toEqual(first)
    expect(callCount(other, 'eth_getBlockByNumber', ['0x1', true])).toBe(0)
    await call('eth_getBlockByNumber', ['0x2', true])
    expect(callCount(other, 'eth_getBlockByNumber', ['0x2', true])).toBe(1)
  })

  it('for one range limit is not returned for another', async () => {
    const { call } = await startCachingNode()
    const params = [{ fromBlock: '0x0', toBlock: '0x8' }]
    await call('eth_getLogs', params)
    await expect(call('eth_getLogs', params, { maxLogRange: 5 })).rejects.toMatchObject({ code: -32602 })
  })

  it('about the latest block is cached only when enabled, and only for that block', async () => {
    const { node, call, memory, change } = await startCachingNode({ headMs: 60_000 })
    const gasPrice = () => node.received('eth_gasPrice').length
    await vi.waitFor(async () => {
      await call('eth_gasPrice')
      const before = gasPrice()
      await call('eth_gasPrice')
      expect(gasPrice()).toBe(before)
    }, later)
    const before = gasPrice()
    const key = memory.chain.headKey
    await chain.rpc('anvil_mine', '0x1')
    await vi.waitFor(() => expect(memory.chain.headKey).not.toBe(key), later)
    await call('eth_gasPrice')
    expect(gasPrice()).toBe(before + 1)
    change({ headMs: 0, upstreamLogRange: 0 })
    const next = memory.chain.headKey
    await chain.rpc('anvil_mine', '0x1')
    await vi.waitFor(() => expect(memory.chain.headKey).not.toBe(next), later)
    await call('eth_gasPrice')
    await call('eth_gasPrice')
    expect(gasPrice()).toBe(before + 3)
  })
})

describe('memory', () => {
  it('is limited, and responses that are too long are not cached', async () => {
    const { call, states } = await startCachingNode({ maxBytes: 4_000 })
    for (let block = 1; block < 12; block += 1) await call('eth_getBlockByNumber', [hex(block), false])
    const { bytes, dropped, stored } = states()
    expect(stored).toBeGreaterThan(10)
    expect(dropped).toBeGreaterThan(5)
    expect(bytes).toBeLessThanOrEqual(4_000)
  })

  it('of size zero caches nothing', async () => {
    const { node, call, states } = await startCachingNode({ maxBytes: 0 })
    await call('eth_getBlockByNumber', ['0x1', false])
    await call('eth_getBlockByNumber', ['0x1', false])
    expect(node.received('eth_getBlockByNumber').filter(([block]) => block === '0x1')).toHaveLength(2)
    expect(states()).toMatchObject({ hits: 0, stored: 0, entries: 0 })
  })
})

describe('a chain that is replaced', () => {
  /** A separate chain for this test, because the replacement loses the state of earlier blocks. */
  async function replaceable() {
    const replaceableChain = await startLongChain()
    onTestFinished(replaceableChain.stop)
    return { replaceableChain, ...(await startCachingNode({}, replaceableChain)) }
  }

  it('near the head returns no stale response, not even once', async () => {
    const { replaceableChain, node, call, memory, states } = await replaceable()
    await replaceableChain.rpc('anvil_mine', '0x19')
    const last = Number(await replaceableChain.rpc('eth_blockNumber'))
    await vi.waitFor(() => expect(memory.chain.finalized).toBe(last - 64), later)
    const blocks = Array.from({ length: 80 }, (_, at) => hex(last - 79 + at))
    const all = (send: (block: string) => Promise<unknown>) => Promise.all(blocks.map(send))
    const before = await all((block) => call('eth_getBlockByNumber', [block, false]))
    await replaceableChain.rpc('anvil_reorg', 20, [])
    const after = await all((block) => call('eth_getBlockByNumber', [block, false]))
    expect(after).toEqual(await all((block) => replaceableChain.rpc('eth_getBlockByNumber', block, false)))
    expect(after.filter((block, at) => JSON.stringify(block) !== JSON.stringify(before[at]))).toHaveLength(20)
    expect(states().hits).toBeGreaterThan(10)
    expect(node.received('eth_getBlockByNumber').length).toBeGreaterThan(140)
  })

  it('below the finalized block invalidates the cache when it is detected', async () => {
    const { replaceableChain, call, memory, states } = await replaceable()
    const snapshot = await replaceableChain.rpc('evm_snapshot')
    const first = Number(await replaceableChain.rpc('eth_blockNumber')) + 1
    await replaceableChain.rpc('anvil_mine', '0x60')
    await vi.waitFor(() => expect(memory.chain.finalized).toBeGreaterThan(first + 10), later)
    const old = await call('eth_getBlockByNumber', [hex(first), false])
    const { hits } = states()
    expect(await call('eth_getBlockByNumber', [hex(first), false])).toEqual(old)
    expect(states().hits).toBe(hits + 1)
    const { generation } = memory.chain
    await replaceableChain.rpc('evm_revert', snapshot)
    await replaceableChain.rpc('evm_increaseTime', 1_000)
    await replaceableChain.rpc('anvil_mine', '0x62')
    await vi.waitFor(() => expect(memory.chain.generation).toBe(generation + 1), later)
    const fresh = await call('eth_getBlockByNumber', [hex(first), false])
    expect(fresh).toEqual(await replaceableChain.rpc('eth_getBlockByNumber', hex(first), false))
    expect(fresh).not.toEqual(old)
  })

  it('for development is never cached', async () => {
    const node = await countedNode(chain.node)
    node.scripts.delete('web3_clientVersion')
    const { call, memory, states } = cachingNode(node.url)
    await vi.waitFor(
      () => expect(node.received('web3_clientVersion').length + Number(memory.chain.isCacheable)).toBe(1),
      later,
    )
    // The responses to earlier calls have arrived before this one.
    await call('web3_clientVersion')
    expect(memory.chain.isCacheable).toBe(false)
    for (let round = 0; round < 2; round += 1) await call('eth_getBlockByNumber', ['0x1', false])
    expect(node.received('eth_getBlockByNumber').filter(([block]) => block === '0x1')).toHaveLength(2)
    expect(states()).toMatchObject({ hits: 0, stored: 0 })
  })
})
