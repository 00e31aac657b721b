import type { Receipt } from './receipt.ts'
import { nativeSender, replaceSystemSignatures } from '../system-signatures.ts'

const bridgeSender = '0x2000000000000000000000000000000000000001'

type Call = <result>(method: string, params?: readonly unknown[]) => Promise<result>
type Transaction = Record<string, unknown>

/** The content of a block with system transactions. */
export interface SystemBlockContent {
  /** Credits the native coin of the chain. */
  native: Transaction
  /** Credits a token from its bridge address. */
  bridged: Transaction
  /** Sends the tokens for the payout to the bridge address. */
  fundBridge(bridge: string): Promise<unknown>
  /** Transactions of ordinary accounts; they follow the system transactions. */
  regular: readonly Transaction[]
}

/**
 * Mines one block that begins with system transactions: legacy transactions with gas price 0 from addresses without a
 * known key.
 *
 * @param call Calls the engine.
 * @param content The content of the block.
 * @returns Receipt of the first system transaction.
 * @throws Error when the engine builds a different block than requested.
 */
export async function mineSystemBlock(call: Call, content: SystemBlockContent): Promise<Receipt> {
  await content.fundBridge(bridgeSender)
  // Only the amount that the transaction itself transfers: the address is empty again afterwards.
  await call('anvil_setBalance', [nativeSender, content.native['value']])
  const system = [
    { ...content.native, from: nativeSender },
    { ...content.bridged, from: bridgeSender },
  ]
  const latest = await call<{ baseFeePerGas: string }>('eth_getBlockByNumber', ['latest', false])

  // Gas price 0 is only accepted with a base fee of 0, and only manual mining puts several transactions into one block.
  await call('evm_setAutomine', [false])
  await call('anvil_setNextBlockBaseFeePerGas', ['0x0'])
  const hashes: string[] = []
  for (const transaction of system) {
    await call('anvil_impersonateAccount', [transaction.from])
    const priced = { ...transaction, type: '0x0', gasPrice: '0x0', gas: '0x30d40' }
    hashes.push(await call<string>('eth_sendTransaction', [priced]))
    await call('anvil_stopImpersonatingAccount', [transaction.from])
  }
  for (const transaction of content.regular)
    hashes.push(await call<string>('eth_sendTransaction', [transaction]))
  await call('evm_mine')
  const mined = await minedHashes(call)
  if (mined.join() !== hashes.join()) throw new Error('the system block contains other transactions')
  await replaceSystemSignatures(call)
  // The base fee is computed from that of the parent, and from 0 it would never rise again.
  await call('anvil_setNextBlockBaseFeePerGas', [latest.baseFeePerGas])
  await call('evm_setAutomine', [true])
  const replaced = await minedHashes(call)
  const receipts = await Promise.all(
    replaced.map((hash) => call<Receipt>('eth_getTransactionReceipt', [hash])),
  )
  const [first] = receipts
  if (first === undefined || receipts.some((receipt) => receipt.status !== '0x1')) {
    throw new Error('a transaction of the system block failed')
  }
  return first
}

async function minedHashes(call: Call): Promise<readonly string[]> {
  const block = await call<{ transactions: string[] }>('eth_getBlockByNumber', ['latest', false])
  return block.transactions
}
