import type { EvmExample } from '@fairlead/devnet'
import { document, methods, schemas } from '@fairlead/evm-rpc/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  address,
  essence,
  slot,
  startTracedChain,
  type Trace,
  type TracedChain,
  type Transaction,
  word,
} from '../testing/traced-chain.ts'

interface Failure {
  readonly code: number
  readonly message: string
}

let chain: TracedChain
let example: EvmExample
let simulate: TracedChain['simulate']
let mined: TracedChain['mined']
let rpc: TracedChain['rpc']

// Hand-assembled contracts, one for each feature.
const contracts = {
  // Stores the second word of the call data under the first one.
  store: [address('c0de01'), '6020356000355500'],
  // Returns what is stored under the first word.
  load: [address('c0de02'), '6000355460005260206000f3'],
  revert: [address('c0de03'), '61dead60005260206000fd'],
  // Creates a contract of one byte and returns its address, or zero when that failed.
  create: [address('c0de04'), '69600160005360016000f3600052600a60166000f060005260206000f3'],
  create2: [address('c0de05'), '69600160005360016000f36000526000600a60166000f560005260206000f3'],
  // Creates a contract that self-destructs immediately.
  vanish: [address('c0de06'), '6133ff6000526002601e6000f060005260206000f3'],
  loop: [address('c0de07'), '5b600056'],
  // Forwards its call data to a contract that stores it in its own storage.
  pass: [address('c0de08'), `36600060003760006000366000600073${address('c0de01').slice(2)}5af100`],
  balance: [address('c0de09'), '33316000524760205260406000f3'],
  // Reads number, timestamp, coinbase, randomness, gas limit and base fee of the block.
  environment: [address('c0de0a'), '43424144454800'],
  // Returns the value in transient storage and writes a one there.
  transient: [address('c0de0b'), '5f5c60005260015f5d60206000f3'],
  // Counts its calls in slot 0.
  count: [address('c0de0c'), '6000546001018060005560005260206000f3'],
} as const

type ContractName = keyof typeof contracts

async function rejection(...params: unknown[]): Promise<Failure> {
  const error: unknown = await simulate(...params).catch((reason: unknown) => reason)
  if (error instanceof Error) return { code: (error as Error & Failure).code, message: error.message }
  throw new Error('There was no error.')
}

function to(name: ContractName, more: Partial<Transaction> & { words?: readonly (number | string)[] } = {}) {
  const { words = [], ...rest } = more
  const transaction: Transaction = {
    from: example.account,
    to: contracts[name][0],
    gas: '0x30d40',
    gasPrice: '0x77359400',
    ...(words.length > 0 && { data: `0x${words.map(word).join('')}` }),
    ...rest,
  }
  return transaction
}

const head = async () => ({
  blockNumber: await rpc<string>('eth_blockNumber'),
  transactionIndex: -1,
})

const returned = (trace: Trace | undefined) => BigInt(trace?.returnValue ?? '0x')

beforeAll(async () => {
  chain = await startTracedChain(contracts)
  ;({ example, simulate, mined, rpc } = chain)
  await rpc('anvil_setStorageAt', [contracts.store[0], slot(5), slot(55)])
  await rpc('anvil_setStorageAt', [contracts.load[0], slot(5), slot(66)])
  await rpc('evm_mine')
}, 60_000)

afterAll(() => chain.stop())

function tokenTransfer(from: string, receiver: string, amount: bigint): Transaction {
  const data = `0xa9059cbb${word(receiver)}${amount.toString(16).padStart(64, '0')}`
  return { from, to: example.contract, gas: '0x30d40', gasPrice: '0x77359400', data }
}

/** Transactions that depend on the state changes of earlier ones. */
function varied(): Transaction[][] {
  const { account, recipient } = example
  return [
    [
      tokenTransfer(account, recipient, 5n),
      tokenTransfer(recipient, account, 5n),
      tokenTransfer(recipient, account, 2n ** 200n),
      { from: recipient, to: account, value: '0xde0b6b3a7640000', gas: '0x5208', gasPrice: '0x77359400' },
      to('store', { words: [1, 11] }),
      to('store', { words: [1, 12], from: recipient }),
      to('store', { words: [5, 0] }),
      to('store', { words: [5, 0] }),
      to('store', { words: [1, 0] }),
      to('load', { words: [5] }),
      to('load', { words: [5] }),
      to('revert'),
      to('revert', { value: '0x5' }),
      to('create'),
      to('create'),
    ],
    [
      to('create2'),
      to('create2'),
      to('vanish'),
      to('vanish'),
      to('loop', { gas: '0x7530' }),
      to('loop', { value: '0x1', gas: '0x7530' }),
      to('pass', { words: [9, 99] }),
      to('pass', { words: [9, 0] }),
      to('pass', { words: [5, 1] }),
      to('balance', { value: '0x7' }),
      to('balance', { value: '0x7', from: recipient }),
      to('transient'),
      to('transient'),
      to('count'),
      to('count', { gas: '0x6000' }),
    ],
    [to('count'), to('count'), tokenTransfer(account, address('abc'), 1n), to('store', { words: [5, 1] })],
  ]
}

describe('debug_traceCallMany', () => {
  it('returns the same steps as the mined transactions', async () => {
    const bundles = varied()
    const count = bundles.flat().length
    const simulated = await simulate(
      bundles.map((transactions) => ({ transactions })),
      await head(),
      {},
    )
    expect(simulated).toHaveLength(count)
    await mined(bundles, async (executed) => {
      expect(executed).toHaveLength(count)
      for (const [position, trace] of executed.entries()) {
        const other = simulated[position] as Trace
        expect({ position, ...essence(other) }).toEqual({ position, ...essence(trace) })
        expect(other.gas).toBe(Number(bundles.flat()[position]?.gas))
      }
      // The comparison is meaningful only with enough data.
      expect(executed.flatMap(({ structLogs }) => structLogs).length).toBeGreaterThan(2_000)
      expect(executed.filter(({ failed }) => failed)).toHaveLength(6)
    })
  })

  it('returns what the specification defines, with words as hex strings', async () => {
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema({ $id: document, components: { schemas } })
    const result = await simulate([{ transactions: [to('revert'), to('create')] }], await head())
    expect(ajv.validate(methods.debug_traceCallMany.result, result)).toBe(true)
    const [trace] = result
    expect(trace).toMatchObject({ failed: true, returnValue: slot(0xdead), gas: 200_000 })
    expect(trace?.structLogs.at(-1)).toMatchObject({
      op: 'REVERT',
      pc: 10,
      depth: 1,
      stack: ['0x20', '0x0'],
      memory: [slot(0xdead)],
    })
  })

  it('never changes the chain, the pool and the state', async () => {
    const { account, recipient, contract } = example
    await rpc('evm_setAutomine', [false])
    const pending = { from: recipient, to: account, value: '0x1', gas: '0x5208' }
    await rpc('eth_sendTransaction', [pending])
    const readState = async () => [
      await rpc('eth_getBlockByNumber', ['latest', true]),
      await rpc('txpool_content'),
      await Promise.all(
        [account, recipient, contract].map((holder) => rpc('eth_getBalance', [holder, 'latest'])),
      ),
      await Promise.all(
        [contracts.store, contracts.count].map(([at]) => rpc('eth_getStorageAt', [at, '0x0', 'latest'])),
      ),
      await rpc('eth_getTransactionCount', [account, 'pending']),
    ]
    const before = await readState()
    const state = { isDone: false }
    const bundles = varied().map((transactions) => ({ transactions }))
    const work = head()
      .then((context) => Promise.all([simulate(bundles, context), simulate(bundles, context)]))
      .finally(() => (state.isDone = true))
    let reads = 0
    while (!state.isDone) {
      expect(await readState()).toEqual(before)
      reads += 1
    }
    const [first, second] = await work
    expect(first).toEqual(second)
    expect(reads).toBeGreaterThan(1)
    expect(await readState()).toEqual(before)
    await rpc('anvil_dropAllTransactions')
    await rpc('evm_setAutomine', [true])
  })

  it('starts before any transaction of a block, in the environment of that block', async () => {
    const transactions = [
      to('count'),
      to('count', { from: example.recipient }),
      to('environment'),
      to('store', { words: [7, 7] }),
      to('count'),
    ]
    await mined([transactions], async (executed, { number: blockNumber }) => {
      for (const transactionIndex of executed.keys()) {
        const rest = transactions.slice(transactionIndex)
        const traces = await simulate([{ transactions: rest }], { blockNumber, transactionIndex })
        expect(traces.map(essence)).toEqual(executed.slice(transactionIndex).map(essence))
      }
      expect(executed[2]?.structLogs.at(-1)?.stack[0]).toBe(blockNumber)
      for (const transactionIndex of [-1, 5, 1_000]) {
        const [after] = await simulate([{ transactions: [to('count')] }], { blockNumber, transactionIndex })
        expect(returned(after)).toBe(4n)
      }
    })
  })

  it('starts at an earlier block in the same way as at the latest one', async () => {
    const past = await head()
    await mined([[to('count')], [to('count')]], async () => {
      const [trace] = await simulate([{ transactions: [to('count')] }], past)
      expect(returned(trace)).toBe(1n)
      const [genesis] = await simulate([{ transactions: [to('environment', { gasPrice: '0x0' })] }], {
        blockNumber: '0x0',
        transactionIndex: 0,
      })
      expect(genesis?.structLogs).toEqual([])
    })
  })

  it('counts blocks from bundle to bundle, and from the override when a bundle has one', async () => {
    const { blockNumber, transactionIndex } = await head()
    const transactions = [to('environment'), to('environment')]
    const traces = await simulate(
      [
        { transactions },
        { transactions },
        { transactions, blockOverride: { blockNumber: '0x1000' } },
        { transactions, blockOverride: {} },
      ],
      { blockNumber, transactionIndex },
    )
    const number = Number(blockNumber)
    const seen = traces.map(({ structLogs }) => Number(structLogs.at(-1)?.stack[0]))
    expect(seen).toEqual([number, number, number + 1, number + 1, 0x1000, 0x1000, 0x1001, 0x1001])
    const times = traces.map(({ structLogs }) => Number(structLogs.at(-1)?.stack[1]))
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
  })

  it('applies balance, nonce, code and storage overrides, which transactions can change', async () => {
    const poor = address('1a2b3c')
    const checksummed = poor.toUpperCase().replace('0X', '0x')
    const stateOverrides = {
      [checksummed]: { balance: '0xde0b6b3a7640000' },
      [address('face')]: {
        code: `0x${contracts.load[1]}`,
        state: { [slot(0xab).toUpperCase().replace('0X', '0x')]: slot(1) },
      },
      [contracts.load[0]]: { stateDiff: { [slot(6)]: slot(67) } },
      [contracts.store[0]]: { code: `0x${contracts.count[1]}`, state: {} },
      [contracts.count[0]]: { state: { [slot(0)]: slot(41) } },
      [contracts.create[0]]: { nonce: '0x99' },
    }
    const transactions = [
      to('balance', { from: poor, value: '0x10' }),
      { ...to('load', { words: [0xab] }), to: address('face') },
      to('load', { words: [6] }),
      to('load', { words: [5] }),
      to('store'),
      to('store'),
      to('count'),
      to('count'),
      to('create'),
    ]
    const simulated = await simulate([{ transactions }], await head(), stateOverrides)
    expect(simulated.slice(1, 8).map(returned)).toEqual([1n, 67n, 66n, 1n, 2n, 42n, 43n])
    const [first] = simulated
    expect(BigInt(first?.returnValue.slice(0, 66) ?? 0)).toBeGreaterThan(0n)
    expect(BigInt(`0x${first?.returnValue.slice(66)}`)).toBe(16n)
    const [created] = await simulate([{ transactions: [to('create')] }], await head())
    expect(returned(simulated[8])).not.toBe(returned(created))
    expect(await simulate([{ transactions }], await head(), { stateOverrides, enableMemory: true })).toEqual(
      simulated,
    )
  })

  it('runs a transaction without sender, gas and price with the gas of a block', async () => {
    const [trace] = await simulate([{ transactions: [{ to: contracts.count[0], gas: '0x0' }] }], await head())
    expect(trace).toMatchObject({ gas: 30_000_000, failed: false, returnValue: slot(1) })
  })

  it('returns the error of the node when a transaction cannot start', async () => {
    const context = await head()
    const unfunded = to('count', { from: address('dead') })
    expect(await rejection([{ transactions: [to('count'), unfunded] }], context)).toMatchObject({
      code: -32003,
    })
    expect(await rejection([{ transactions: [to('count', { gas: '0x10' })] }], context)).toMatchObject({
      code: -32000,
    })
  })

  const anywhere = { to: address('1') }
  const context = { blockNumber: '0x1', transactionIndex: 0 }
  it.each([
    ['no bundles', [[], context], -32602, 'bundles must contain'],
    [
      'empty bundles',
      [[{ transactions: [] }, { transactions: [] }], context],
      -32602,
      'bundles must contain',
    ],
    [
      'an unknown block',
      [[{ transactions: [anywhere] }], { ...context, blockNumber: '0xffff' }],
      -32001,
      '65535',
    ],
    [
      'an index below -1',
      [[{ transactions: [anywhere] }], { ...context, transactionIndex: -2 }],
      -32602,
      'Index',
    ],
    ['a fraction', [[{ transactions: [anywhere] }], { ...context, transactionIndex: 0.5 }], -32602, 'Index'],
    ['a tag', [[{ transactions: [anywhere] }], { ...context, blockNumber: 'latest' }], -32602, 'blockNumber'],
    ['no context', [[{ transactions: [anywhere] }]], -32602, 'simulationContext'],
    ['no bundle list', [{ transactions: [anywhere] }, context], -32602, 'bundles must be array'],
    ['no transactions', [[{}], context], -32602, 'bundles[0]'],
    ['no receiver', [[{ transactions: [anywhere, {}] }], context], -32602, 'bundles[0].transactions[1]'],
    ['a bad address', [[{ transactions: [{ to: '0x1' }] }], context], -32602, 'transactions[0].to'],
    ['bad gas', [[{ transactions: [{ ...anywhere, gas: 1 }] }], context], -32602, 'transactions[0].gas'],
    ['odd data', [[{ transactions: [{ ...anywhere, data: '0x1' }] }], context], -32602, 'data'],
    [
      'a bad override of the block',
      [[{ transactions: [anywhere], blockOverride: { blockNumber: 1 } }], context],
      -32602,
      'blockOverride.blockNumber',
    ],
    ['overrides by name', [[{ transactions: [anywhere] }], context, { bob: {} }], -32602, 'stateOverrides'],
    [
      'overrides of both kinds',
      [[{ transactions: [anywhere] }], context, { [address('1')]: { state: {}, stateDiff: {} } }],
      -32602,
      'must not have both',
    ],
  ])('rejects %s and names the position', async (_, params, code, message) => {
    expect(await rejection(...params)).toEqual({ code, message: expect.stringContaining(message) })
  })
})
