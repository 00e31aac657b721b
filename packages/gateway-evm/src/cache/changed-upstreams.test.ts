import { expect, it } from 'vitest'
import { cachingNode } from '../testing/caching-upstream.ts'
import { type FaultyUpstream, faultyUpstream } from '../testing/faulty-upstream.ts'

/** Starts a node with two upstreams, of which one at a time is in use. */
async function switching(secondChainId: string) {
  const first = await faultyUpstream('first', { chainId: '0x1' })
  const second = await faultyUpstream('second', { chainId: secondChainId, head: 500, finalized: 400 })
  if (secondChainId !== '0x1') second.fork = { from: 0, prefix: 'f0f0' }
  const lists = {
    first: `${first.url} ${second.url}#cordoned`,
    second: `${first.url}#cordoned ${second.url}`,
  }
  const node = cachingNode(lists.first, { upstreamLogRange: 10 })
  await node.waitForChain()
  const change = (name: keyof typeof lists) => node.changeUpstreams(lists[name])
  return { first, second, node, change }
}

const count = ({ received }: FaultyUpstream, method: string) =>
  received.filter((name) => name === method).length

it('the response to a call is of one chain, and so are the cached ones, when the chain changes twice', async () => {
  const { first, second, node, change } = await switching('0x5')
  let chunks = 0
  first.responses['eth_getLogs'] = () => {
    chunks += 1
    if (chunks === 4) change('second')
    if (chunks === 12) change('first')
    return { result: ['first'] }
  }
  second.responses['eth_getLogs'] = { result: ['second'] }
  const logs = () => node.call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0xc8' }])
  const expected = Array.from({ length: 21 }, () => 'first')
  expect(await logs()).toEqual(expected)
  change('first')
  await node.waitForChain()
  expect(await logs()).toEqual(expected)
  change('second')
  await node.waitForChain()
  expect(await logs()).toEqual(expected.map(() => 'second'))
  expect(count(second, 'eth_getLogs')).toBe(21)
})

it('a call that began before a change reads no cached response of the upstreams after it', async () => {
  const { first, second, node, change } = await switching('0x5')
  const logs = () => node.call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0xc8' }])
  second.responses['eth_getLogs'] = { result: ['second'] }
  const cacheOfSecond = async () => {
    change('second')
    await node.waitForChain()
    expect(await logs()).toEqual(Array.from({ length: 21 }, () => 'second'))
  }
  let cached: Promise<void> | undefined
  first.responses['eth_getLogs'] = async () => {
    await (cached ??= cacheOfSecond())
    return { result: ['first'] }
  }
  expect(await logs()).toEqual(Array.from({ length: 21 }, () => 'first'))
})

it('the response to a call that began before a change is not cached', async () => {
  const { first, second, node, change } = await switching('0x1')
  const balance = () => node.call('eth_getBalance', [`0x${'1'.repeat(40)}`, '0x1'])
  first.responses['eth_getBalance'] = () => {
    change('second')
    return { result: '0x1' }
  }
  second.responses['eth_getBalance'] = { result: '0x2' }
  expect(await balance()).toBe('0x1')
  await node.waitForChain()
  expect([await balance(), await balance()]).toEqual(['0x2', '0x2'])
  expect(count(second, 'eth_getBalance')).toBe(1)
})

it('the latest block is not that of the chain before a change', async () => {
  const { first, second, node, change } = await switching('0x5')
  expect(await node.call('eth_blockNumber')).toBe('0x3e8')
  change('second')
  await node.waitForChain()
  expect(await node.call('eth_blockNumber')).toBe('0x1f4')
  expect(await node.call('eth_getBlockByNumber', ['latest', false])).toMatchObject({ number: '0x1f4' })
  expect([count(first, 'eth_blockNumber'), count(second, 'eth_blockNumber')]).toEqual([1, 1])
})
