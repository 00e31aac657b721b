import type { MethodCall } from '@fairlead/gateway-evm/testing/method-calls'
import type { RequestFn } from './rpc-client.ts'

/** A call of the differential run. */
export interface Case {
  readonly method: string
  readonly params: readonly unknown[]
  readonly isMalformed: boolean
}

/** Objects that exist on the chain. */
export interface Sample {
  readonly account: string
  readonly contract: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionHash: string
}

// Stores 42 at slot 0 and logs it; its runtime code is one STOP.
const creation = '0x602a5f55602a5f5260205fa05f5f5360015ff3'
const unknownFilter = '0x1'
const zeroHash = `0x${'00'.repeat(32)}`
const malformed: readonly unknown[] = [null, 5, true, 'zz', '0x', {}, []]

/** Mines a block with a transfer and one with a contract. */
export async function fillChain(request: RequestFn): Promise<Sample> {
  const [account] = (await request('eth_accounts', [])).result as readonly [string]
  const transfer = { from: account, to: `0x${'12'.repeat(20)}`, value: '0x1' }
  await receiptOf(request, transfer)
  const { contractAddress, blockHash, blockNumber, transactionHash } = await createContract(request, account)
  return { account, contract: contractAddress, blockHash, blockNumber, transactionHash }
}

/** Creates a contract that emits one log. */
export async function createContract(request: RequestFn, account: string): Promise<Receipt> {
  return receiptOf(request, { from: account, data: creation, gas: '0x30d40' })
}

/** Returns objects that exist on a chain with transactions. */
export async function sampleOf(request: RequestFn): Promise<Sample> {
  const { result } = await request('eth_getBlockByNumber', ['latest', false])
  const { number, hash, transactions } = result as {
    readonly number: string
    readonly hash: string
    readonly transactions: readonly string[]
  }
  const transactionHash = transactions[0] ?? zeroHash
  const receipt = (await request('eth_getTransactionReceipt', [transactionHash])).result as Partial<
    Record<'from' | 'to' | 'contractAddress', string>
  > | null
  const account = receipt?.from ?? `0x${'00'.repeat(20)}`
  return {
    account,
    contract: receipt?.contractAddress ?? receipt?.to ?? account,
    blockHash: hash,
    blockNumber: number,
    transactionHash,
  }
}

interface Receipt {
  readonly contractAddress: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionHash: string
}

async function receiptOf(request: RequestFn, transaction: object): Promise<Receipt> {
  const { result: hash, error } = await request('eth_sendTransaction', [transaction])
  if (error) throw new Error(JSON.stringify(error))
  for (;;) {
    const { result } = await request('eth_getTransactionReceipt', [hash])
    if (result) return result as Receipt
  }
}

/**
 * Calls of every method: valid parameters, and invalid ones derived from them, with one parameter fewer or more, and
 * with each parameter replaced by values of other types.
 *
 * @param calls - one valid call of each method
 */
export function casesOf(calls: readonly MethodCall[], sample: Sample): readonly Case[] {
  const known = validParams(sample)
  return calls.flatMap(({ method: { name }, params }) => {
    const forms = known[name] ?? [params]
    const [first = []] = forms
    const replaced = first.flatMap((_, at) => malformed.map((value) => first.with(at, value)))
    const derived = [first.slice(0, -1), [...first, '0x1', null], ...replaced]
    const toCase = (isMalformed: boolean) => (callParams: readonly unknown[]) => ({
      method: name,
      params: callParams,
      isMalformed,
    })
    return [...forms.map(toCase(false)), ...derived.map(toCase(true))]
  })
}

type Forms = readonly (readonly unknown[])[]

function validParams({
  account,
  contract,
  blockHash,
  blockNumber,
  transactionHash,
}: Sample): Readonly<Record<string, Forms>> {
  const tags = ['latest', 'earliest', 'safe', 'finalized', blockNumber, '0xffffff']
  const blocks = [...tags, { blockHash }, { blockNumber }, { blockHash: zeroHash }]
  const call = { to: contract, data: '0x' }
  const transfer = { from: account, to: contract, value: '0x1' }
  const filter = { fromBlock: '0x0', toBlock: 'latest' }
  const tracer = { tracer: 'callTracer' }
  const atBlocks = (...params: readonly unknown[]) => blocks.map((block) => [...params, block])
  return {
    debug_getRawBlock: tags.map((tag) => [tag]),
    debug_getRawHeader: tags.map((tag) => [tag]),
    debug_getRawReceipts: tags.map((tag) => [tag]),
    debug_getRawTransaction: [[transactionHash], [zeroHash]],
    debug_traceBlockByHash: [
      [blockHash, tracer],
      [zeroHash, tracer],
    ],
    debug_traceBlockByNumber: [[blockNumber, tracer]],
    debug_traceCall: [[call, 'latest', tracer]],
    debug_traceTransaction: [
      [transactionHash, tracer],
      [zeroHash, tracer],
      [transactionHash, { tracer: 'prestateTracer' }],
    ],
    eth_blobBaseFee: [[]],
    eth_blockNumber: [[]],
    eth_call: atBlocks(call),
    eth_chainId: [[]],
    eth_createAccessList: [[transfer, 'latest']],
    eth_estimateGas: [[transfer], [transfer, 'latest'], [{ ...transfer, value: `0x${'f'.repeat(64)}` }]],
    eth_feeHistory: [
      ['0x2', 'latest', [25, 75]],
      ['0x0', 'latest', []],
      ['0x2', 'latest', [75, 25]],
    ],
    eth_gasPrice: [[]],
    eth_getBalance: atBlocks(account),
    eth_getBlockByHash: [
      [blockHash, true],
      [blockHash, false],
      [zeroHash, false],
    ],
    eth_getBlockByNumber: tags.flatMap((tag) => [
      [tag, true],
      [tag, false],
    ]),
    eth_getBlockReceipts: [[blockHash], ...tags.map((tag) => [tag])],
    eth_getBlockTransactionCountByHash: [[blockHash], [zeroHash]],
    eth_getBlockTransactionCountByNumber: tags.map((tag) => [tag]),
    eth_getCode: atBlocks(contract),
    eth_getFilterChanges: [[unknownFilter]],
    eth_getFilterLogs: [[unknownFilter]],
    eth_getLogs: [
      [filter],
      [{ ...filter, address: contract }],
      [{ blockHash }],
      [{ fromBlock: '0x2', toBlock: '0x1' }],
    ],
    eth_getProof: [[contract, ['0x0'], 'latest']],
    eth_getStorageAt: atBlocks(contract, '0x0'),
    eth_getTransactionByBlockHashAndIndex: [
      [blockHash, '0x0'],
      [blockHash, '0x9'],
    ],
    eth_getTransactionByBlockNumberAndIndex: [
      [blockNumber, '0x0'],
      ['latest', '0x9'],
    ],
    eth_getTransactionByHash: [[transactionHash], [zeroHash]],
    eth_getTransactionCount: atBlocks(account),
    eth_getTransactionReceipt: [[transactionHash], [zeroHash]],
    eth_maxPriorityFeePerGas: [[]],
    eth_sendRawTransaction: [['0x00'], ['0x02c0']],
    eth_simulateV1: [[{ blockStateCalls: [{ calls: [call] }] }, 'latest']],
    eth_syncing: [[]],
    eth_uninstallFilter: [[unknownFilter]],
    net_listening: [[]],
    net_peerCount: [[]],
    net_version: [[]],
    txpool_content: [[]],
    txpool_inspect: [[]],
    txpool_status: [[]],
    web3_clientVersion: [[]],
    web3_sha3: [['0x68656c6c6f']],
  }
}
