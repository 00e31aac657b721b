import type { MetricsRegistry } from '../telemetry/metrics-registry.ts'
import type { PooledUpstreamState } from './node-pools.ts'

type CountOf = (state: PooledUpstreamState) => number | undefined

/**
 * Publishes metrics of upstreams.
 *
 * @param states - state of every upstream that was used; its id becomes the label `upstream`
 */
export function publishUpstreams(
  registry: MetricsRegistry,
  states: () => readonly PooledUpstreamState[],
): void {
  const once = () => onceEach(states())
  const counter = (name: string, help: string, countOf: CountOf) =>
    registry.counter(name, help, ['upstream'], (add) => {
      for (const state of once()) add({ upstream: state.id }, countOf(state) ?? 0)
    })
  const gauge = (name: string, help: string, aggregator: 'sum' | 'max', valueOf: CountOf) =>
    registry.gauge(
      name,
      help,
      ['upstream'],
      (set) => {
        for (const [id, value] of highest(states(), valueOf)) set({ upstream: id }, value)
      },
      aggregator,
    )
  registry.gauge(
    'fairlead_upstream_info',
    'Nodes that use an upstream: 1 for each, with the position of the upstream in the record of the node.',
    ['upstream', 'node', 'field', 'position'],
    (set) => {
      for (const { id, nodes, field, position } of states()) {
        for (const node of nodes) set({ upstream: id, node, field, position: String(position) }, 1)
      }
    },
    'max',
  )
  counter('fairlead_upstream_calls_total', 'Calls sent to an upstream.', ({ calls }) => calls)
  registry.counter(
    'fairlead_upstream_failures_total',
    'Calls that failed at an upstream, by kind.',
    ['upstream', 'kind'],
    (add) => {
      for (const { id, failuresByKind } of once())
        for (const [kind, count] of Object.entries(failuresByKind)) add({ upstream: id, kind }, count)
    },
  )
  counter(
    'fairlead_upstream_mismatched_responses_total',
    'Responses of an upstream that belonged to no call, or to another one. Each of them ended its connection.',
    ({ mismatchedResponses }) => mismatchedResponses,
  )
  counter(
    'fairlead_upstream_retries_total',
    'Calls sent to an upstream after another one failed or was too slow.',
    ({ retries }) => retries,
  )
  counter(
    'fairlead_upstream_hedges_total',
    'Calls sent to an upstream while another one was still expected to respond.',
    ({ hedges }) => hedges,
  )
  counter(
    'fairlead_upstream_wait_seconds_total',
    'Total time that calls have waited for an upstream.',
    ({ totalMs }) => totalMs / 1_000,
  )
  gauge(
    'fairlead_upstream_calls_in_flight',
    'Calls in flight to an upstream.',
    'sum',
    ({ callsInFlight }) => callsInFlight,
  )
  gauge(
    'fairlead_upstream_head_block',
    'Latest block that an upstream has reported.',
    'max',
    ({ head }) => head,
  )
  gauge(
    'fairlead_upstream_lag_blocks',
    'Blocks that an upstream is behind the best one of its node.',
    'max',
    ({ lag }) => lag,
  )
  gauge(
    'fairlead_upstream_lag_seconds',
    'Blocks that an upstream is behind the best one of its node, multiplied by the block time.',
    'max',
    ({ lagMs }) => (lagMs === undefined ? undefined : lagMs / 1_000),
  )
  gauge(
    'fairlead_upstream_batches_disabled',
    'Whether an upstream receives no batches for a while, because one has failed: the number of processes.',
    'sum',
    ({ areBatchesDisabled: isDisabled }) => (isDisabled === undefined ? undefined : Number(isDisabled)),
  )
  registry.gauge(
    'fairlead_upstream_range_limit_blocks',
    'Maximum number of blocks in a query that an upstream accepts, as far as its rejections have revealed it.',
    ['upstream', 'method'],
    (set) => {
      for (const { id, rangeLimits } of once())
        for (const [method, blocks] of rangeLimits) set({ upstream: id, method }, blocks)
    },
    'min',
  )
  registry.gauge(
    'fairlead_upstream_class',
    'Class of an upstream among those of its node: the number of processes that assign the class.',
    ['upstream', 'class'],
    (set) => {
      for (const { id, class: its } of states()) set({ upstream: id, class: its }, 1)
    },
  )
  registry.gauge(
    'fairlead_upstream_breaker',
    'Circuit breaker of an upstream: the number of processes in which it has the state.',
    ['upstream', 'state'],
    (set) => {
      for (const { id, breaker } of once()) set({ upstream: id, state: breaker }, 1)
    },
  )
}

/** The highest value of each upstream in all pools. */
function highest(states: readonly PooledUpstreamState[], valueOf: CountOf): ReadonlyMap<string, number> {
  const values = new Map<string, number>()
  for (const state of states) {
    const value = valueOf(state)
    if (value !== undefined) values.set(state.id, Math.max(values.get(state.id) ?? value, value))
  }
  return values
}

/** For an upstream in several pools, the state in the most recently opened pool. */
function onceEach(states: readonly PooledUpstreamState[]): Iterable<PooledUpstreamState> {
  return new Map(states.map((state) => [state.id, state])).values()
}
