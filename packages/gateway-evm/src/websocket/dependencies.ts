import type { WebSocketMetrics } from './metrics.ts'
import type { CredentialSocketLimits } from './credential-sockets.ts'
import type { SubscriptionHubs } from '../subscriptions/multiplexers.ts'
import type { AccessPlane } from '../http/json-rpc-http.ts'

/** What the WebSockets need from the rest of the service. */
export interface WebSocketPlane extends AccessPlane, CredentialSocketLimits {
  readonly hubs: SubscriptionHubs
  readonly metrics: WebSocketMetrics
  /** Most calls in flight on one connection. */
  readonly maxCalls: number
  /** Most subscriptions on one connection. */
  readonly maxSubscriptions: number
  /** Most bytes that wait for one client. */
  readonly maxBufferBytes: number
  readonly pingMs: number
}
