import type { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import type { WebSocketMetrics } from './metrics.ts'
import type { CredentialSocketLimits } from './credential-sockets.ts'
import type { SubscriptionMultiplexers } from '../subscriptions/multiplexers.ts'
import type { JsonRpcDependencies } from '../http/json-rpc-http.ts'

/** Dependencies of the WebSocket listener. */
export interface WebSocketDependencies extends JsonRpcDependencies, CredentialSocketLimits {
  readonly multiplexers: SubscriptionMultiplexers
  readonly metrics: WebSocketMetrics
  /** Counts the memory of each connection. */
  readonly memory: Pick<MemoryLedger, 'reserve'>
  /** Maximum number of in-flight calls on one connection. */
  readonly maxCalls: number
  /** Maximum number of subscriptions on one connection. */
  readonly maxSubscriptions: number
  /** Maximum size of the data queued for one client, in bytes. */
  readonly maxBufferBytes: number
  readonly pingMs: number
}
