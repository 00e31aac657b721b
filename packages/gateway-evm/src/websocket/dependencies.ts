import type { WebSocketMetrics } from './metrics.ts'
import type { CredentialSocketLimits } from './credential-sockets.ts'
import type { SubscriptionMultiplexers } from '../subscriptions/multiplexers.ts'
import type { JsonRpcDependencies } from '../http/json-rpc-http.ts'

/** What the WebSockets need from the rest of the service. */
export interface WebSocketDependencies extends JsonRpcDependencies, CredentialSocketLimits {
  readonly multiplexers: SubscriptionMultiplexers
  readonly metrics: WebSocketMetrics
  /** Most calls in flight on one connection. */
  readonly maxCalls: number
  /** Most subscriptions on one connection. */
  readonly maxSubscriptions: number
  /** Most bytes that wait for one client. */
  readonly maxBufferBytes: number
  readonly pingMs: number
}
