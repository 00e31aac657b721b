import { collectDefaultMetrics, Registry } from 'prom-client'
import { prometheusRegistry } from '@fairlead/gateway-core/telemetry/prometheus-registry'
import type { RequestMetrics } from '@fairlead/gateway-core/usage/meter'
import { createRequestMetrics } from '@fairlead/gateway-core/usage/request-metrics'
import { createEventMetrics, type EventMetrics } from '@fairlead/gateway-beacon/events/metrics'
import { createGrpcMetrics, type GrpcMetrics } from '@fairlead/gateway-grpc/metrics'
import { createWebSocketMetrics, type WebSocketMetrics } from '@fairlead/gateway-evm/websocket/metrics'

/** The numbers that the service counts as it works. Every label has a small, fixed set of values. */
export interface Metrics {
  readonly registry: Registry
  readonly requests: RequestMetrics
  readonly webSockets: WebSocketMetrics
  readonly events: EventMetrics
  readonly grpc: GrpcMetrics
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
  const published = prometheusRegistry(registry)
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: createRequestMetrics(published),
    webSockets: createWebSocketMetrics(published, sources.upstreamSubscriptions),
    events: createEventMetrics(published, sources.upstreamEventStreams),
    grpc: createGrpcMetrics(published),
  }
}
