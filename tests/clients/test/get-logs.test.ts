import { type Filter, getAllLogs, getLogs, http, type Log, type Transport } from '@fairlead/evm-rpc'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DevChain, startDevChain } from './dev-chain.ts'
import { type NodeProxy, type RpcCall, startNodeProxy } from './node-proxy.ts'

const auth = { kind: 'token', token: 't0k3n' } as const
const contracts = ['11', '22', '33', '44', '55'].map((digits) => `0x${digits.repeat(20)}`)
let chain: DevChain
let proxy: NodeProxy
let node: Transport
let height: number
let all: Log[]

beforeAll(async () => {
  chain = await startDevChain()
  proxy = await startNodeProxy(chain.url)
  node = http({ url: proxy.url, auth, retries: 0 })
  const code = await chain.call('eth_getCode', chain.example.contract, 'latest')
  for (const contract of contracts) await chain.call('anvil_setCode', contract, code)
  // Blocks without a log, sparse stretches, and a dense one.
  for (let block = 0; block < 240; block++) {
    const logs = block > 150 && block < 180 ? 8 : block % 5 === 0 ? 2 : 0
    for (let sent = 0; sent < logs; sent++) {
      const spender = chain.example.recipient.slice(2).padStart(64, '0')
      const data = `0x095ea7b3${spender}${sent.toString(16).padStart(64, '0')}`
      const to = contracts[(block + sent) % contracts.length]
      await chain.call('eth_sendTransaction', { from: chain.example.account, to, data, gas: '0x30d40' })
    }
    await chain.mine()
  }
  height = await chain.height()
  all = await chain.logs(0, height)
}, 120_000)
afterAll(async () => {
  await proxy.close()
  await chain.stop()
})
beforeEach(() => {
  proxy.calls.length = 0
  proxy.reject = () => undefined
})

interface Query {
  readonly from: number
  readonly to: number
  readonly span: number
  readonly count: number
  readonly addresses: readonly string[]
  /** The last block of the range with at most this many logs. */
  upTo(results: number): number
}
type Rejection = (query: Query) => { code: number; message: string; data?: unknown } | undefined

const hex = (value: number) => `0x${value.toString(16)}`

function limitLogs(rejection: Rejection): void {
  proxy.reject = ({ method, params }: RpcCall) => {
    if (method !== 'eth_getLogs') return undefined
    const [filter] = params as [{ fromBlock: string; toBlock: string; address?: string | string[] }]
    const { fromBlock, toBlock, address } = filter
    const addresses = typeof address === 'string' ? [address] : (address ?? [])
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    const matches = matching(from, to, addresses)
    return rejection({
      from,
      to,
      span: to - from + 1,
      count: matches.length,
      addresses,
      upTo: (results) => Math.max(from, Number(matches[results]?.blockNumber ?? to) - 1),
    })
  }
}

function matching(from: number, to: number, addresses: readonly string[]): Log[] {
  return all.filter(
    ({ blockNumber, address }) =>
      Number(blockNumber) >= from &&
      Number(blockNumber) <= to &&
      (addresses.length === 0 || addresses.includes(address)),
  )
}

const spanOver =
  (limit: number, errorOf: (query: Query) => { code: number; message: string; data?: unknown }): Rejection =>
  (query) =>
    query.span > limit ? errorOf(query) : undefined
const countOver =
  (limit: number, errorOf: (query: Query) => { code: number; message: string; data?: unknown }): Rejection =>
  (query) =>
    query.count > limit ? errorOf(query) : undefined

const errorFormats: [string, Rejection][] = [
  [
    'a Fairlead gateway',
    spanOver(30, ({ from }) => ({
      code: -32602,
      message: 'the block range is too large',
      data: { max_range: 30, from: hex(from), to: hex(from + 29) },
    })),
  ],
  [
    'Alchemy, by size',
    countOver(20, ({ from, upTo }) => ({
      code: -32602,
      message: `Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [${hex(from)}, ${hex(upTo(20))}]`,
    })),
  ],
  [
    'Alchemy, by plan',
    spanOver(10, ({ from }) => ({
      code: -32600,
      message: `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [${hex(from)}, ${hex(from + 9)}]. Upgrade to PAYG for expanded block range.`,
    })),
  ],
  [
    'Infura, by results',
    countOver(20, ({ from, upTo }) => ({
      code: -32005,
      message: `query returned more than 20 results. Try with this block range [${hex(from).toUpperCase().replace('X', 'x')}, ${hex(upTo(20))}].`,
      data: { from: hex(from), limit: 20, to: hex(upTo(20)) },
    })),
  ],
  [
    'Infura, by range',
    spanOver(25, ({ span }) => ({ code: -32602, message: `range ${span} exceeds limit of 25` })),
  ],
  ['QuickNode', spanOver(15, () => ({ code: -32614, message: 'eth_getLogs is limited to a 15 range' }))],
  [
    'reth, by results',
    countOver(18, ({ from, upTo }) => ({
      code: -32602,
      message: `query exceeds max results 18, retry with the range ${from}-${upTo(18)}`,
    })),
  ],
  ['reth, by range', spanOver(40, () => ({ code: -32602, message: 'query exceeds max block range 40' }))],
  ['Ankr', spanOver(12, () => ({ code: -32600, message: 'block range is too wide' }))],
  [
    'dRPC',
    spanOver(22, () => ({ code: 35, message: 'ranges over 22 blocks are not supported on freetier' })),
  ],
  [
    'Avalanche',
    spanOver(20, ({ from, to }) => ({
      code: -32000,
      message: `requested too many blocks from ${from} to ${to}, maximum is set to 20`,
    })),
  ],
  [
    'Chainstack',
    spanOver(33, () => ({
      code: -32000,
      message: 'Block range limit exceeded. See more details at the docs.',
    })),
  ],
  [
    'Besu',
    spanOver(16, () => ({ code: -32005, message: 'Requested range exceeds maximum RPC range limit' })),
  ],
  [
    'thirdweb',
    spanOver(19, () => ({
      code: -32005,
      message: 'Log response size exceeded. Maximum allowed number of requested blocks is 19',
    })),
  ],
  ['BNB Smart Chain', countOver(20, () => ({ code: -32005, message: 'limit exceeded' }))],
  ['a node that takes too long', countOver(16, () => ({ code: -32002, message: 'request timed out' }))],
  [
    'a node that counts addresses',
    ({ addresses }) =>
      addresses.length > 2
        ? { code: -32602, message: 'exceed max addresses or topics per search position' }
        : undefined,
  ],
]

// A small pseudorandom generator with the same sequence for the same seed.
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('getLogs', () => {
  it.each(errorFormats)('returns the same logs despite the limits of %s', async (name, rejection) => {
    limitLogs(rejection)
    const pick = random(name.length * 7_919)
    let rejected = 0
    const { reject } = proxy
    proxy.reject = (call) => {
      const error = reject(call)
      if (error) rejected++
      return error
    }
    for (let round = 0; round < 12; round++) {
      const [left, right] = [pick(height + 1), pick(height + 1)]
      const from = round === 0 ? 0 : Math.min(left, right)
      const to = round === 0 ? height : Math.max(left, right)
      const addresses = round % 2 === 0 ? contracts : contracts.slice(0, pick(contracts.length))
      const filter: Filter = { fromBlock: hex(from), toBlock: hex(to) }
      if (addresses.length > 0)
        filter.address = addresses.length === 1 ? (addresses[0] as string) : [...addresses]
      const logs = await getAllLogs(node, filter, { concurrency: 1 + pick(5) })
      expect(logs).toEqual(matching(from, to, addresses))
    }
    expect(rejected).toBeGreaterThan(0)
  })

  it('sends one request when nothing is rejected', async () => {
    expect(await getAllLogs(node, { fromBlock: 'earliest', toBlock: hex(height) })).toEqual(all)
    expect(proxy.calls.filter(({ method }) => method === 'eth_getLogs')).toHaveLength(1)
  })

  it('applies a configured range from the first request', async () => {
    limitLogs(spanOver(30, () => ({ code: 1, message: 'this must not be reached' })))
    expect(await getAllLogs(node, { fromBlock: '0x0', toBlock: hex(height) }, { maxRange: 30 })).toEqual(all)
  })

  it('discovers a limit once', async () => {
    limitLogs(spanOver(30, () => ({ code: -32614, message: 'eth_getLogs is limited to a 30 range' })))
    await getAllLogs(node, { fromBlock: '0x0', toBlock: hex(height) })
    const queries = proxy.calls.filter(({ method }) => method === 'eth_getLogs')
    expect(queries).toHaveLength(1 + Math.ceil((height + 1) / 30))
  })

  it('splits the addresses when a single block exceeds the limit', async () => {
    limitLogs(countOver(3, () => ({ code: -32005, message: 'query returned more than 3 results' })))
    const address = [...contracts, ...contracts.map((contract) => contract.toUpperCase().replace('X', 'x'))]
    expect(await getAllLogs(node, { address, fromBlock: '0x0', toBlock: hex(height) })).toEqual(
      matching(0, height, contracts),
    )
  })

  it('throws when a single block is rejected and nothing can be split', async () => {
    limitLogs(countOver(3, () => ({ code: -32005, message: 'query returned more than 3 results' })))
    await expect(getAllLogs(node, { fromBlock: '0x0', toBlock: hex(height) })).rejects.toMatchObject({
      code: 'RPC_ERROR',
      details: { rpcCode: -32005 },
    })
  })

  it('throws at once on errors unrelated to the range', async () => {
    limitLogs(() => ({ code: -32601, message: 'the method eth_getLogs is not available' }))
    await expect(getAllLogs(node, { fromBlock: '0x0', toBlock: hex(height) })).rejects.toMatchObject({
      details: { rpcCode: -32601 },
    })
    expect(proxy.calls.filter(({ method }) => method === 'eth_getLogs')).toHaveLength(1)
  })

  it('waits instead of splitting when it is rate limited', async () => {
    let requestCount = 0
    limitLogs(() => (++requestCount % 3 === 0 ? undefined : { code: -32005, message: 'rate limit exceeded' }))
    expect(await getAllLogs(node, { fromBlock: '0x0', toBlock: hex(height) })).toEqual(all)
    expect(requestCount).toBe(3)
  })

  it('yields lists in order while others are in flight, and stops requesting when the consumer stops', async () => {
    const filter = { fromBlock: '0x0', toBlock: hex(height) }
    const received: Log[] = []
    const signals: AbortSignal[] = []
    const countingTransport: Transport = {
      request: (call, options) => {
        if (options?.signal) signals.push(options.signal)
        return node.request(call, options)
      },
    }
    for await (const logs of getLogs(countingTransport, filter, { maxRange: 10, concurrency: 4 })) {
      received.push(...logs)
      if (received.length > 20) break
    }
    expect(received).toEqual(all.slice(0, received.length))
    const requestCount = signals.length
    expect(requestCount).toBeLessThan(20)
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
    await getAllLogs(node, filter)
    expect(signals).toHaveLength(requestCount)
  })

  it('waits for an unreachable node when it resolves tags, but not for a missing block', async () => {
    let rejections = 0
    proxy.reject = ({ method }) =>
      method === 'eth_blockNumber' && rejections++ < 2 ? { code: 429, message: 'slow down' } : undefined
    expect(await getAllLogs(node, { fromBlock: '0x0', toBlock: 'latest' })).toEqual(
      await chain.logs(0, await chain.height()),
    )
    expect(rejections).toBe(3)
    proxy.reject = ({ method }) =>
      method === 'eth_getBlockByNumber' ? { code: -39_001, message: 'Unknown block' } : undefined
    const error = await getAllLogs(node, { toBlock: 'finalized' }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'RPC_ERROR', details: { rpcCode: -39_001 } })
    expect(proxy.calls.filter(({ method }) => method === 'eth_getBlockByNumber')).toHaveLength(1)
  })

  it('resolves tags once, at the start', async () => {
    const lists = getLogs(node, { fromBlock: 'earliest', toBlock: 'latest' }, { maxRange: 50 })
    const firstLogs = (await lists.next()).value ?? []
    await chain.mine(1)
    for await (const logs of lists) firstLogs.push(...logs)
    expect(firstLogs).toEqual(all)
    const safe = await getAllLogs(node, { fromBlock: '0x0', toBlock: 'finalized' })
    const finalized = await chain.call<{ number: string }>('eth_getBlockByNumber', 'finalized', false)
    expect(safe).toEqual(matching(0, Number(finalized.number), []))
  })

  it('returns the logs of one block by its hash', async () => {
    const { blockHash } = all.at(-1) as Log
    const filter = { blockHash: blockHash as string }
    expect(await getAllLogs(node, filter)).toEqual(all.filter((log) => log.blockHash === blockHash))
  })

  it('ends with the reason of the signal, and rejects invalid filters', async () => {
    const reason = new Error('enough')
    const filter = { fromBlock: '0x0', toBlock: 'latest' } as const
    await expect(getAllLogs(node, filter, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(() => getLogs(node, filter, { maxRange: 0 })).toThrow('maxRange')
    expect(() => getLogs(node, filter, { retries: Number.NaN })).toThrow('retries')
    await expect(getAllLogs(node, { ...filter, toBlock: 'pending' })).rejects.toThrow('toBlock')
  })
})
