import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'

/** The availability of a dependency without which calls are still served. */
export interface DependencyState {
  readonly dependency: 'database' | 'shared_store'
  /** Unix time in milliseconds; undefined while it is available. */
  readonly downSince: number | undefined
}

/** Publishes which dependencies are available. */
export function publishDependencies(
  registry: MetricsRegistry,
  states: () => readonly DependencyState[],
): void {
  registry.gauge(
    'fairlead_dependency_up',
    'Whether the database or the shared store responds, 1 or 0; with several processes, the minimum.',
    ['dependency'],
    (set) => {
      for (const { dependency, downSince } of states()) set({ dependency }, downSince === undefined ? 1 : 0)
    },
    'min',
  )
}

/** Describes an unavailable dependency in one line; returns undefined for an available one. */
export function describeOutage({ dependency, downSince }: DependencyState): string | undefined {
  if (downSince === undefined) return undefined
  const name = dependency.replace('_', ' ')
  return `degraded: the ${name} has not responded since ${new Date(downSince).toISOString()}`
}
