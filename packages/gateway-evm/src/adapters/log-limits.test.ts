import { afterEach, describe, expect, it, vi } from 'vitest'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { cachingNode } from '../testing/caching-upstream.ts'
import {
  accounts,
  hex,
  limitedUpstream,
  LogChain,
  type ReceivedQuery,
  type Rejection,
  type TestFilter,
  topics,
} from '../testing/log-chain.ts'
import { randomNumbers } from '../testing/random-numbers.ts'

const chain = new LogChain(randomNumbers(7), 1_999)
const everything = { fromBlock: '0x0', toBlock: hex(chain.head) }
const { logs: all } = chain
const blocksOf = ({ blocks }: ReceivedQuery) => blocks
const method = 'eth_getLogs'
const { blockNumber, blockHash } = all[100] as (typeof all)[number]

afterEach(() => vi.restoreAllMocks())

/** Opens a node with an upstream that rejects queries over more blocks. */
async function limited(blocks: number, error: Readonly<Record<string, unknown>>) {
  const upstream = await limitedUpstream(chain, (query) => (query.blocks > blocks ? error : undefined))
  return { upstream, node: cachingNode(upstream.url) }
}

describe('a limit of the block range', () => {
  it.each([
    [-32600, 500, 'You can make eth_getLogs requests with up to a 500 block range. Upgrade for more.'],
    [
      -32602,
      500,
      'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x0, 0x1f3]',
    ],
    [-32602, 120, 'block range is bigger than maxBlockRange'],
    [-32000, 120, 'block range too high'],
    [-32000, 500, 'maximum [from, to] blocks distance: 500'],
    [-32602, 100, 'query exceeds max block range 100'],
    [-32005, 700, 'range 2000 is bigger than range limit 700'],
    [-32012, 64, 'requested too many blocks from 0 to 1999, maximum is set to 64'],
    [-32614, 256, 'eth_getLogs is limited to a 256 range'],
    [-32701, 300, 'Please specify an address in your request or reduce the interval to 300'],
    // Words that no rule contains.
    [-32602, 128, 'Tja: höchstens 128 auf einmal'],
    [-32000, 1_000, 'nope'],
    [1, 1_000, ''],
  ])('is detected in any words: %i, %i, %s', async (code, blocks, message) => {
    const { upstream, node } = await limited(blocks, { code, message })
    expect(await node.call(method, [everything])).toEqual(all)
    const { length } = upstream.queries.eth_getLogs
    expect(length).toBeLessThan(6 + 3 * Math.ceil(2_000 / blocks))
  })

  it.each([400, 403, 500])('is detected with HTTP status %i', async (status) => {
    const url = await startTestNode(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const { id, params } = JSON.parse(body) as { id: unknown; params: readonly TestFilter[] }
      const [filter = {}] = params
      const [from, to] = chain.rangeOf(filter)
      const message = 'You can make eth_getLogs requests with up to a 500 block range.'
      const isRejected = to - from >= 500
      const outcome = isRejected ? { error: { code: -32600, message } } : { result: chain.getLogs(filter) }
      response
        .writeHead(isRejected ? status : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
    })
    const node = cachingNode(url)
    expect(await node.call(method, [everything])).toEqual(all)
    expect(node.upstreamStates()[0]?.rangeLimits.get(method)).toBe(500)
  })

  it('ends after one failed half when the error names no limit', async () => {
    const { upstream, node } = await limited(1, { code: -32000, message: 'disk failure' })
    await expect(node.call(method, [everything])).rejects.toMatchObject({ message: 'disk failure' })
    expect(upstream.queries.eth_getLogs.map(blocksOf)).toEqual([2_000, 1_000])
  })

  it.each([
    [{ ...everything, address: '0x12' }, -32602, 'invalid argument 0: hex string has length 2, want 40'],
    [{ ...everything, topics: ['0x12'] }, -32602, 'invalid topics, max 4'],
    [{ fromBlock: '0x9', toBlock: '0x1' }, -32602, 'invalid block range params'],
    [everything, -32601, 'the method eth_getLogs does not exist'],
    [everything, -32000, 'block range extends beyond current head block'],
    [everything, -32000, 'pending logs are not supported'],
    [everything, 4444, 'pruned history unavailable'],
    [everything, -32000, 'header not found'],
    [everything, -32700, 'parse error'],
    [everything, 429, 'too many requests, max block range 10'],
  ])('is not assumed for an error with another cause: %j, %i, %s', async (filter, code, message) => {
    const { upstream, node } = await limited(-Infinity, { code, message })
    await expect(node.call(method, [filter])).rejects.toThrow()
    expect(upstream.queries.eth_getLogs.length).toBe(1)
  })

  it('takes at most 2,000 requests', async () => {
    const { upstream, node } = await limited(1, { code: -32602, message: 'range too wide' })
    const long = { fromBlock: '0x0', toBlock: '0x2000' }
    await expect(node.call(method, [long])).rejects.toMatchObject({ code: -32602 })
    expect(upstream.queries.eth_getLogs.length).toBeLessThanOrEqual(2_001)
  })
})

describe('a known limit', () => {
  it.each([
    ['range is limited to 300 blocks', 300],
    ['block range too high', 250],
  ])('is used for the next query, until it expires: %s', async (message, known) => {
    const { upstream, node } = await limited(300, { code: -32000, message })
    await node.call(method, [everything])
    expect(node.upstreamStates()[0]?.rangeLimits).toEqual(new Map([[method, known]]))
    const { queries } = upstream
    const before = queries.eth_getLogs.length
    const filter = { ...everything, address: accounts[0] as string }
    expect(await node.call(method, [filter])).toEqual(chain.getLogs(filter))
    expect(Math.max(...queries.eth_getLogs.slice(before).map(blocksOf))).toBe(known)
    const later = performance.now() + 10 * 60_000
    vi.spyOn(performance, 'now').mockReturnValue(later)
    expect(node.upstreamStates()[0]?.rangeLimits.size).toBe(0)
    await node.call(method, [{ ...everything, address: accounts[1] }])
    expect(queries.eth_getLogs.map(blocksOf).filter((blocks) => blocks === 2_000).length).toBe(2)
  })

  it('is not derived from a query with too many results', async () => {
    const upstream = await limitedUpstream(chain, ({ found }) =>
      found > 200
        ? { code: -32005, message: 'query returned more than 200 results in this range' }
        : undefined,
    )
    const node = cachingNode(upstream.url)
    expect(await node.call(method, [everything])).toEqual(all)
    expect(node.upstreamStates()[0]?.rangeLimits.size).toBe(0)
  })

  it('is that of each upstream', async () => {
    const [narrow, wide] = await Promise.all(
      [100, 1_000].map((max) =>
        limitedUpstream(chain, ({ blocks }) =>
          blocks > max ? { code: -32602, message: `max range: ${max} blocks` } : undefined,
        ),
      ),
    )
    const node = cachingNode(`${narrow?.url} ${wide?.url}`)
    for (const address of accounts.slice(0, 6)) {
      const filter = { ...everything, address }
      expect(await node.call(method, [filter])).toEqual(chain.getLogs(filter))
    }
    expect(node.upstreamStates().map(({ rangeLimits }) => rangeLimits.get(method))).toEqual([100, 1_000])
    const counts = () => [narrow, wide].map((upstream) => upstream?.queries.eth_getLogs.length ?? 0)
    const before = counts()
    const filter = { ...everything, address: accounts[7] as string }
    expect(await node.call(method, [filter])).toEqual(chain.getLogs(filter))
    expect(counts()).toEqual([before[0], (before[1] ?? 0) + 2])
    // Without the other upstream, the smaller limit applies.
    await wide?.kill()
    const alone = { ...everything, address: accounts[8] as string }
    expect(await node.call(method, [alone])).toEqual(chain.getLogs(alone))
  })
})

describe('a limit of one upstream', () => {
  const tooMuch: Rejection = () => ({ code: -32005, message: 'limit exceeded' })

  it.each([
    ['of several blocks', everything],
    ['of one block', { fromBlock: blockNumber, toBlock: blockNumber }],
    ['of one block by its hash', { blockHash }],
  ])('leads to another one, and pauses neither: a query %s', async (_, filter) => {
    const [strict, other] = await Promise.all([
      limitedUpstream(chain, tooMuch),
      limitedUpstream(chain, () => undefined),
    ])
    // Every call is sent to the other one first.
    other.head -= 6
    const node = cachingNode(`${strict.url} ${other.url}`, { maxBytes: 0 })
    for (let call = 0; call < 8; call += 1) {
      expect(await node.call(method, [filter])).toEqual(chain.getLogs(filter))
      await node.call('eth_gasPrice')
    }
    expect(strict.queries.eth_getLogs.length).toBe(8)
    expect(strict.received.filter((name) => name === 'eth_gasPrice').length).toBe(8)
    expect(node.upstreamStates()).toMatchObject([{ class: 'ready' }, { class: 'lagging' }])
  })
})

describe('a limit of the addresses or topics', () => {
  const lengthOf = (values: unknown) => (Array.isArray(values) ? values.length : 1)
  const maxTopics = ({ filter }: ReceivedQuery) => Math.max(1, ...(filter.topics ?? []).map(lengthOf))

  it.each([
    [{ ...everything, address: accounts }, 'exceed max addresses: 10'],
    [{ ...everything, address: accounts }, 'address list is excessive'],
    [
      {
        ...everything,
        address: [...accounts, ...accounts.map((account) => account.toUpperCase().replace('X', 'x'))],
      },
      'too many addresses',
    ],
    [{ fromBlock: blockNumber, toBlock: blockNumber, address: accounts }, 'no'],
    [{ blockHash, address: accounts }, 'limit exceeded'],
  ])('of addresses divides the list: %#', async (filter, message) => {
    const upstream = await limitedUpstream(chain, ({ filter: { address } }) =>
      lengthOf(address) > 20 ? { code: -32602, message } : undefined,
    )
    const expected = chain.getLogs({ ...filter, address: accounts })
    expect(expected.length).toBeGreaterThan(0)
    expect(await cachingNode(upstream.url).call(method, [filter])).toEqual(expected)
    expect(upstream.queries.eth_getLogs.length).toBeLessThan(8)
  })

  it.each(['exceed max addresses or topics per search position', 'topics: at most 10'])(
    'of topics divides the alternatives of a position: %s',
    async (message) => {
      const upstream = await limitedUpstream(chain, (query) =>
        maxTopics(query) > 10 ? { code: -32000, message } : undefined,
      )
      const filter = {
        ...everything,
        address: accounts.slice(0, 15),
        topics: [null, topics, topics.slice(0, 12)],
      }
      const expected = chain.getLogs(filter)
      expect(expected.length).toBeGreaterThan(0)
      expect(await cachingNode(upstream.url).call(method, [filter])).toEqual(expected)
    },
  )

  it('divides the addresses of a single block with too many results', async () => {
    const dense = new LogChain(randomNumbers(3), 20, 60)
    const upstream = await limitedUpstream(dense, ({ found }) =>
      found > 8 ? { code: -32005, message: 'query returned more than 8 results' } : undefined,
    )
    const filter = { fromBlock: '0x0', toBlock: '0x14', address: accounts }
    expect(await cachingNode(upstream.url).call(method, [filter])).toEqual(dense.getLogs(filter))
  })

  it('fails with the error of the upstream when nothing is left to divide', async () => {
    const error = { code: -32000, message: 'too many addresses' }
    const upstream = await limitedUpstream(chain, () => error)
    const filter = { fromBlock: blockNumber, toBlock: blockNumber, address: accounts.slice(0, 4) }
    await expect(cachingNode(upstream.url).call(method, [filter])).rejects.toMatchObject(error)
    expect(upstream.queries.eth_getLogs.length).toBe(3)
  })

  it.each([{}, 7, { blockNumber: '0x1' }])('fails when elements have no position: %j', async (log) => {
    const upstream = await limitedUpstream(chain, () => undefined)
    upstream.responses[method] = ([filter]) =>
      lengthOf((filter as { address: unknown }).address) > 20
        ? { error: { code: -32000, message: 'too many addresses' } }
        : { result: [log] }
    const call = cachingNode(upstream.url).call(method, [{ ...everything, address: accounts }])
    await expect(call).rejects.toThrow('The response of the upstream is not a list of logs.')
  })
})
