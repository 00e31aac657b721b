import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { RpcRequest } from '@fairlead/gateway-core/json-rpc/types'
import type { Call } from './call.ts'
import type { SpecifiedMethod } from './methods/method-policy.ts'
import type { Upstream } from './upstream/types.ts'

/** A call of a client that is being processed. */
export interface ClientCall extends Call {
  readonly grant: Grant
  /** The call as the client sent it. */
  readonly request: RpcRequest
  /** Its method in the specification. */
  readonly found: SpecifiedMethod | undefined
  /** URL path suffix of the call: `evm` for the high-throughput chain, or empty. */
  readonly endpoint: '' | 'evm'
  /** Maximum number of blocks in a log query. 0 or undefined = unlimited. */
  readonly maxLogRange?: number | undefined
  /** Receives the call. */
  readonly upstream: Upstream
}
