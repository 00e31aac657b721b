import type { Counter, Gauge, MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'

/** Metrics of WebSockets. */
export interface WebSocketMetrics {
  readonly open: ReturnType<Gauge<never>['labels']>
  /** Number of messages from and to clients. */
  readonly messages: { in: number; out: number }
  readonly closed: Counter<'code'>
  readonly subscriptions: Gauge<'kind'>
}

/** @param upstreamSubscriptions - returns the number of upstream subscriptions */
export function createWebSocketMetrics(
  registry: MetricsRegistry,
  upstreamSubscriptions: () => number,
): WebSocketMetrics {
  registry.gauge(
    'fairlead_upstream_subscriptions',
    'Upstream subscriptions, or polls in their place, shared by client subscriptions.',
    [],
    (set) => set({}, upstreamSubscriptions()),
  )
  // Incremented for every message, so it does not use a counter of the registry.
  const messages = { in: 0, out: 0 }
  registry.counter(
    'fairlead_websocket_messages_total',
    'WebSocket messages by direction, in from clients and out to them.',
    ['direction'],
    (add) => {
      add({ direction: 'in' }, messages.in)
      add({ direction: 'out' }, messages.out)
    },
  )
  return {
    open: registry.newGauge('fairlead_websockets', 'Open WebSockets.', []).labels({}),
    messages,
    closed: registry.newCounter(
      'fairlead_websockets_closed_total',
      'Closed WebSockets by close code; other stands for undefined codes.',
      ['code'],
    ),
    subscriptions: registry.newGauge('fairlead_subscriptions', 'Subscriptions of clients by kind.', ['kind']),
  }
}
