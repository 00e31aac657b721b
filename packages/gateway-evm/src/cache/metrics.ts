import type { ResponseCacheStates } from './caches.ts'
import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'

/** Registers the cache metrics. */
export function publishCache(registry: MetricsRegistry, states: () => ResponseCacheStates): void {
  registry.counter(
    'fairlead_cache_lookups_total',
    'Calls by cache outcome: hit, miss, or coalesced with an identical call in flight.',
    ['outcome'],
    (add) => {
      const { hits, misses, joins } = states()
      add({ outcome: 'hit' }, hits)
      add({ outcome: 'miss' }, misses)
      add({ outcome: 'coalesced' }, joins)
    },
  )
  registry.counter(
    'fairlead_cache_shared_lookups_total',
    'Lookups of responses in the shared store by outcome, hit or miss.',
    ['outcome'],
    (add) => {
      const { sharedHits, sharedMisses } = states()
      add({ outcome: 'hit' }, sharedHits)
      add({ outcome: 'miss' }, sharedMisses)
    },
  )
  registry.counter('fairlead_cache_stored_total', 'Responses that were stored in the cache.', [], (add) =>
    add({}, states().stored),
  )
  registry.counter(
    'fairlead_cache_dropped_total',
    'Responses that were evicted from the cache or became invalid.',
    [],
    (add) => add({}, states().dropped),
  )
  registry.gauge('fairlead_cache_entries', 'Responses in the cache.', [], (set) => set({}, states().entries))
  registry.gauge('fairlead_cache_bytes', 'Memory that the cache uses.', [], (set) => set({}, states().bytes))
}
