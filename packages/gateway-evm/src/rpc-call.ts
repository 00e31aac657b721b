import type { CancellationSignal } from '@fairlead/http1'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { ResponseCaches } from './cache/caches.ts'
import type { RpcRequest } from '@fairlead/gateway-core/json-rpc/types'

/** One JSON-RPC call on its way to a response. */
export interface Call {
  readonly grant: Grant
  /** Which address shape it came by: the high-throughput chain's `/evm`, or the generic one. */
  readonly endpoint: '' | 'evm'
  readonly request: RpcRequest
  /** Ends when the client goes away or the time is up. */
  readonly signal: CancellationSignal
  /** Most blocks that a query for logs may span; any number when it is 0 or left out. */
  readonly maxLogRange?: number | undefined
  /** What earlier answers are remembered with; without it every call goes to the node. */
  readonly answers?: ResponseCaches | undefined
  /** The batch that the call is one of. */
  readonly batch?: object | undefined
  /** Reads the number of the block that is the newest one to all calls of a batch; undefined for any. */
  readonly latest?: (() => Promise<number | undefined>) | undefined
}
