import { Histogram, type Registry } from 'prom-client'
import { watchLongTicks } from '@fairlead/runtime'

/**
 * Publishes long event-loop ticks as `fairlead_event_loop_long_tick_seconds`.
 *
 * @returns a function that stops the detection
 */
export function publishLongTicks(registry: Registry): () => void {
  const durations = new Histogram({
    name: 'fairlead_event_loop_long_tick_seconds',
    help: 'Long event-loop ticks by what ran last in them.',
    labelNames: ['source'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  return watchLongTicks((source, ms) => durations.observe({ source }, ms / 1_000))
}
