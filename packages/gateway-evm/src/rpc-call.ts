import type { CancellationSignal } from '@fairlead/runtime'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { ResponseCaches } from './cache/caches.ts'
import type { RpcRequest } from '@fairlead/gateway-core/json-rpc/types'

/** A JSON-RPC call of a client that is being processed. */
export interface ClientCall {
  readonly grant: Grant
  /** URL path suffix of the call: `evm` for the high-throughput chain, or empty. */
  readonly endpoint: '' | 'evm'
  readonly request: RpcRequest
  /** Aborts when the client disconnects or the timeout expires. */
  readonly signal: CancellationSignal
  /** Maximum number of blocks in a log query. 0 or undefined = unlimited. */
  readonly maxLogRange?: number | undefined
  /** Caches for responses. Without it, every call is sent to the upstream. */
  readonly caches?: ResponseCaches | undefined
  /** The batch that contains the call. */
  readonly batch?: object | undefined
  /**
   * Reads the number that counts as the latest block for all calls of a batch. Undefined when they need no common
   * block.
   */
  readonly latest?: (() => Promise<number | undefined>) | undefined
}
