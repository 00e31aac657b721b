import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The numbers that the service publishes. Every label has a small, fixed set of values. */
export interface Metrics {
  readonly registry: Registry
  readonly nodeRequests: Counter<'protocol' | 'method' | 'status'>
  readonly nodeRequestDuration: Histogram<'protocol'>
  readonly webSockets: WebSocketMetrics
}

/** What is counted about WebSockets. */
export interface WebSocketMetrics {
  readonly open: Gauge
  readonly messagesIn: Counter.Internal
  readonly messagesOut: Counter.Internal
  readonly closed: Counter<'code'>
  readonly subscriptions: Gauge<'kind'>
}

/**
 * Makes the metrics of one service.
 *
 * @param credentials - how many node credentials are in force
 * @param upstreamSubscriptions - how many subscriptions there are at nodes
 */
export function createMetrics(credentials: () => number, upstreamSubscriptions = () => 0): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const gauge: Gauge = new Gauge({
    name: 'fairlead_node_credentials',
    help: 'Node credentials in force.',
    registers,
    collect: () => gauge.set(credentials()),
  })
  const upstreamGauge: Gauge = new Gauge({
    name: 'fairlead_upstream_subscriptions',
    help: 'Subscriptions at nodes, or polls in their place, that those of clients share.',
    registers,
    collect: () => upstreamGauge.set(upstreamSubscriptions()),
  })
  const messages = new Counter({
    name: 'fairlead_websocket_messages_total',
    help: 'WebSocket messages by direction, in from clients and out to them.',
    labelNames: ['direction'],
    registers,
  })
  return {
    registry,
    nodeRequests: new Counter({
      name: 'fairlead_node_requests_total',
      help: 'Node requests by protocol, method and class of HTTP status.',
      labelNames: ['protocol', 'method', 'status'],
      registers,
    }),
    nodeRequestDuration: new Histogram({
      name: 'fairlead_node_request_duration_seconds',
      help: 'Time from the first byte of a node request to the last byte of its answer.',
      labelNames: ['protocol'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    webSockets: {
      open: new Gauge({ name: 'fairlead_websockets', help: 'Open WebSockets.', registers }),
      messagesIn: messages.labels('in'),
      messagesOut: messages.labels('out'),
      closed: new Counter({
        name: 'fairlead_websockets_closed_total',
        help: 'Closed WebSockets by close code; other stands for codes that clients make up.',
        labelNames: ['code'],
        registers,
      }),
      subscriptions: new Gauge({
        name: 'fairlead_subscriptions',
        help: 'Subscriptions of clients by kind.',
        labelNames: ['kind'],
        registers,
      }),
    },
  }
}
