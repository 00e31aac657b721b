import type { Registry } from 'prom-client'
import type { AnswerStates } from '../../access/forward/answers.ts'
import { askedCounter, askedGauge } from './asked-metrics.ts'

/** Publishes what becomes of calls and answers at the cache. */
export function publishAnswers(registry: Registry, states: () => AnswerStates): void {
  askedCounter(
    registry,
    'fairlead_cache_lookups_total',
    'Calls by what the cache had for them: a hit, a miss, or the same call of somebody else under way, a join.',
    ['outcome'],
    (add) => {
      const { hits, misses, joins } = states()
      add({ outcome: 'hit' }, hits)
      add({ outcome: 'miss' }, misses)
      add({ outcome: 'join' }, joins)
    },
  )
  askedCounter(
    registry,
    'fairlead_cache_shared_lookups_total',
    'Look-ups of answers in the shared store by outcome, hit or miss.',
    ['outcome'],
    (add) => {
      const { sharedHits, sharedMisses } = states()
      add({ outcome: 'hit' }, sharedHits)
      add({ outcome: 'miss' }, sharedMisses)
    },
  )
  askedCounter(registry, 'fairlead_cache_stored_total', 'Answers that were put in the cache.', [], (add) =>
    add({}, states().stored),
  )
  askedCounter(
    registry,
    'fairlead_cache_dropped_total',
    'Answers that made room for others in the cache, or were true no more.',
    [],
    (add) => add({}, states().dropped),
  )
  askedGauge(registry, 'fairlead_cache_entries', 'Answers in the cache.', [], (set) =>
    set({}, states().entries),
  )
  askedGauge(registry, 'fairlead_cache_bytes', 'Memory that the cache takes.', [], (set) =>
    set({}, states().bytes),
  )
}
