import { describe, expect, it } from 'vitest'
import { adapted, type Scripted, scriptedNode } from '../testing/adapted-node.ts'

const many = 'debug_traceCallMany'
const to = `0x${'5'.repeat(40)}`
const block = {
  number: '0x9',
  timestamp: '0x64',
  gasLimit: '0x1c9c380',
  miner: to,
  transactions: [hashOf(1), hashOf(2)],
}
const erigon = { web3_clientVersion: { result: 'erigon/3.1.0/linux-amd64/go1.24.2' } }
const reth = { web3_clientVersion: { result: 'reth/v1.6.0-8f3b8a1/x86_64-unknown-linux-gnu' } }
const trace = (gas: number) => ({
  gas,
  failed: false,
  returnValue: '2a',
  structLogs: [{ pc: 0, op: 'STOP', gas: 1, gasCost: 0, depth: 1, stack: ['0x0'] }],
})
const supported = (gas: number, gasUsed: number) => ({
  gas,
  gasUsed,
  failed: false,
  returnValue: '0x2a',
  structLogs: [{ pc: 0, op: 'STOP', gas: 1, gasCost: 0, depth: 1, stack: ['0x0'], memory: [] }],
})

function hashOf(digit: number): string {
  return `0x${String(digit).repeat(64)}`
}

/** Scripts of an upstream whose own method returns the given response, with one call tracer for everything else. */
const withNativeMethod = (native: Scripted): Readonly<Record<string, Scripted>> => ({
  eth_getBlockByNumber: ([number]) => ({ result: number === '0x9' ? block : null }),
  debug_traceCall: ([, , options]) => ({
    result: (options as { tracer?: string }).tracer ? { pre: {}, post: {} } : trace(5),
  }),
  debug_traceBlockByNumber: { result: [{ result: { pre: {}, post: {} } }] },
  [many]: native,
})

const methodsOf = (received: readonly (readonly unknown[])[]) => received.map(([method]) => method)
const after = { blockNumber: '0x9', transactionIndex: -1 }

describe('a node that has debug_traceCallMany', () => {
  it('is called in its native format, and its traces are flattened and completed', async () => {
    const node = await scriptedNode({
      ...reth,
      ...withNativeMethod({ result: [[trace(21_000), trace(22_000)]] }),
    })
    const overrides = { [to]: { balance: '0x1' } }
    const transactions = [{ to, gas: '0xffff', value: '0x1' }, { to }]
    expect(await adapted(node.url)(many, [{ transactions }], after, overrides)).toEqual([
      supported(0xffff, 21_000),
      supported(30_000_000, 22_000),
    ])
    expect(node.received.at(-1)).toEqual([
      many,
      [{ transactions: [transactions[0], { to, gas: '0x1c9c380' }] }],
      after,
      { enableMemory: true, disableMemory: false, stateOverrides: overrides },
    ])
  })

  it('is not called where clients differ: inside a block, and for the time of a second block', async () => {
    const two = [{ transactions: [{ to }] }, { transactions: [{ to }] }]
    const native: Scripted = { result: [[trace(1)], [trace(2)]] }
    for (const [client, bundles, transactionIndex, isCalled] of [
      [reth, two, -1, false],
      [reth, [two[0]], 0, false],
      [erigon, two, -1, true],
      [erigon, two, 1, false],
    ] as const) {
      const node = await scriptedNode({ ...client, ...withNativeMethod(native) })
      const traces = await adapted(node.url)(many, bundles, { blockNumber: '0x9', transactionIndex })
      expect(traces).toHaveLength(bundles.length)
      expect(methodsOf(node.received).includes(many)).toBe(isCalled)
    }
  })

  it('is called once when it does not have the method', async () => {
    const error = { code: -32601, message: 'Method not found' }
    const node = await scriptedNode({ ...reth, ...withNativeMethod({ error }) })
    const call = adapted(node.url)
    for (let time = 0; time < 3; time += 1) {
      expect(await call(many, [{ transactions: [{ to }] }], after)).toEqual([supported(30_000_000, 5)])
    }
    expect(methodsOf(node.received).filter((method) => method === many)).toHaveLength(1)
  })

  it('has its error passed through when it rejects the bundles', async () => {
    const error = { code: -32000, message: 'insufficient funds for gas * price + value' }
    const node = await scriptedNode({ ...reth, ...withNativeMethod({ error }) })
    const rejected = adapted(node.url)(many, [{ transactions: [{ to }] }], after)
    await expect(rejected).rejects.toMatchObject(error)
  })

  it.each([[[[]]], [[]], [null], [[[{}]]], [[[trace(1), trace(2)]]]])(
    'is not trusted when it returns %j',
    async (result) => {
      const node = await scriptedNode({ ...reth, ...withNativeMethod({ result }) })
      const response = adapted(node.url)(many, [{ transactions: [{ to }] }], after)
      await expect(response).rejects.toMatchObject({ kind: 'malformed', status: 502 })
    },
  )

  it('is not called for a block that does not exist', async () => {
    const node = await scriptedNode({ ...reth, ...withNativeMethod({ result: [] }) })
    const response = adapted(node.url)(many, [{ transactions: [{ to }] }], { ...after, blockNumber: '0xff' })
    await expect(response).rejects.toMatchObject({ code: -32001, message: 'The block 255 is not known.' })
  })
})

describe('the third parameter', () => {
  const bundles = [{ transactions: [{ to }] }]
  const overrides = { [to]: { nonce: '0x5' } }

  it.each<[string, unknown, unknown]>([
    ['overrides by address', overrides, overrides],
    ['nothing', {}, {}],
    ['options with overrides', { stateOverrides: overrides, enableMemory: true }, overrides],
    ['options without overrides', { enableMemory: true, disableStack: false, timeout: '5s' }, {}],
    ['options whose overrides are null', { stateOverrides: null }, {}],
  ])('may be %s', async (_, third, stateOverrides) => {
    const node = await scriptedNode({ ...reth, ...withNativeMethod({ result: [[trace(1)]] }) })
    await adapted(node.url)(many, bundles, after, third)
    expect(node.received.at(-1)?.[3]).toMatchObject({ stateOverrides })
  })

  it.each<[string, unknown, string]>([
    ['a tracer', { tracer: 'callTracer' }, 'tracer'],
    ['overrides among options', { enableMemory: true, [to]: {} }, 'stateOverrides'],
    ['neither', { bob: {} }, 'stateOverrides'],
    ['a list', [], 'stateOverrides'],
    ['options with overrides by name', { stateOverrides: { bob: {} } }, 'stateOverrides'],
  ])('may not be %s', async (_, third, message) => {
    const node = await scriptedNode({ ...reth, ...withNativeMethod({ result: [[trace(1)]] }) })
    await expect(adapted(node.url)(many, bundles, after, third)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message) as string,
    })
    expect(node.received).toEqual([])
  })
})
