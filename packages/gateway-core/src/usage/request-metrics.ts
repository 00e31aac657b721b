import type { RequestMetrics } from './meter.ts'
import type { Distribution, MetricsRegistry } from '../telemetry/metrics-registry.ts'

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const statusLabels = ['other', '1xx', '2xx', '3xx', '4xx', '5xx'] as const
const bytesIn = 0
const bytesOut = 1

/**
 * Creates the metrics of node requests. A request costs a few lookups; labels are created when the metrics are read.
 * Counters are in arrays of 64-bit floats: optimized code that adds to them stays valid beyond 2^31.
 */
export function createRequestMetrics(registry: MetricsRegistry): RequestMetrics {
  const byProtocol = new Map<string, Map<string, Float64Array>>()
  const bytesByProtocol = new Map<string, Float64Array>()
  const durations = new Map<string, Distribution>()
  registry.counter(
    'fairlead_node_requests_total',
    'Node requests by protocol, method and class of HTTP status.',
    ['protocol', 'method', 'status'],
    (add) => {
      for (const [protocol, methods] of byProtocol)
        for (const [method, counts] of methods)
          counts.forEach((count, index) => {
            if (count > 0) add({ protocol, method, status: statusLabels[index] ?? 'other' }, count)
          })
    },
  )
  registry.counter(
    'fairlead_node_bytes_total',
    'Bytes of node requests by protocol and direction, in from clients and out to them, without headers.',
    ['protocol', 'direction'],
    (add) => {
      for (const [protocol, bytes] of bytesByProtocol) {
        add({ protocol, direction: 'in' }, bytes[bytesIn] ?? 0)
        add({ protocol, direction: 'out' }, bytes[bytesOut] ?? 0)
      }
    },
  )
  registry.histogram(
    'fairlead_node_request_duration_seconds',
    'Time from receiving the headers of a node request to writing its response to the connection.',
    ['protocol'],
    bounds,
    (report) => {
      for (const [protocol, distribution] of durations) report({ protocol }, distribution)
    },
  )
  const bytesOf = (protocol: string) => entryOf(bytesByProtocol, protocol, () => new Float64Array(2))
  return {
    count: (protocol, method, status, received, sent) => {
      const methods = entryOf(byProtocol, protocol, () => new Map<string, Float64Array>())
      const counts = entryOf(methods, method, () => new Float64Array(statusLabels.length))
      const index = Math.trunc(status / 100)
      increase(counts, statusLabels[index] === undefined ? 0 : index, 1)
      const bytes = bytesOf(protocol)
      increase(bytes, bytesIn, received)
      increase(bytes, bytesOut, sent)
    },
    push: (protocol, bytes) => increase(bytesOf(protocol), bytesOut, bytes),
    recordDuration: (protocol, seconds) => {
      const distribution = entryOf(durations, protocol, () => ({
        counts: new Float64Array(bounds.length + 1),
        sum: 0,
      }))
      let index = 0
      while (seconds > (bounds[index] ?? Infinity)) index++
      increase(distribution.counts, index, 1)
      distribution.sum += seconds
    },
  }
}

function increase(counters: Float64Array, index: number, amount: number): void {
  counters[index] = (counters[index] ?? 0) + amount
}

function entryOf<key, value>(map: Map<key, value>, key: key, create: () => value): value {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = create()
  map.set(key, created)
  return created
}
