import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { GrpcMetrics } from '../access/listen/grpc/grpc-plane.ts'
import type { WebSocketMetrics } from '../access/listen/websocket-plane.ts'
import type { RequestMetrics } from '@fairlead/gateway-core/usage/meter'
import { createRequestMetrics } from './request-metrics.ts'
import { prometheusRegistry } from './prometheus-registry.ts'

/** The numbers that the service counts as it works. Every label has a small, fixed set of values. */
export interface Metrics {
  readonly registry: Registry
  readonly requests: RequestMetrics
  readonly webSockets: WebSocketMetrics
  readonly events: EventMetrics
  readonly grpc: GrpcMetrics
}

/** What is counted about event streams. */
export interface EventMetrics {
  readonly open: Gauge
  /** Clients that were cut off because they read too slowly. */
  readonly slow: Counter
}

/** What is asked whenever the metrics are read. */
export interface MetricSources {
  /** How many subscriptions there are at EVM nodes. */
  readonly upstreamSubscriptions: () => number
  /** How many event streams there are at beacon nodes. */
  readonly upstreamEventStreams: () => number
}

/** Makes the metrics of one service. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const published = prometheusRegistry(registry)
  collectDefaultMetrics({ register: registry })
  published.gauge(
    'fairlead_upstream_subscriptions',
    'Subscriptions at nodes, or polls in their place, that those of clients share.',
    [],
    (set) => set({}, sources.upstreamSubscriptions()),
  )
  published.gauge(
    'fairlead_upstream_event_streams',
    'Event streams at beacon nodes that those of clients share.',
    [],
    (set) => set({}, sources.upstreamEventStreams()),
  )
  // Counted for each message, which is why it is no counter of the library.
  const messages = { in: 0, out: 0 }
  published.counter(
    'fairlead_websocket_messages_total',
    'WebSocket messages by direction, in from clients and out to them.',
    ['direction'],
    (add) => {
      add({ direction: 'in' }, messages.in)
      add({ direction: 'out' }, messages.out)
    },
  )
  const grpcBytes = new Counter({
    name: 'fairlead_grpc_bytes_total',
    help: 'Bytes of gRPC messages by direction, in from clients and out to them.',
    labelNames: ['direction'],
    registers,
  })
  return {
    registry,
    requests: createRequestMetrics(published),
    webSockets: {
      open: new Gauge({ name: 'fairlead_websockets', help: 'Open WebSockets.', registers }),
      messages,
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
    events: {
      open: new Gauge({ name: 'fairlead_event_streams', help: 'Open event streams.', registers }),
      slow: new Counter({
        name: 'fairlead_event_streams_cut_off_total',
        help: 'Event streams that were cut off because the client read too slowly.',
        registers,
      }),
    },
    grpc: {
      calls: new Counter({
        name: 'fairlead_grpc_calls_total',
        help: 'Calls of gRPC by method and status.',
        labelNames: ['method', 'status'],
        registers,
      }),
      messages: new Counter({
        name: 'fairlead_grpc_messages_total',
        help: 'Messages of gRPC that were passed to clients, by method.',
        labelNames: ['method'],
        registers,
      }),
      bytesIn: grpcBytes.labels('in'),
      bytesOut: grpcBytes.labels('out'),
      open: new Gauge({ name: 'fairlead_grpc_open_calls', help: 'Open calls of gRPC.', registers }),
    },
  }
}
