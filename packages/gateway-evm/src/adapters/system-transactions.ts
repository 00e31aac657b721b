import type { CancellationSignal } from '@fairlead/runtime'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { malformed } from '../response/rpc-errors.ts'
import type { Upstream } from '../upstream/types.ts'
import { validateParams } from '../methods/validate-params.ts'
import type { Adapter } from './adapter.ts'
import { blockHashOf } from './block-number.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { nativeOrDerived } from './native-or-derived.ts'
import { normalizeReceipts } from './receipts.ts'

interface BlockTransaction {
  readonly hash: string
  readonly type?: string
  readonly from: string
  readonly gasPrice?: string
}

/**
 * Returns the system transactions of a block. They come from the chain's core layer: legacy transactions with gas price
 * zero from a system address. For an upstream without the method, they are filtered from the block. Returns null for an
 * unknown hash.
 */
export const ethGetSystemTxsByBlockHash = systemTransactions('eth_getSystemTxsByBlockHash', () => null)
/** As {@link ethGetSystemTxsByBlockHash}. Throws for an unknown block, as the chain's own client does. */
export const ethGetSystemTxsByBlockNumber = systemTransactions(
  'eth_getSystemTxsByBlockNumber',
  throwUnknownHeight,
)
/** As {@link ethGetSystemTxsByBlockHash}. The EVM block is the only source for them here. */
export const ethGetEvmSystemTxsByBlockHash = systemTransactions('eth_getEvmSystemTxsByBlockHash', () => null)
/** As {@link ethGetSystemTxsByBlockNumber}. */
export const ethGetEvmSystemTxsByBlockNumber = systemTransactions(
  'eth_getEvmSystemTxsByBlockNumber',
  throwUnknownHeight,
)

/** Returns the receipts of system transactions. */
export const ethGetEvmSystemTxsReceiptsByBlockHash = receiptsOf(
  'eth_getEvmSystemTxsReceiptsByBlockHash',
  ({ system }) => system,
)
/** As {@link ethGetEvmSystemTxsReceiptsByBlockHash}. */
export const ethGetEvmSystemTxsReceiptsByBlockNumber = receiptsOf(
  'eth_getEvmSystemTxsReceiptsByBlockNumber',
  ({ system }) => system,
)
/** Returns the receipts of system and other transactions, in separate lists. */
export const ethGetBlockReceiptsWithSystemTx = receiptsOf(
  'eth_getBlockReceiptsWithSystemTx',
  ({ system, others }) => ({ receipts: others, systemTxReceipts: system }),
)

function systemTransactions(method: string, whenMissing: () => null): Adapter {
  return {
    derivedFrom: ['eth_getBlockByHash', 'eth_getBlockByNumber'],
    handle: async ({ signal }, params, upstream) => {
      validateParams(method, params)
      return nativeOrDerived({ upstream, method, params, signal }, async () => {
        const transactions = await transactionsOf(params[0], upstream, signal)
        return transactions?.filter(isSystemTransaction) ?? whenMissing()
      })
    },
  }
}

interface Receipts {
  readonly system: readonly unknown[]
  readonly others: readonly unknown[]
}

function receiptsOf(method: string, choose: (receipts: Receipts) => unknown): Adapter {
  return {
    derivedFrom: ['eth_getBlockByHash', 'eth_getBlockByNumber', 'eth_getBlockReceipts'],
    handle: async ({ signal }, params, upstream) => {
      validateParams(method, params)
      return nativeOrDerived({ upstream, method, params, signal }, async () => {
        const [block] = params
        const [transactions, receipts] = await Promise.all([
          transactionsOf(block, upstream, signal),
          upstream.call('eth_getBlockReceipts', [block], signal),
        ])
        if (!transactions || receipts === null) return null
        if (!Array.isArray(receipts)) throw malformed()
        const hashes = new Set(transactions.filter(isSystemTransaction).map(({ hash }) => hash))
        const isSystem = (receipt: unknown) =>
          isRecord(receipt) && hashes.has(String(receipt['transactionHash']))
        const normalized = normalizeReceipts(receipts) as readonly unknown[]
        return choose({
          system: normalized.filter(isSystem),
          others: normalized.filter((receipt) => !isSystem(receipt)),
        })
      })
    },
  }
}

async function transactionsOf(
  block: unknown,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<readonly BlockTransaction[] | undefined> {
  const hash = blockHashOf(block)
  const number = isRecord(block) ? block['blockNumber'] : block
  const found = await (hash === undefined
    ? upstream.call('eth_getBlockByNumber', [number, true], signal)
    : upstream.call('eth_getBlockByHash', [hash, true], signal))
  if (found === null) return undefined
  const transactions = isRecord(found) ? found['transactions'] : undefined
  if (!Array.isArray(transactions)) throw malformed()
  return transactions as BlockTransaction[]
}

function throwUnknownHeight(): never {
  throw new RpcError(rpcCodes.internalError, 'invalid block height')
}

// 0x2222…22 transfers the native token, 0x20…<token index> a bridged token.
const systemAddress = /^0x(2{40}|20{30,38}[0-9a-f]{1,9})$/i

function isSystemTransaction({ type = '0x0', from, gasPrice }: BlockTransaction): boolean {
  return type === '0x0' && gasPrice === '0x0' && from.length === 42 && systemAddress.test(from)
}
