import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'

/** Metrics of event streams. */
export interface EventMetrics {
  readonly open: { inc(): void; dec(): void }
  /** Clients that were disconnected because they read too slowly. */
  readonly slowClients: { inc(): void }
}

/** @param upstreamStreams - returns the number of open event streams to upstreams */
export function createEventMetrics(registry: MetricsRegistry, upstreamStreams: () => number): EventMetrics {
  registry.gauge(
    'fairlead_upstream_event_streams',
    'Event streams to beacon upstreams, shared by client streams.',
    [],
    (set) => set({}, upstreamStreams()),
  )
  return {
    open: registry.newGauge('fairlead_event_streams', 'Open event streams.', []).labels({}),
    slowClients: registry
      .newCounter(
        'fairlead_event_streams_cut_off_total',
        'Event streams that were reset because the client read too slowly.',
        [],
      )
      .labels({}),
  }
}
