import type { ResponseCacheStates } from './caches.ts'
import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'

/** Registers the cache metrics. */
export function publishCache(registry: MetricsRegistry, states: () => ResponseCacheStates): void {
  registry.counter(
    'fairlead_cache_lookups_total',
    'Calls by cache outcome: a hit, a miss, or a join of an identical call in flight.',
    ['outcome'],
    (add) => {
      const { hits, misses, joins } = states()
      add({ outcome: 'hit' }, hits)
      add({ outcome: 'miss' }, misses)
      add({ outcome: 'join' }, joins)
    },
  )
  registry.counter(
    'fairlead_cache_shared_lookups_total',
    'Look-ups of answers in the shared store by outcome, hit or miss.',
    ['outcome'],
    (add) => {
      const { sharedHits, sharedMisses } = states()
      add({ outcome: 'hit' }, sharedHits)
      add({ outcome: 'miss' }, sharedMisses)
    },
  )
  registry.counter('fairlead_cache_stored_total', 'Answers that were put in the cache.', [], (add) =>
    add({}, states().stored),
  )
  registry.counter(
    'fairlead_cache_dropped_total',
    'Answers that made room for others in the cache, or were true no more.',
    [],
    (add) => add({}, states().dropped),
  )
  registry.gauge('fairlead_cache_entries', 'Answers in the cache.', [], (set) => set({}, states().entries))
  registry.gauge('fairlead_cache_bytes', 'Memory that the cache takes.', [], (set) => set({}, states().bytes))
}
