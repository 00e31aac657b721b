import type {
  CountedValue,
  Counter,
  Gauge,
  MetricsRegistry,
} from '@fairlead/gateway-core/telemetry/metrics-registry'

/** Metrics of gRPC calls. */
export interface GrpcMetrics {
  readonly calls: Counter<'method' | 'status'>
  readonly messages: Counter<'method'>
  readonly bytesIn: CountedValue
  readonly bytesOut: CountedValue
  readonly open: ReturnType<Gauge<never>['labels']>
}

export function createGrpcMetrics(registry: MetricsRegistry): GrpcMetrics {
  const bytes = registry.newCounter(
    'fairlead_grpc_bytes_total',
    'Bytes of gRPC messages by direction, in from clients and out to them.',
    ['direction'],
  )
  return {
    calls: registry.newCounter('fairlead_grpc_calls_total', 'gRPC calls by method and status.', [
      'method',
      'status',
    ]),
    messages: registry.newCounter(
      'fairlead_grpc_messages_total',
      'gRPC messages sent to clients, by method.',
      ['method'],
    ),
    bytesIn: bytes.labels({ direction: 'in' }),
    bytesOut: bytes.labels({ direction: 'out' }),
    open: registry.newGauge('fairlead_grpc_open_calls', 'Open gRPC calls.', []).labels({}),
  }
}
