import type { RequestMetrics } from './meter.ts'
import type { Distribution, MetricsRegistry } from '../telemetry/metrics-registry.ts'

interface Bytes {
  in: number
  out: number
}

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const statusLabels = ['other', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

/**
 * Creates the metrics of node requests. A request costs a few lookups; labels are created when the metrics are read.
 */
export function createRequestMetrics(registry: MetricsRegistry): RequestMetrics {
  const byProtocol = new Map<string, Map<string, number[]>>()
  const bytesByProtocol = new Map<string, Bytes>()
  const durations = new Map<string, Distribution>()
  registry.counter(
    'fairlead_node_requests_total',
    'Node requests by protocol, method and class of HTTP status.',
    ['protocol', 'method', 'status'],
    (add) => {
      for (const [protocol, methods] of byProtocol)
        for (const [method, counts] of methods)
          counts.forEach((count, index) =>
            add({ protocol, method, status: statusLabels[index] ?? 'other' }, count),
          )
    },
  )
  registry.counter(
    'fairlead_node_bytes_total',
    'Bytes of node requests by protocol and direction, in from clients and out to them, without headers.',
    ['protocol', 'direction'],
    (add) => {
      for (const [protocol, bytes] of bytesByProtocol) {
        add({ protocol, direction: 'in' }, bytes.in)
        add({ protocol, direction: 'out' }, bytes.out)
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
  const bytesOf = (protocol: string) => entryOf(bytesByProtocol, protocol, () => ({ in: 0, out: 0 }))
  return {
    count: (protocol, method, status, bytesIn, bytesOut) => {
      const methods = entryOf(byProtocol, protocol, () => new Map<string, number[]>())
      const counts = entryOf(methods, method, () => [])
      const index = Math.trunc(status / 100)
      const known = statusLabels[index] === undefined ? 0 : index
      counts[known] = (counts[known] ?? 0) + 1
      const bytes = bytesOf(protocol)
      bytes.in += bytesIn
      bytes.out += bytesOut
    },
    push: (protocol, bytes) => {
      bytesOf(protocol).out += bytes
    },
    recordDuration: (protocol, seconds) => {
      const distribution = entryOf(durations, protocol, () => ({
        counts: new Float64Array(bounds.length + 1),
        sum: 0,
      }))
      let index = 0
      while (seconds > (bounds[index] ?? Infinity)) index++
      distribution.counts[index] = (distribution.counts[index] ?? 0) + 1
      distribution.sum += seconds
    },
  }
}

function entryOf<key, value>(map: Map<key, value>, key: key, create: () => value): value {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = create()
  map.set(key, created)
  return created
}
