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
 * @param builtin - state of the built-in HTTP/1.1 server; undefined when there is none
 */
export function publishConnections(
  registry: MetricsRegistry,
  byPort: () => PortConnections,
  builtin: (() => Http1ServerState) | undefined,
): void {
  registry.gauge('fairlead_connections', 'Connections of clients by port, plain or TLS.', ['port'], (set) => {
    const { plain, tls } = byPort()
    set({ port: 'plain' }, plain)
    set({ port: 'tls' }, tls)
  })
  if (!builtin) return
  registry.gauge(
    'fairlead_builtin_http_connections',
    'Connections that the built-in HTTP server serves.',
    [],
    (set) => set({}, builtin().connections),
  )
  registry.counter(
    'fairlead_builtin_http_fallbacks_total',
    'Connections that fell back to node:http because of an unusual request.',
    [],
    (add) => add({}, builtin().fallbacks),
  )
}
