import { Registry } from 'prom-client'
import type { MetricsRegistry } from '../telemetry/metrics-registry.ts'
import { prometheusRegistry } from '../telemetry/prometheus-registry.ts'
import type { RequestMetrics } from '../usage/meter.ts'
import { createRequestMetrics } from '../usage/request-metrics.ts'

/** Metrics of a test. */
export interface TestMetrics {
  readonly registry: MetricsRegistry
  readonly requests: RequestMetrics
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>
}

/** Creates metrics that include those of requests. */
export function testMetrics(): TestMetrics {
  const library = new Registry()
  const registry = prometheusRegistry(library)
  return { registry, requests: createRequestMetrics(registry), text: () => library.metrics() }
}
