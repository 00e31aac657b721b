import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

type Call = <result>(method: string, params?: readonly unknown[]) => Promise<result>

interface EngineState {
  readonly blocks: readonly {
    readonly header: { readonly number: string }
    readonly transactions: readonly {
      readonly transaction: { chainId: string; r: string; s: string; v: string }
      readonly impersonated_sender: string | null
    }[]
  }[]
  readonly transactions: readonly {
    readonly info: { transaction_hash: string; readonly transaction_index: number }
    readonly block_number: number
  }[]
}

/** Sender of the system transactions that credit the native coin of the chain. */
export const nativeSender = '0x2222222222222222222222222222222222222222'

/**
 * Replaces the empty signatures of the system transactions in the latest block with those of HyperEVM: r is 1, s is
 * derived from the sender, and the y-parity is odd. Clients such as go-ethereum reject r and s of 0.
 *
 * The engine cannot mine such transactions, so its state is exported, changed and imported. The hashes of the
 * transactions change with their signatures; the header of the block does not change, because the transaction root of
 * HyperEVM excludes system transactions.
 *
 * @param call Calls the engine.
 * @throws Error when the engine cannot export or import its state.
 * @see https://github.com/hl-archive-node/nanoreth, `is_impersonated_tx`
 */
export async function replaceSystemSignatures(call: Call): Promise<void> {
  const state = await exportState(call)
  const number = await call<string>('eth_blockNumber')
  const block = state.blocks.find(({ header }) => Number(header.number) === Number(number))
  if (block === undefined) throw new Error(`the exported state has no block ${number}`)
  for (const { transaction, impersonated_sender: sender } of block.transactions) {
    if (sender === null) continue
    transaction.r = '0x1'
    transaction.s = sender === nativeSender ? '0x1' : sender
    transaction.v = `0x${(Number(transaction.chainId) * 2 + 36).toString(16)}`
  }
  // The engine derives the new hashes from the block, but finds transactions by the hashes in its index.
  await importState(call, state)
  const { transactions: hashes } = await call<{ transactions: string[] }>('eth_getBlockByNumber', [
    number,
    false,
  ])
  for (const { info, block_number } of state.transactions)
    if (block_number === Number(number))
      info.transaction_hash = hashes[info.transaction_index] ?? info.transaction_hash
  await importState(call, state)
}

async function exportState(call: Call): Promise<EngineState> {
  const dump = await call<string>('anvil_dumpState', [true])
  const json = await promisify(gunzip)(Buffer.from(dump.slice(2), 'hex'))
  return JSON.parse(json.toString()) as EngineState
}

async function importState(call: Call, state: EngineState): Promise<void> {
  const packed = await promisify(gzip)(JSON.stringify(state))
  // Without a reset the index keeps the previous hashes.
  await call('anvil_reset')
  await call('anvil_loadState', [`0x${packed.toString('hex')}`])
}
