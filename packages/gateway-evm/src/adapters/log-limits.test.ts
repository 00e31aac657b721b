import { describe, expect, it } from 'vitest'
import { cachingNode } from '../testing/caching-upstream.ts'
import { hex, limitedUpstream, LogChain, type Rejection } from '../testing/log-chain.ts'
import { randomNumbers } from '../testing/random-numbers.ts'

const chain = new LogChain(randomNumbers(7), 1_999)
const everything = { fromBlock: '0x0', toBlock: hex(chain.head) }
const { logs: all } = chain
const method = 'eth_getLogs'
const { blockNumber, blockHash } = all[100] as (typeof all)[number]

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
