import { expect, onTestFinished, test } from 'vitest'
import { receiptOf, scratchDirectory } from '../../test/scratch.ts'
import { startDevnet, type EvmDevnetChain } from '../index.ts'
import { callEngine } from './json-rpc.ts'

interface Transaction {
  readonly hash: string
  readonly type: string
  readonly from: string
  readonly v: string
  readonly r: string
  readonly s: string
}

const curveOrder =
  0xff_ff_ff_ff_ff_ff_ff_ff_ff_ff_ff_ff_ff_ff_ff_fe_ba_ae_dc_e6_af_48_a0_3b_bf_d2_5e_8c_d0_36_41_41n

async function start(dataDirectory: string) {
  const devnet = await startDevnet({ dataDirectory, chains: ['evm'] })
  onTestFinished(() => devnet.stop())
  return { devnet, chain: devnet.chains[0] }
}

const isInOrder = (value: bigint) => value >= 1n && value < curveOrder

/** `sanityCheckSignature` of go-ethereum, core/types/transaction_marshalling.go. */
function passesSanityCheck({ type, v, r, s }: Transaction): boolean {
  const value = BigInt(v)
  const isProtected = value !== 0n && value !== 1n && value !== 27n && value !== 28n
  const isLegacy = type === '0x0'
  if (isProtected && (!isLegacy || value < 35n)) return false
  const parity = isProtected ? (value - 35n) % 2n : isLegacy ? value - 27n : value
  return (parity === 0n || parity === 1n) && isInOrder(BigInt(r)) && isInOrder(BigInt(s))
}

async function systemBlock({ url, example }: EvmDevnetChain) {
  const call = <result>(method: string, ...params: unknown[]) => callEngine<result>(url, method, params)
  const { system_block_hash: hash, system_block_number: number } = example
  const block = await call<{ transactions: Transaction[] }>('eth_getBlockByHash', hash, true)
  return { call, hash, number, transactions: block.transactions }
}

test('go-ethereum accepts the signatures of all transactions in the system block', async () => {
  const { chain } = await start(await scratchDirectory())
  const { transactions } = await systemBlock(chain)
  expect(transactions.map((transaction) => [transaction.hash, passesSanityCheck(transaction)])).toEqual(
    transactions.map(({ hash }) => [hash, true]),
  )
  expect(transactions.slice(0, 2)).toMatchObject([
    { from: '0x2222222222222222222222222222222222222222', r: '0x1', s: '0x1', v: '0xf4f6' },
    {
      from: '0x2000000000000000000000000000000000000001',
      r: '0x1',
      s: '0x2000000000000000000000000000000000000001',
      v: '0xf4f6',
    },
  ])
})

test('all methods return the same hashes for the system block, also after a restart', async () => {
  const directory = await scratchDirectory()
  const first = await start(directory)
  const before = await systemBlock(first.chain)
  await first.devnet.stop()
  const { chain } = await start(directory)
  const { call, hash, number, transactions } = await systemBlock(chain)
  expect(transactions).toEqual(before.transactions)

  const hashes = transactions.map((transaction) => transaction.hash)
  expect(hashes[0]).toBe(chain.example.system_transaction_hash)
  const short = await call<{ transactions: string[] }>('eth_getBlockByNumber', number, false)
  expect(short).toMatchObject({ hash, transactions: hashes })
  const receipts = await call<{ transactionHash: string }[]>('eth_getBlockReceipts', number)
  expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(hashes)
  const logs = await call<{ transactionHash: string }[]>('eth_getLogs', { blockHash: hash })
  expect(logs.map(({ transactionHash }) => transactionHash)).toEqual([hashes[1], hashes[2]])
  for (const [position, transaction] of transactions.entries()) {
    const index = `0x${position.toString(16)}`
    expect(await call('eth_getTransactionByHash', transaction.hash)).toEqual(transaction)
    expect(await call('eth_getTransactionByBlockHashAndIndex', hash, index)).toEqual(transaction)
    expect(await call('eth_getTransactionByBlockNumberAndIndex', number, index)).toEqual(transaction)
    expect(await receiptOf(chain, transaction.hash)).toMatchObject({ transactionHash: transaction.hash })
    expect(await call('debug_traceTransaction', transaction.hash)).toMatchObject({ failed: false })
    const raw = await call<string>('eth_getRawTransactionByHash', transaction.hash)
    expect(await call('eth_getRawTransactionByBlockHashAndIndex', hash, index)).toBe(raw)
  }
  expect(await call('eth_getRawTransactionByHash', hashes[0])).toMatch(/82f4f60101$/)
})
