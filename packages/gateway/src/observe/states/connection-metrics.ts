import type { Http1ServerState } from '@fairlead/http1'
import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'

/** Client connections by port. */
interface PortConnections {
  readonly plain: number
  readonly tls: number
}

/**
 * Publishes the metrics of client connections.
 *
 * @param front - state of the built-in HTTP/1.1 server; undefined when there is none
 */
export function publishConnections(
  registry: MetricsRegistry,
  byPort: () => PortConnections,
  front: (() => Http1ServerState) | undefined,
): void {
  registry.gauge('fairlead_connections', 'Connections of clients by port, plain or TLS.', ['port'], (set) => {
    const { plain, tls } = byPort()
    set({ port: 'plain' }, plain)
    set({ port: 'tls' }, tls)
  })
  if (!front) return
  registry.gauge(
    'fairlead_front_connections',
    'Connections whose requests are read without node:http.',
    [],
    (set) => set({}, front().connections),
  )
  registry.counter(
    'fairlead_front_handed_over_total',
    'Connections that were handed to node:http because of an unusual request.',
    [],
    (add) => add({}, front().fallbacks),
  )
}
