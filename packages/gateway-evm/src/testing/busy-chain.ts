import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EvmExample, type EvmDevnetChain, startDevnet } from '@fairlead/devnet'
import { address, rpcOf } from './traced-chain.ts'

/** Receives the value of the transaction. */
export const receiver = address('5000')
/** Receives the balance of the self-destructing contract. */
export const beneficiary = address('5001')

/** Contracts that one transaction calls in sequence. */
export const contracts = {
  /**
   * Calls with and without value, calls statically, delegates, calls a precompiled contract, creates twice, and calls a
   * contract that reverts.
   */
  busy: [
    address('b001'),
    [
      `6000600060006000600173${receiver.slice(2)}5af150`,
      `6000600060006000600073${receiver.slice(2)}5af150`,
      `600060006000600073${address('b002').slice(2)}5afa50`,
      `600060006000600073${address('b002').slice(2)}5af450`,
      '600060006000600060045afa50',
      '69600160005360016000f3600052600a60166002f050',
      '69600160005360016000f36000526000600a60166000f550',
      `6000600060006000600073${address('b003').slice(2)}5af150`,
      `6000600060006000600373${address('b004').slice(2)}5af150`,
      '00',
    ].join(''),
  ],
  empty: [address('b002'), '00'],
  revert: [address('b003'), '61dead60005260206000fd'],
  destroy: [address('b004'), `73${beneficiary.slice(2)}ff`],
} as const

/** A chain whose latest block contains a transaction with one operation of each kind. */
export interface BusyChain {
  readonly node: string
  readonly example: EvmExample
  readonly busy: { readonly hash: string; readonly block: string; readonly blockHash: string }
  /** Calls the upstream directly. */
  rpc<result>(method: string, ...params: unknown[]): Promise<result>
  stop(): Promise<void>
}

/** Starts a chain and sends the transaction. */
export async function startBusyChain(): Promise<BusyChain> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-adapters-'))
  const devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
  const [chain] = devnet.chains as readonly EvmDevnetChain[]
  if (!chain) throw new Error('no chain')
  const { url: node, example } = chain
  const rpc: BusyChain['rpc'] = (method, ...params) => rpcOf(node, method, params)
  for (const [at, code] of Object.values(contracts)) await rpc('anvil_setCode', at, `0x${code}`)
  const receipt = await rpc<
    Readonly<Record<'transactionHash' | 'blockNumber' | 'blockHash' | 'status', string>>
  >('eth_sendTransactionSync', {
    from: example.account,
    to: contracts.busy[0],
    value: '0xff',
    gas: '0x7a120',
    data: '0x12345678',
  })
  if (receipt.status !== '0x1') throw new Error('The transaction failed.')
  return {
    node,
    example,
    busy: { hash: receipt.transactionHash, block: receipt.blockNumber, blockHash: receipt.blockHash },
    rpc,
    stop: async () => {
      await devnet.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
