import type { AccessControlStates } from '../access-control.ts'
import type { MetricsRegistry } from '../telemetry/metrics-registry.ts'

/** Publishes metrics of rejections and queued calls. */
export function publishAdmission(registry: MetricsRegistry, states: () => AccessControlStates): void {
  registry.counter(
    'fairlead_refusals_total',
    'Requests and calls that were refused, by what refused them.',
    ['reason'],
    (add) => {
      const { rejections, concurrency } = states()
      for (const [reason, count] of Object.entries(rejections)) add({ reason }, count)
      add({ reason: 'queue full' }, concurrency.queueFull)
      add({ reason: 'queue time' }, concurrency.timedOut)
    },
  )
  registry.gauge('fairlead_queued_calls', 'Calls that wait for a place.', [], (set) =>
    set({}, states().concurrency.waiting),
  )
  registry.counter(
    'fairlead_queue_waits_total',
    'Calls whose wait for a place is over, however it ended.',
    [],
    (add) => add({}, states().concurrency.waited),
  )
  registry.counter(
    'fairlead_queue_wait_seconds_total',
    'Time that those calls have waited for a place together.',
    [],
    (add) => add({}, states().concurrency.waitedMs / 1_000),
  )
  registry.counter(
    'fairlead_unknown_credentials_total',
    'Credentials that opened nothing, by answer: refused, or throttled where one address sends too many.',
    ['answer'],
    (add) => {
      const { failed, throttled } = states().failedAttempts
      add({ answer: 'refused' }, failed - throttled)
      add({ answer: 'throttled' }, throttled)
    },
  )
}
