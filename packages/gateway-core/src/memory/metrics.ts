import type { MetricsRegistry } from '../telemetry/metrics-registry.ts'
import type { MemoryStates } from './memory-ledger.ts'

/** Publishes metrics of the memory that clients make the gateway hold. */
export function publishMemory(registry: MetricsRegistry, states: () => MemoryStates): void {
  registry.gauge(
    'fairlead_memory_reserved_bytes',
    'Memory that is reserved for data, connections and streams of clients.',
    [],
    (set) => set({}, states().reserved),
  )
  registry.gauge(
    'fairlead_memory_capacity_bytes',
    'Memory that can be reserved for data, connections and streams of clients.',
    [],
    (set) => set({}, states().capacity),
  )
  registry.counter(
    'fairlead_memory_refusals_total',
    'Reservations of memory that exceeded the share of their owner, by what the memory was for.',
    ['kind'],
    (add) => {
      for (const [kind, count] of Object.entries(states().refused)) add({ kind }, count)
    },
  )
}
