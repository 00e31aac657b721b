import type { UpstreamState } from './upstream.ts'
import type { MetricsRegistry } from '../telemetry/metrics-registry.ts'

type CountOf = (state: UpstreamState) => number | undefined

/**
 * Publishes what is known of upstreams.
 *
 * @param states - of every upstream that was used; its label becomes the label `upstream`
 */
export function publishUpstreams(registry: MetricsRegistry, states: () => readonly UpstreamState[]): void {
  const counter = (name: string, help: string, countOf: CountOf) =>
    registry.counter(name, help, ['upstream'], (add) => {
      for (const state of states()) add({ upstream: state.label }, countOf(state) ?? 0)
    })
  const gauge = (name: string, help: string, aggregator: 'sum' | 'max', valueOf: CountOf) =>
    registry.gauge(
      name,
      help,
      ['upstream'],
      (set) => {
        for (const state of states()) {
          const value = valueOf(state)
          if (value !== undefined) set({ upstream: state.label }, value)
        }
      },
      aggregator,
    )
  counter('fairlead_upstream_calls_total', 'Calls sent to an upstream.', ({ calls }) => calls)
  registry.counter(
    'fairlead_upstream_failures_total',
    'Calls that came to nothing at an upstream, by kind.',
    ['upstream', 'kind'],
    (add) => {
      for (const { label, failuresByKind } of states())
        for (const [kind, count] of Object.entries(failuresByKind)) add({ upstream: label, kind }, count)
    },
  )
  counter(
    'fairlead_upstream_retries_total',
    'Calls sent to an upstream after another one had failed or was late.',
    ({ retries }) => retries,
  )
  counter(
    'fairlead_upstream_hedges_total',
    'Calls sent to an upstream while another one was still expected to answer.',
    ({ hedges }) => hedges,
  )
  counter(
    'fairlead_upstream_wait_seconds_total',
    'Time that all calls together have waited for an upstream.',
    ({ totalMs }) => totalMs / 1_000,
  )
  gauge(
    'fairlead_upstream_calls_in_flight',
    'Calls that an upstream has not answered yet.',
    'sum',
    (state) => {
      return state.callsInFlight
    },
  )
  gauge('fairlead_upstream_head_block', 'Newest block that an upstream has shown.', 'max', ({ head }) => head)
  gauge(
    'fairlead_upstream_lag_blocks',
    'Blocks that an upstream is behind the best one of its node.',
    'max',
    ({ lag }) => lag,
  )
  registry.gauge(
    'fairlead_upstream_class',
    'How an upstream stands among those of its node: the number of processes that see it in the class.',
    ['upstream', 'class'],
    (set) => {
      for (const state of latest(states())) set({ upstream: state.label, class: state.class }, 1)
    },
  )
  registry.gauge(
    'fairlead_upstream_breaker',
    'Circuit breaker of an upstream: the number of processes in which it has the state.',
    ['upstream', 'state'],
    (set) => {
      for (const { label, breaker } of latest(states())) set({ upstream: label, state: breaker }, 1)
    },
  )
}

/** Of several with one label, which a node has had one after the other, the last one. */
function latest(states: readonly UpstreamState[]): Iterable<UpstreamState> {
  return new Map(states.map((state) => [state.label, state])).values()
}
