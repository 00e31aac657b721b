import type { Methods } from '@fairlead/evm-rpc/contract'
import type { Call } from '../../call.ts'
import type { Upstream } from '../upstream.ts'
import { debugTraceCallMany } from './debug-trace-call-many.ts'
import { ethGetBlockByHash } from './eth-get-block-by-hash.ts'
import { ethGetSystemTxsByBlockHash } from './eth-get-system-txs-by-block-hash.ts'
import { ethSyncing } from './eth-syncing.ts'

/** Translates one difference between the specification and what nodes do. */
export interface Adapter {
  /** Only for calls that came by this address shape. */
  readonly endpoint?: '' | 'evm'
  /**
   * Answers the call, or returns undefined to have it forwarded as it is.
   *
   * @throws RpcFailure
   */
  answer(call: Call, params: readonly unknown[], upstream: Upstream): Promise<unknown> | undefined
}

/** Every adapter by method. `docs/reference/adapters.md` lists them with the reason for each. */
export const adapters = {
  debug_traceCallMany: debugTraceCallMany,
  eth_getBlockByHash: ethGetBlockByHash,
  eth_getSystemTxsByBlockHash: ethGetSystemTxsByBlockHash,
  eth_syncing: ethSyncing,
} as const satisfies Partial<Record<keyof Methods, Adapter>>
