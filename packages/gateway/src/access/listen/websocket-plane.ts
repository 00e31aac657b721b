import type { Counter, Gauge } from 'prom-client'
import type { CredentialSocketLimits } from './credential-sockets.ts'
import type { SubscriptionHubs } from '../forward/subscribe/subscription-hubs.ts'
import type { AccessPlane } from './json-rpc-http.ts'

/** What is counted about WebSockets. */
export interface WebSocketMetrics {
  readonly open: Gauge
  /** How many came in from clients, and went out to them. */
  readonly messages: { in: number; out: number }
  readonly closed: Counter<'code'>
  readonly subscriptions: Gauge<'kind'>
}

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
