import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'

/** What is counted about event streams. */
export interface EventMetrics {
  readonly open: { inc(): void; dec(): void }
  /** Clients that were cut off because they read too slowly. */
  readonly slow: { inc(): void }
}

/** @param upstreamStreams - tells how many event streams there are at nodes */
export function createEventMetrics(registry: MetricsRegistry, upstreamStreams: () => number): EventMetrics {
  registry.gauge(
    'fairlead_upstream_event_streams',
    'Event streams at beacon nodes that those of clients share.',
    [],
    (set) => set({}, upstreamStreams()),
  )
  return {
    open: registry.newGauge('fairlead_event_streams', 'Open event streams.', []).labels({}),
    slow: registry
      .newCounter(
        'fairlead_event_streams_cut_off_total',
        'Event streams that were cut off because the client read too slowly.',
        [],
      )
      .labels({}),
  }
}
