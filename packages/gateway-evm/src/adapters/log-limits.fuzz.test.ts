import { afterAll, expect, it } from 'vitest'
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

const nodes = 60
const queriesPerNode = 8
const firstSeed = 42

type Random = () => number
const below = (random: Random, count: number) => Math.floor(random() * count)
const oneOf = <value>(random: Random, values: readonly value[]) =>
  values[below(random, values.length)] as value
const some = <value>(random: Random, values: readonly value[]) => values.filter(() => random() < 0.6)
const lengthOf = (values: unknown) => (Array.isArray(values) ? values.length : 1)

const rangeWords = [
  (max: number) => `max block range ${max}`,
  (max: number) => `up to a ${max} block range`,
  (max: number) => `Spannweite, höchstens ${max} (block)`,
  () => 'block range too high',
  () => 'range is excessive',
]
const resultWords = [
  (max: number) => `query returned more than ${max} results`,
  () => 'response size exceeded',
  () => 'query timeout exceeded',
  () => 'limit exceeded',
]
const listWords = [
  (max: number) => `at most ${max} addresses or topics`,
  () => 'too many addresses or topics',
]
const codes = [-32000, -32005, -32012, -32600, -32602, -32603, -32614]

/** An upstream with random limits, in random words. Every log of a single block can be requested. */
function randomLimits(random: Random): Rejection {
  const limit = (lowest: number, count: number) => (random() < 0.3 ? Infinity : lowest + below(random, count))
  const checks: readonly [(query: ReceivedQuery) => number, number, (max: number) => string][] = [
    [({ blocks }) => blocks, limit(12, 150), oneOf(random, rangeWords)],
    [({ found }) => found, limit(8, 100), oneOf(random, resultWords)],
    [({ filter }) => lengthOf(filter.address), limit(12, 28), oneOf(random, listWords)],
    [
      ({ filter }) => Math.max(0, ...(filter.topics ?? []).map(lengthOf)),
      limit(8, 12),
      oneOf(random, listWords),
    ],
  ]
  const code = oneOf(random, codes)
  return (query) => {
    const failed = checks.find(([measure, max]) => measure(query) > max)
    return failed && { code, message: failed[2](failed[1]) }
  }
}

function randomRange(random: Random, head: number): TestFilter {
  const from = below(random, head)
  const to = from + below(random, head - from + 1)
  return oneOf(random, [
    { fromBlock: hex(from), toBlock: hex(to) },
    { fromBlock: hex(from), toBlock: 'latest' },
    { fromBlock: 'earliest', toBlock: hex(to) },
    { fromBlock: hex(from), toBlock: hex(from) },
    { fromBlock: hex(from) },
    { blockHash: `0x${from.toString(16).padStart(64, '0')}` },
  ])
}

function randomLogFilter(random: Random, head: number): TestFilter {
  const position = () => oneOf(random, [null, [], oneOf(random, topics), some(random, topics), topics])
  return {
    ...randomRange(random, head),
    ...(random() < 0.6 && {
      address: oneOf(random, [accounts, some(random, accounts), oneOf(random, accounts)]),
    }),
    ...(random() < 0.5 && { topics: Array.from({ length: below(random, 4) }, position) }),
  }
}

function randomTraceFilter(random: Random, head: number): TestFilter {
  const { fromBlock, toBlock } = randomRange(random, head)
  return {
    fromBlock: fromBlock ?? '0x0',
    ...(toBlock !== undefined && { toBlock }),
    ...(random() < 0.3 && { fromAddress: some(random, accounts) }),
    ...(random() < 0.5 && { after: below(random, 150) }),
    ...(random() < 0.5 && { count: below(random, 150) }),
  }
}

const seeds = Array.from({ length: nodes }, (_, at) => firstSeed + at)
let divided = 0

it.each(seeds)('the result of a query in chunks equals that of the whole query: seed %i', async (seed) => {
  const random = randomNumbers(seed)
  const chain = new LogChain(random, 20 + below(random, 300))
  const upstreams = await Promise.all(
    Array.from({ length: 1 + below(random, 2) }, () => limitedUpstream(chain, randomLimits(random))),
  )
  // Responses of this chain are cached.
  for (const upstream of upstreams) upstream.chainId = '0x4d2'
  const node = cachingNode(upstreams.map(({ url }) => url).join(' '), {
    upstreamLogRange: oneOf(random, [0, 0, 50]),
  })
  for (let query = 0; query < queriesPerNode; query += 1) {
    const isTrace = random() < 0.3
    const method = isTrace ? 'trace_filter' : 'eth_getLogs'
    const filter = isTrace ? randomTraceFilter(random, chain.head) : randomLogFilter(random, chain.head)
    const expected = isTrace ? chain.traceFilter(filter) : chain.getLogs(filter)
    const count = () => upstreams.reduce((sum, { queries }) => sum + queries[method].length, 0)
    const before = count()
    expect(await node.call(method, [filter]), `${method} ${JSON.stringify(filter)}`).toEqual(expected)
    if (count() > before + upstreams.length) divided += 1
  }
})

afterAll(() => expect(divided).toBeGreaterThan(nodes))
