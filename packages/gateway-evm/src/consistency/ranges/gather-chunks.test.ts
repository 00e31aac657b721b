import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BusyChain, startBusyChain } from '../../testing/busy-chain.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { countedNode, cachingNode } from '../../testing/caching-upstream.ts'
import { splitRange } from './gather-chunks.ts'

let chain: BusyChain
let head: number
let all: readonly unknown[]
beforeAll(async () => {
  chain = await startBusyChain()
  // Logs in several blocks: transfers of the sample token, with empty blocks between.
  const { example } = chain
  const data = `0xa9059cbb${'5000'.padStart(64, '0')}${'1'.padStart(64, '0')}`
  for (let round = 0; round < 12; round += 1) {
    await chain.rpc('eth_sendTransactionSync', {
      gas: '0x30d40',
      from: example.account,
      to: example.contract,
      data,
    })
    await chain.rpc('anvil_mine', '0x7')
  }
  head = Number(await chain.rpc('eth_blockNumber'))
  all = await chain.rpc('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })
}, 60_000)
afterAll(() => chain.stop())

const hex = (number: number) => `0x${number.toString(16)}`
const everything = [{ fromBlock: '0x0', toBlock: 'latest' }]
interface Filter {
  readonly fromBlock: string
  readonly toBlock: string
}
const spanOf = (filter: Filter) => Number(filter.toBlock) - Number(filter.fromBlock) + 1

/** Starts an upstream that limits the number of blocks or logs, with the error message of an execution client. */
async function narrow(
  rejection: (span: number, from: number, found: number) => object | undefined,
  options = {},
) {
  const node = await countedNode(chain.node)
  node.scripts.set('eth_getLogs', async ([filter]) => {
    const given = filter as Filter
    const toBlock = given.toBlock === 'latest' ? hex(head) : given.toBlock
    const logs = await chain.rpc<readonly unknown[]>('eth_getLogs', given)
    const error = rejection(spanOf({ ...given, toBlock }), Number(given.fromBlock), logs.length)
    return error ? { error } : { result: logs }
  })
  return { node, ...cachingNode(node.url, options) }
}

describe('a query that is too long for the node', () => {
  it('is sent in chunks, whose logs are returned in order', async () => {
    const { node, call } = await narrow(() => undefined, { upstreamLogRange: 10 })
    expect(all.length).toBeGreaterThan(15)
    expect(await call('eth_getLogs', everything)).toEqual(all)
    const filters = node.received('eth_getLogs').map(([filter]) => filter as Filter)
    expect(filters.length).toBeGreaterThan(9)
    expect(filters.filter((filter) => spanOf(filter) > 10)).toEqual([])
    const { address } = all[0] as { address: string }
    const some = [{ fromBlock: 'earliest', toBlock: hex(head), address, topics: [] }]
    expect(await call('eth_getLogs', some)).toEqual(await chain.rpc('eth_getLogs', ...some))
  })

  it('is sent unchanged when it is short, by block hash, or without a range', async () => {
    const { node, call } = await narrow(() => undefined, { upstreamLogRange: 10 })
    const { transfer_block_hash: blockHash } = chain.example
    const queries = [
      [{ fromBlock: '0x1', toBlock: '0xa' }],
      [{ blockHash }],
      [{}],
      [{ fromBlock: '0x9', toBlock: '0x1' }],
    ]
    for (const params of queries) await call('eth_getLogs', params).catch(() => undefined)
    expect(node.received('eth_getLogs')).toEqual(queries)
  })

  it.each([
    ['in the words of reth', (span: number) => (span > 16 ? 'query exceeds max block range 16' : undefined)],
    ['in words without a number', (span: number) => (span > 16 ? 'block range is too wide' : undefined)],
    [
      'because it finds too much',
      (_: number, __: number, found: number) =>
        found > 3 ? 'query returned more than 3 results' : undefined,
    ],
    [
      'with a range that would do',
      (span: number, from: number) =>
        span > 16 ? `query exceeds max results 9, retry with the range ${from}-${from + 11}` : undefined,
    ],
  ])('is detected and narrowed: %s', async (_, rejection) => {
    const { node, call } = await narrow((...given) => {
      const message = rejection(...given)
      return message === undefined ? undefined : { code: -32602, message }
    })
    expect(await call('eth_getLogs', everything)).toEqual(all)
    expect(node.received('eth_getLogs').length).toBeLessThan(40)
  })

  it('may be detected by an HTTP status', async () => {
    const url = await startTestNode(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: [Filter] }
      if (method === 'eth_getLogs' && !(spanOf(params[0]) <= 16)) return response.writeHead(413).end()
      const result = await chain.rpc(method, ...(params as unknown[]))
      return response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
    expect(await cachingNode(url).call('eth_getLogs', everything)).toEqual(all)
  })

  it('fails with the error of a chunk', async () => {
    const error = { code: -32000, message: 'history is not there' }
    const { call } = await narrow((_, from) => (from > 20 ? error : undefined), { upstreamLogRange: 10 })
    await expect(call('eth_getLogs', everything)).rejects.toMatchObject(error)
  })

  it('fails with the error of the node when a single block is too large', async () => {
    const error = { code: -32005, message: 'query returned more than 0 results' }
    const { node, call } = await narrow((_, __, found) => (found > 0 ? error : undefined))
    await expect(call('eth_getLogs', everything)).rejects.toMatchObject(error)
    expect(node.received('eth_getLogs').length).toBeLessThan(60)
  })

  it('is rejected when it needs too many chunks', async () => {
    const { node, call } = await narrow(() => undefined, { upstreamLogRange: 10 })
    const params = [{ fromBlock: '0x0', toBlock: '0xfffffff' }]
    await expect(call('eth_getLogs', params)).rejects.toMatchObject({ code: -32602 })
    expect(node.received('eth_getLogs')).toEqual([])
  })

  it('reuses cached chunks', async () => {
    const { node, call, waitForChain, memory } = await narrow(() => undefined, { upstreamLogRange: 10 })
    await waitForChain()
    const last = Math.floor((memory.chain.surelyFinalized ?? 0) / 10) * 10
    expect(last).toBeGreaterThan(9)
    await call('eth_getLogs', [{ fromBlock: '0x0', toBlock: hex(last + 4) }])
    const before = node.received('eth_getLogs').length
    expect(await call('eth_getLogs', everything)).toEqual(all)
    const starts = node
      .received('eth_getLogs')
      .slice(before)
      .map(([filter]) => Number((filter as Filter).fromBlock))
    expect(Math.min(...starts)).toBeGreaterThanOrEqual(last)
  })
})

it('splits a range at multiples of the size', () => {
  expect(splitRange({ from: 5, to: 27 }, 10)).toEqual([
    { from: 5, to: 9 },
    { from: 10, to: 19 },
    { from: 20, to: 27 },
  ])
  expect(splitRange({ from: 5, to: 14 }, 10)).toEqual([{ from: 5, to: 14 }])
  expect(splitRange({ from: 5, to: 6 }, 1)).toEqual([
    { from: 5, to: 5 },
    { from: 6, to: 6 },
  ])
})
