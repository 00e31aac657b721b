import type { Adapter } from './adapter.ts'
import {
  debugTraceBlock,
  debugTraceBlockByHash,
  debugTraceBlockByNumber,
  debugTraceCall,
  debugTraceTransaction,
} from './debug-trace.ts'
import { debugAccountRange } from './debug-account-range.ts'
import { debugGetRawTransactions } from './debug-get-raw-transactions.ts'
import { debugStorageRangeAt } from './debug-storage-range.ts'
import { debugTraceCallMany } from './debug-trace-call-many.ts'
import { ethCall, ethEstimateGas } from './empty-overrides.ts'
import { erigonBlockNumber, erigonGetBlockReceiptsByBlockHash, erigonGetLogsByHash } from './erigon-block.ts'
import { erigonGetBlockByTimestamp, erigonGetLogs } from './erigon-time.ts'
import { noAccounts } from './no-accounts.ts'
import { ethBaseFee } from './eth-base-fee.ts'
import { ethCallMany } from './eth-call-many.ts'
import { ethCreateAccessList } from './eth-create-access-list.ts'
import { ethGetBlockByHash } from './eth-get-block-by-hash.ts'
import { ethGetLogs, ethNewFilter } from './eth-get-logs.ts'
import { ethGetProof } from './eth-get-proof.ts'
import { ethProtocolVersion } from './eth-protocol-version.ts'
import { ethSyncing } from './eth-syncing.ts'
import {
  erigonGetHeaderByHash,
  erigonGetHeaderByNumber,
  ethGetHeaderByHash,
  ethGetHeaderByNumber,
} from './headers.ts'
import {
  otsGetBlockDetails,
  otsGetBlockDetailsByHash,
  otsGetBlockTransactions,
  otsSearchTransactionsAfter,
  otsSearchTransactionsBefore,
} from './ots-block.ts'
import { otsGetInternalOperations, otsGetTransactionError, otsTraceTransaction } from './ots-transaction.ts'
import { traceBlock, traceReplayBlockTransactions, traceTransaction } from './parity-traces.ts'
import { receipt, receipts } from './receipts.ts'
import { rpcModules } from './rpc-modules.ts'
import {
  ethGetBlockReceiptsWithSystemTx,
  ethGetEvmSystemTxsByBlockHash,
  ethGetEvmSystemTxsByBlockNumber,
  ethGetEvmSystemTxsReceiptsByBlockHash,
  ethGetEvmSystemTxsReceiptsByBlockNumber,
  ethGetSystemTxsByBlockHash,
  ethGetSystemTxsByBlockNumber,
} from './system-transactions.ts'
import { traceFilter } from './trace-filter.ts'
import { txpoolContentFrom } from './txpool-content-from.ts'

/** All adapters by method. `docs/reference/adapters.md` lists them with the reason for each. */
export const adapters: Readonly<Record<string, Adapter>> = {
  debug_accountRange: debugAccountRange,
  debug_getRawTransactions: debugGetRawTransactions,
  debug_storageRangeAt: debugStorageRangeAt,
  debug_traceBlock: debugTraceBlock,
  debug_traceBlockByHash: debugTraceBlockByHash,
  debug_traceBlockByNumber: debugTraceBlockByNumber,
  debug_traceCall: debugTraceCall,
  debug_traceCallMany: debugTraceCallMany,
  debug_traceTransaction: debugTraceTransaction,
  erigon_blockNumber: erigonBlockNumber,
  erigon_getBlockByTimestamp: erigonGetBlockByTimestamp,
  erigon_getBlockReceiptsByBlockHash: erigonGetBlockReceiptsByBlockHash,
  erigon_getHeaderByHash: erigonGetHeaderByHash,
  erigon_getHeaderByNumber: erigonGetHeaderByNumber,
  erigon_getLogs: erigonGetLogs,
  erigon_getLogsByHash: erigonGetLogsByHash,
  eth_accounts: noAccounts,
  eth_baseFee: ethBaseFee,
  eth_call: ethCall,
  eth_callMany: ethCallMany,
  eth_createAccessList: ethCreateAccessList,
  eth_estimateGas: ethEstimateGas,
  eth_getBlockByHash: ethGetBlockByHash,
  eth_getBlockReceipts: receipts,
  eth_getBlockReceiptsWithSystemTx: ethGetBlockReceiptsWithSystemTx,
  eth_getEvmSystemTxsByBlockHash: ethGetEvmSystemTxsByBlockHash,
  eth_getEvmSystemTxsByBlockNumber: ethGetEvmSystemTxsByBlockNumber,
  eth_getEvmSystemTxsReceiptsByBlockHash: ethGetEvmSystemTxsReceiptsByBlockHash,
  eth_getEvmSystemTxsReceiptsByBlockNumber: ethGetEvmSystemTxsReceiptsByBlockNumber,
  eth_getHeaderByHash: ethGetHeaderByHash,
  eth_getHeaderByNumber: ethGetHeaderByNumber,
  eth_getSystemTxsByBlockHash: ethGetSystemTxsByBlockHash,
  eth_getSystemTxsByBlockNumber: ethGetSystemTxsByBlockNumber,
  eth_getLogs: ethGetLogs,
  eth_getProof: ethGetProof,
  eth_getTransactionReceipt: receipt,
  eth_newFilter: ethNewFilter,
  eth_pendingTransactions: noAccounts,
  eth_protocolVersion: ethProtocolVersion,
  eth_sendRawTransactionSync: receipt,
  eth_syncing: ethSyncing,
  ots_getBlockDetails: otsGetBlockDetails,
  ots_getBlockDetailsByHash: otsGetBlockDetailsByHash,
  ots_getBlockTransactions: otsGetBlockTransactions,
  ots_getInternalOperations: otsGetInternalOperations,
  ots_getTransactionError: otsGetTransactionError,
  ots_searchTransactionsAfter: otsSearchTransactionsAfter,
  ots_searchTransactionsBefore: otsSearchTransactionsBefore,
  ots_traceTransaction: otsTraceTransaction,
  rpc_modules: rpcModules,
  trace_block: traceBlock,
  trace_filter: traceFilter,
  trace_replayBlockTransactions: traceReplayBlockTransactions,
  trace_transaction: traceTransaction,
  txpool_contentFrom: txpoolContentFrom,
}

const byMethod: ReadonlyMap<string, Adapter> = new Map(Object.entries(adapters))

/** Returns the adapter of a method. Most methods have none. */
export function adapterOf(method: string): Adapter | undefined {
  return byMethod.get(method)
}
