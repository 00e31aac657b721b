import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type BusyChain, startBusyChain } from '../testing/busy-chain.ts'
import { countedNode, cachingNode } from '../testing/caching-upstream.ts'
import { faultyUpstream } from '../testing/faulty-upstream.ts'

let chain: BusyChain
beforeAll(async () => {
  chain = await startBusyChain()
}, 60_000)
afterAll(() => chain.stop())

const account = `0x${'5000'.padStart(40, '0')}`

/** Starts an upstream whose chain grows with every request for state or a block. */
async function growing() {
  const node = await countedNode(chain.node)
  const grow = async () => {
    await chain.rpc('anvil_mine', '0x1')
    return undefined
  }
  for (const method of ['eth_getBalance', 'eth_call', 'eth_getLogs']) node.scripts.set(method, grow)
  return { node, ...cachingNode(`${node.url}#batch=1`) }
}

it('pins all calls of a batch to one latest block', async () => {
  const { node, batch } = await growing()
  const results = await batch([
    ['eth_getBalance', account, 'latest'],
    ['eth_getBalance', account],
    ['eth_blockNumber'],
    ['eth_getBlockByNumber', 'latest', false],
    ['eth_call', { to: account }, 'latest'],
    ['eth_getLogs', { fromBlock: 'latest' }],
    ['eth_getBalance', account, '0x1'],
    ['eth_getBalance', account, 'earliest'],
  ])
  expect(results.filter((result) => result instanceof Error)).toEqual([])
  const [, , number, block] = results as [unknown, unknown, string, { number: string }]
  expect(block.number).toBe(number)
  expect(node.received('eth_blockNumber')).toHaveLength(1)
  expect(new Set(node.received('eth_getBalance').map(([, at]) => at))).toEqual(
    new Set(['0x1', 'earliest', number]),
  )
  expect(node.received('eth_call')).toEqual([[{ to: account }, number]])
  expect(node.received('eth_getLogs')).toEqual([[{ fromBlock: number, toBlock: number }]])
})

it('does not change a batch with one such call', async () => {
  const { node, batch } = await growing()
  await batch([['eth_getBalance', account, 'latest'], ['eth_getBalance', account, '0x1'], ['eth_chainId']])
  expect(node.received('eth_blockNumber')).toEqual([])
  expect(node.received('eth_getBalance')).toContainEqual([account, 'latest'])
})

it('sends the tag to a node that has the latest state only by tag', async () => {
  const { node, batch } = await growing()
  node.scripts.set('eth_getBalance', ([, block]) =>
    block === 'latest'
      ? { result: '0x7' }
      : { error: { code: -32000, message: 'only the latest block is supported' } },
  )
  const calls = [
    ['eth_getBalance', account, 'latest'],
    ['eth_getBalance', account],
    ['eth_blockNumber'],
  ] as const
  expect((await batch(calls)).slice(0, 2)).toEqual(['0x7', '0x7'])
  const before = node.received('eth_getBalance').length
  expect((await batch(calls)).slice(0, 2)).toEqual(['0x7', '0x7'])
  // The block number is not tried again every time.
  expect(node.received('eth_getBalance').slice(before)).toEqual([[account, 'latest']])
})

it('pins the next batch by number after a node lacked the block', async () => {
  const { node, batch } = await growing()
  node.scripts.set('eth_getBalance', ([, block]) =>
    block === 'latest' ? { result: '0x7' } : { error: { code: -32000, message: 'header not found' } },
  )
  const calls = [['eth_getBalance', account, 'latest'], ['eth_blockNumber']] as const
  expect((await batch(calls))[0]).toBe('0x7')
  node.scripts.set('eth_getBalance', ([, block]) => ({ result: block === 'latest' ? '0x7' : '0x8' }))
  expect((await batch(calls))[0]).toBe('0x8')
})

it('retries on another upstream when the block is only announced', async () => {
  const upstreams = await Promise.all(['a', 'b'].map((name) => faultyUpstream(name)))
  const { batch } = cachingNode(upstreams.map(({ url }) => url).join(' '))
  const headless = upstreams[0]
  if (!headless) throw new Error('There is no upstream.')
  const announced = { number: '0x3e8', hash: `0x${'0'.repeat(61)}3e8`, parentHash: `0x${'0'.repeat(61)}3e7` }
  headless.responses['eth_getBlockByNumber'] = ([block]) => ({
    result: block === 'latest' ? announced : null,
  })
  for (let round = 0; round < 4; round++) {
    const calls = [['eth_getBlockByNumber', 'latest', round % 2 === 0], ['eth_blockNumber']] as const
    expect(await batch(calls)).toMatchObject([{ number: '0x3e8' }, '0x3e8'])
  }
  expect(headless.received).toContain('eth_getBlockByNumber')
})

it('fails only the call that throws at its start', async () => {
  const { memory, batch } = await growing()
  vi.spyOn(memory.coalescer, 'respond').mockImplementation(() => {
    throw new Error('broken')
  })
  const failed = { code: -32603, message: 'Internal error.' }
  expect(await batch([['eth_getBalance', account, 'latest'], ['eth_blockNumber']])).toMatchObject([
    failed,
    failed,
  ])
})

it('treats a revert as a response', async () => {
  const { node, batch } = await growing()
  const error = { code: 3, message: 'execution reverted', data: '0x' }
  node.scripts.set('eth_call', () => ({ error }))
  const [call] = await batch([['eth_call', { to: account }, 'latest'], ['eth_blockNumber']])
  expect(call).toMatchObject(error)
  expect(node.received('eth_call')).toHaveLength(1)
})
