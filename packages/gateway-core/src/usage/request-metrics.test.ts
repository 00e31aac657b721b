import { AggregatorRegistry, Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { prometheusRegistry } from '../telemetry/prometheus-registry.ts'
import { createRequestMetrics } from './request-metrics.ts'

const name = 'fairlead_node_request_duration_seconds'
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

function counted() {
  const registry = new Registry()
  const [reference, metrics] = [new Registry(), createRequestMetrics(prometheusRegistry(registry))]
  const help = 'Time from receiving the headers of a node request to writing its response to the connection.'
  const histogram = new Histogram({
    name,
    help,
    labelNames: ['protocol'],
    buckets: bounds,
    registers: [reference],
  })
  const recordDuration = (protocol: string, seconds: number) => {
    metrics.recordDuration(protocol, seconds)
    histogram.observe({ protocol }, seconds)
  }
  return { registry, reference, recordDuration }
}

it('publishes durations as the library does', async () => {
  const { registry, reference, recordDuration } = counted()
  expect(await registry.getSingleMetricAsString(name)).toBe(await reference.getSingleMetricAsString(name))
  for (const seconds of [0, ...bounds, 0.000_5, 0.001_1, 7, 31, 4_000]) recordDuration('evm', seconds)
  recordDuration('beacon', 0.3)
  expect(await registry.getSingleMetricAsString(name)).toBe(await reference.getSingleMetricAsString(name))
  // Repeated reads return the same numbers.
  expect(await registry.getSingleMetricAsString(name)).toBe(await reference.getSingleMetricAsString(name))
})

it('publishes durations that can be summed across processes', async () => {
  const [one, other] = [counted(), counted()]
  one.recordDuration('evm', 0.002)
  other.recordDuration('evm', 0.2)
  other.recordDuration('jetton', 60)
  const sumOf = async (...registries: Registry[]) => {
    const reports = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))
    return AggregatorRegistry.aggregate(JSON.parse(JSON.stringify(reports))).getSingleMetricAsString(name)
  }
  expect(await sumOf(one.registry, other.registry)).toBe(await sumOf(one.reference, other.reference))
})
