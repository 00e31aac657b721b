import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { cachingNode } from '../testing/caching-upstream.ts'
import {
  accounts,
  hex,
  limitedUpstream,
  LogChain,
  type Rejection,
  type TestFilter,
} from '../testing/log-chain.ts'
import { randomNumbers } from '../testing/random-numbers.ts'

const chain = new LogChain(randomNumbers(11), 999)
const everything = { fromBlock: '0x0', toBlock: hex(chain.head) }
const total = chain.traceFilter(everything).length
const method = 'trace_filter'
const upTo =
  (max: number, message = `Block range too large; currently limited to ${max}`): Rejection =>
  ({ blocks }) =>
    blocks > max ? { code: -32602, message } : undefined

async function limited(rejection: Rejection) {
  const upstream = await limitedUpstream(chain, rejection)
  return { upstream, node: cachingNode(upstream.url) }
}

describe('a query that is too large for the upstream', () => {
  it.each([
    {},
    { toBlock: undefined },
    { toBlock: 'latest' },
    { fromBlock: 'earliest' },
    { fromAddress: accounts.slice(0, 5) },
    { fromAddress: accounts.slice(0, 9), toAddress: accounts.slice(5), mode: 'intersection' },
    { after: 0, count: 1 },
    { count: 0 },
    { count: 7 },
    { after: 3 },
    { after: 500, count: 20 },
    { after: total - 3, count: 20 },
    { after: total, count: 20 },
    { after: total + 5 },
    { after: 10, count: 50, fromAddress: accounts.slice(0, 20) },
    { count: total + 1 },
  ])('is sent in chunks, with the same result: %#', async (given) => {
    const { upstream, node } = await limited(upTo(100))
    const filter = { ...everything, ...given } as TestFilter
    const expected = chain.traceFilter(filter)
    expect(await node.call(method, [filter])).toEqual(expected)
    // The second query uses the limit at once.
    const { length } = upstream.queries.trace_filter
    expect(await node.call(method, [filter])).toEqual(expected)
    const again = upstream.queries.trace_filter.slice(length)
    expect(again.filter(({ blocks }) => blocks > 100)).toEqual([])
    expect(again.length).toBeLessThanOrEqual(10)
    expect(node.upstreamStates()[0]?.rangeLimits).toEqual(new Map([[method, 100]]))
  })

  it('requests no more traces than needed', async () => {
    const { upstream, node } = await limited(upTo(100))
    const filter = { ...everything, after: 5, count: 20 }
    expect(await node.call(method, [filter])).toEqual(chain.traceFilter(filter))
    const counts = upstream.queries.trace_filter.map((query) => query.filter.count)
    expect(counts).toEqual([20, 25])
  })

  it.each([
    [{}, 4],
    [{ after: 5 }, 1],
    [{ count: 5_000 }, 1],
  ])('is sent in parallel where no result depends on another one: %j', async (given, parallel) => {
    const { upstream, node } = await limited(upTo(100))
    const filter = { ...everything, ...given }
    await node.call(method, [filter])
    let [current, most] = [0, 0]
    const waiting: (() => void)[] = []
    upstream.responses[method] = async ([chunk]) => {
      current += 1
      most = Math.max(most, current)
      if (most < parallel) await new Promise<void>((resolve) => waiting.push(resolve))
      else for (const resume of waiting.splice(0)) resume()
      await setImmediate()
      current -= 1
      return { result: chain.traceFilter(chunk as TestFilter) }
    }
    expect(await node.call(method, [filter])).toEqual(chain.traceFilter(filter))
    expect(most).toBe(parallel)
  })

  it('may have too many results', async () => {
    const { node } = await limited(({ found }) =>
      found > 60 ? { code: -32000, message: 'too many traces, please be more specific' } : undefined,
    )
    for (const given of [{}, { after: 100, count: 300 }]) {
      const filter = { ...everything, ...given }
      expect(await node.call(method, [filter])).toEqual(chain.traceFilter(filter))
    }
  })

  it.each([
    // Upstreams have different defaults.
    { toBlock: everything.toBlock },
    { ...everything, count: -1 },
    { ...everything, after: '0x1' },
    { ...everything, mode: 'any' },
    { ...everything, fromAddress: ['0x1'] },
    { fromBlock: '0x20', toBlock: '0x1' },
  ])('fails with the error of the upstream when chunks are not equivalent: %j', async (filter) => {
    const error = { code: -32602, message: 'block range too large' }
    const { upstream, node } = await limited(() => error)
    await expect(node.call(method, [filter])).rejects.toMatchObject(error)
    expect(upstream.queries.trace_filter.length).toBe(1)
  })

  it('leads to another upstream that accepts it', async () => {
    const [narrow, wide] = [await limited(upTo(10)), await limited(() => undefined)]
    const node = cachingNode(`${narrow.upstream.url} ${wide.upstream.url}`)
    for (let call = 0; call < 6; call += 1) {
      expect(await node.call(method, [everything])).toEqual(chain.traceFilter(everything))
    }
    expect(narrow.upstream.queries.trace_filter.length).toBe(1)
  })
})
