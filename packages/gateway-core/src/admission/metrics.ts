import type { AccessControlStates } from '../access-control.ts'
import type { MetricsRegistry } from '../telemetry/metrics-registry.ts'

/** Publishes metrics of rejections and queued calls. */
export function publishAdmission(registry: MetricsRegistry, states: () => AccessControlStates): void {
  registry.counter(
    'fairlead_rejections_total',
    'Rejected requests and calls by reason.',
    ['reason'],
    (add) => {
      const { rejections, concurrency } = states()
      for (const [reason, count] of Object.entries(rejections)) add({ reason }, count)
      add({ reason: 'queue_full' }, concurrency.queueFull)
      add({ reason: 'queue_timeout' }, concurrency.timedOut)
    },
  )
  registry.gauge('fairlead_queued_calls', 'Calls that wait for a concurrency slot.', [], (set) =>
    set({}, states().concurrency.waiting),
  )
  registry.counter(
    'fairlead_queue_waits_total',
    'Calls that have left the queue, with or without a concurrency slot.',
    [],
    (add) => add({}, states().concurrency.waited),
  )
  registry.counter(
    'fairlead_queue_wait_seconds_total',
    'Total time that calls have waited for a concurrency slot.',
    [],
    (add) => add({}, states().concurrency.waitedMs / 1_000),
  )
  registry.counter(
    'fairlead_unknown_credentials_total',
    'Requests with an unknown credential by response: rejected, or throttled when an IP address sends too many.',
    ['response'],
    (add) => {
      const { failed, throttled } = states().failedAttempts
      add({ response: 'rejected' }, failed - throttled)
      add({ response: 'throttled' }, throttled)
    },
  )
}
