import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The numbers that the service publishes. Every label has a small, fixed set of values. */
export interface Metrics {
  readonly registry: Registry
  readonly nodeRequests: Counter<'protocol' | 'method' | 'status'>
  readonly nodeRequestDuration: Histogram<'protocol'>
}

/**
 * Makes the metrics of one service.
 *
 * @param credentials - how many node credentials are in force
 */
export function createMetrics(credentials: () => number): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const gauge: Gauge = new Gauge({
    name: 'fairlead_node_credentials',
    help: 'Node credentials in force.',
    registers,
    collect: () => gauge.set(credentials()),
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
  }
}
