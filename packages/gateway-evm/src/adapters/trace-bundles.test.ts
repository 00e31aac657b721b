import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  address,
  essence,
  slot,
  startTracedChain,
  type TracedChain,
  type Transaction,
  word,
} from '../testing/traced-chain.ts'

// Hand-assembled contracts, one for each feature.
const contracts = {
  // Counts its calls in slot 0 and returns the count.
  count: [address('c0de0c'), '6000546001018060005560005260206000f3'],
  // Stores the block number under the block timestamp.
  diary: [address('c0de20'), '434255434260005260205260406000f3'],
  // Reads number, timestamp, coinbase, randomness, gas limit, base fee and chain id of the block, and the gas price of
  // the transaction.
  environment: [address('c0de21'), '434241444548463a00'],
  // Self-destructs. It existed before, so its code remains and its balance is transferred.
  destroy: [address('c0de22'), `73${address('c0de2f').slice(2)}ff`],
  balances: [address('c0de23'), `73${address('c0de22').slice(2)}3173${address('c0de2f').slice(2)}3100`],
  // Creates a counter if it has none yet, and calls it: the second transaction finds the counter of the first one.
  factory: [
    address('c0de24'),
    '6000548060325750' +
      '7a716000546001018060005560005260206000f36000526012600ef3' +
      '600052601b60056000f0806000555b60206000600060006000855af15060206000f3',
  ],
  // Writes, then calls a contract that writes and reverts, and returns both slots.
  nested: [
    address('c0de25'),
    `600160005560006000600060006000600073${address('c0de26').slice(2)}5af16001556000545f5260015460205260406000f3`,
  ],
  undone: [address('c0de26'), '600760075560006000fd'],
  // Emits two events, one with three topics.
  events: [address('c0de27'), '602a60005260206000a0600360026001602060006000a300'],
  // Writes inside a static call: the call fails, the caller continues.
  guarded: [address('c0de28'), `602060006000600073${address('c0de0c').slice(2)}5afa60005260206000f3`],
  // Hashes the call data with a precompiled contract.
  hash: [address('c0de29'), '36600060003760206000366000600060025af15060206000f3'],
  // Calls itself until the gas is used up.
  deep: [address('c0de2a'), '60006000600060006000306150005a03f100'],
  // Delegates to the counter, with its own storage.
  delegate: [address('c0de2b'), `602060006000600073${address('c0de0c').slice(2)}5af45060206000f3`],
  // Forwards the received value, and returns the receiver's balance.
  forwarder: [
    address('c0de2c'),
    `60006000600060003473${address('c0de2e').slice(2)}5af15073${address('c0de2e').slice(2)}3160005260206000f3`,
  ],
  // Uses a hundred words of memory.
  memory: [address('c0de2d'), '60ff610c805200'],
  invalid: [address('c0de30'), 'fe'],
} as const

type ContractName = keyof typeof contracts

// An account that delegates to the code of other contracts. The authorizations are signed for chain 31337 with the key
// 0x11…11.
const authority = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
const authorizations = {
  counts: {
    chainId: '0x7a69',
    address: address('c0de0c'),
    nonce: '0x0',
    yParity: '0x1',
    r: '0xa89287155593300e574c1268895ec7bfb9b6c12de04ea9ec5c281b631f6122e5',
    s: '0x1ef97894707edd155b10d0fa1ee70cb2a9cccb0f8c87a0e661dd5e0e63500130',
  },
  nothing: {
    chainId: '0x7a69',
    address: address('0'),
    nonce: '0x1',
    yParity: '0x0',
    r: '0x972959d39b5ea31e6dbb38f44067b1f244cb93bf727685bf8ba748e91547b2fd',
    s: '0x72409515e003c4b0852631499389b738cb54c680810e4707c4ddb9a70192150a',
  },
} as const

let chain: TracedChain

function to(name: ContractName, more: Partial<Transaction> = {}): Transaction {
  const gasPrice = more.maxFeePerGas === undefined ? { gasPrice: '0x77359400' } : {}
  return { from: chain.example.account, to: contracts[name][0], gas: '0x30d40', ...gasPrice, ...more }
}

const feeMarket = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00' }
const setCode = (name: keyof typeof authorizations, receiver = authority): Transaction => ({
  ...to('count', { ...feeMarket, authorizationList: [authorizations[name]] }),
  to: receiver,
})

/** Transactions of each kind. Later ones depend on the state changes of earlier ones. */
function kinds(): Transaction[] {
  const { account, recipient, contract } = chain.example
  const [countAt] = contracts.count
  return [
    to('count'),
    to('count', { from: recipient }),
    // Access lists: a slot that is read, one that is not, and accounts only.
    to('count', { accessList: [{ address: countAt, storageKeys: [slot(0), slot(1)] }] }),
    to('diary', { accessList: [{ address: account, storageKeys: [] }] }),
    // Fees of both kinds.
    to('environment', feeMarket),
    to('environment'),
    to('environment', { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x0', from: recipient }),
    // Self-destruction, and the balances before and after.
    to('balances'),
    to('destroy', { value: '0x9' }),
    to('balances'),
    to('destroy', { from: recipient }),
    // Creation, and a call of what was created.
    to('factory'),
    to('factory'),
    // Reverts of inner and outer calls, and their remaining effects.
    to('nested'),
    to('undone', { value: '0x1' }),
    to('nested'),
    to('invalid'),
    to('events'),
    to('guarded'),
    to('hash', { data: `0x${word(1)}${word(2)}` }),
    to('deep', { gas: '0x186a0' }),
    to('delegate'),
    to('delegate'),
    to('forwarder', { value: '0x7' }),
    to('forwarder', { value: '0x8', from: recipient }),
    to('memory'),
    // An account that delegates, is called itself and by others, and removes the delegation.
    { ...to('count'), to: authority },
    setCode('counts'),
    { ...to('count'), to: authority },
    to('count', { authorizationList: [authorizations.counts], ...feeMarket }),
    setCode('nothing', countAt),
    { ...to('count'), to: authority, value: '0x5' },
    {
      from: account,
      to: contract,
      gas: '0x30d40',
      gasPrice: '0x77359400',
      data: `0xa9059cbb${word(authority)}${word(3)}`,
    },
    { ...to('count', { value: '0x1' }), to: authority, gas: '0x5208' },
  ]
}

beforeAll(async () => {
  chain = await startTracedChain(contracts)
}, 60_000)

afterAll(() => chain.stop())

describe('a simulated transaction of any kind', () => {
  it('has the same steps as in its block, from any position in the block', async () => {
    const transactions = kinds()
    const count = transactions.length
    await chain.mined([transactions], async (executed, { number: blockNumber }) => {
      expect(executed).toHaveLength(count)
      for (const transactionIndex of [0, 1, 9, 16, 29, 31, count - 1]) {
        const rest = transactions.slice(transactionIndex)
        const simulated = await chain.simulate([{ transactions: rest }], { blockNumber, transactionIndex })
        for (const [offset, trace] of simulated.entries()) {
          const position = transactionIndex + offset
          const expected = { transactionIndex, position, ...essence(executed[position] as typeof trace) }
          expect({ transactionIndex, position, ...essence(trace) }).toEqual(expected)
        }
        expect(simulated).toHaveLength(rest.length)
      }
      // The comparison is meaningful only if every kind had its intended effect.
      const steps = executed.flatMap(({ structLogs }) => structLogs)
      const seen = new Set(steps.map(({ op }) => op))
      const wanted =
        'SELFDESTRUCT CREATE REVERT STATICCALL DELEGATECALL CALL LOG0 LOG3 NUMBER PREVRANDAO INVALID'
      const names = [...seen].map((op) => (op === 'DIFFICULTY' ? 'PREVRANDAO' : op))
      expect(wanted.split(' ').filter((op) => !names.includes(op))).toEqual([])
      expect(steps.length).toBeGreaterThan(500)
      expect([11, 12].map((position) => BigInt(executed[position]?.returnValue ?? 0))).toEqual([1n, 2n])
      const runs = [26, 27, 28, 31].map((position) => executed[position]?.structLogs.length)
      expect(runs.map((length) => length === 0)).toEqual([true, false, false, true])
    })
  })

  it('has them in bundles too, each in the next block or in the given one', async () => {
    const [countAt] = contracts.count
    const bundles = [
      [to('count'), setCode('counts'), to('factory')],
      [{ ...to('count'), to: authority }, to('nested'), to('destroy')],
      [to('count', { accessList: [{ address: countAt, storageKeys: [slot(0)] }] }), to('balances')],
      [setCode('nothing', countAt), { ...to('count'), to: authority }, to('factory')],
    ]
    const number = Number(await chain.rpc<string>('eth_blockNumber'))
    const numberOf = (index: number) => number + 1 + index + (index >= 2 ? 10 : 0)
    const context = { blockNumber: `0x${number.toString(16)}`, transactionIndex: -1 }
    // Appends a transaction that reads the block number, which must be the same in the simulation and on the chain.
    const diary = (transactions: Transaction[]) => [...transactions, to('environment')]
    const simulated = await chain.simulate(
      bundles.map((transactions, index) => ({
        transactions: diary(transactions),
        ...((index === 0 || index === 2) && {
          blockOverride: { blockNumber: `0x${numberOf(index).toString(16)}` },
        }),
      })),
      context,
    )
    const skip = (index: number) => (index === 2 ? chain.rpc('anvil_mine', ['0xa']) : Promise.resolve())
    await chain.mined(
      bundles.map(diary),
      async (executed) => {
        expect(simulated).toHaveLength(executed.length)
        let position = 0
        for (const [index, transactions] of bundles.entries()) {
          for (const _ of transactions) {
            const [one, other] = [simulated[position], executed[position]] as [
              (typeof executed)[0],
              (typeof executed)[0],
            ]
            expect({ position, ...essence(one) }).toEqual({ position, ...essence(other) })
            position += 1
          }
          const seen = [simulated[position], executed[position]].map((trace) => trace?.structLogs[1]?.stack)
          expect(seen).toEqual([[`0x${numberOf(index).toString(16)}`], [`0x${numberOf(index).toString(16)}`]])
          position += 1
        }
      },
      skip,
    )
  })

  it('changes no visible state before, during and after', async () => {
    const positions = [
      ...Object.values(contracts).map(([at]) => at),
      authority,
      address('c0de2e'),
      address('c0de2f'),
    ]
    const readState = async () => [
      await chain.rpc('eth_getBlockByNumber', ['latest', true]),
      await chain
        .rpc('eth_getBlockByNumber', ['pending', true])
        .then((block) => (block as { number: string }).number),
      await chain.rpc('txpool_content'),
      ...(await Promise.all(
        positions.flatMap((at) => [
          chain.rpc('eth_getBalance', [at, 'latest']),
          chain.rpc('eth_getTransactionCount', [at, 'pending']),
          chain.rpc('eth_getCode', [at, 'latest']),
          chain.rpc('eth_getStorageAt', [at, '0x0', 'latest']),
        ]),
      )),
    ]
    const logs = await chain.rpc<string>('eth_newFilter', [{}])
    const blocks = await chain.rpc<string>('eth_newBlockFilter')
    const before = await readState()
    const state = { isDone: false }
    const context = { blockNumber: await chain.rpc<string>('eth_blockNumber'), transactionIndex: -1 }
    const work = Promise.all(
      [1, 2, 3].map(() =>
        chain.simulate([{ transactions: kinds() }, { transactions: kinds().slice(0, 9) }], context),
      ),
    ).finally(() => (state.isDone = true))
    let reads = 0
    while (!state.isDone) {
      expect(await readState()).toEqual(before)
      reads += 1
    }
    const [first, ...others] = await work
    for (const other of others) expect(other).toEqual(first)
    expect(reads).toBeGreaterThan(1)
    expect(await readState()).toEqual(before)
    for (const filter of [logs, blocks]) expect(await chain.rpc('eth_getFilterChanges', [filter])).toEqual([])
  })
})
