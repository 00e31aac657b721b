import type { Methods } from '@fairlead/evm-rpc/contract'
import type { Adapter } from './adapter.ts'
import { debugTraceCallMany } from './debug-trace-call-many.ts'
import { ethGetBlockByHash } from './eth-get-block-by-hash.ts'
import { ethGetSystemTxsByBlockHash } from './eth-get-system-txs-by-block-hash.ts'
import { ethSyncing } from './eth-syncing.ts'

/** Every adapter by method. `docs/reference/adapters.md` lists them with the reason for each. */
export const adapters = {
  debug_traceCallMany: debugTraceCallMany,
  eth_getBlockByHash: ethGetBlockByHash,
  eth_getSystemTxsByBlockHash: ethGetSystemTxsByBlockHash,
  eth_syncing: ethSyncing,
} as const satisfies Partial<Record<keyof Methods, Adapter>>
