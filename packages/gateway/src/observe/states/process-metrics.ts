import { getHeapStatistics } from 'node:v8'
import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'

/** Publishes what the memory of the process is measured against. */
export function publishProcess(registry: MetricsRegistry): void {
  registry.gauge(
    'fairlead_heap_limit_bytes',
    'Most memory that the heap of the process may take.',
    [],
    (set) => set({}, getHeapStatistics().heap_size_limit),
  )
}
