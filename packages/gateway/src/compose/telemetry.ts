import { getHeapStatistics } from 'node:v8'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { publishAdmission } from '@fairlead/gateway-core/admission/metrics'
import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'
import { prometheusRegistry } from '@fairlead/gateway-core/telemetry/prometheus-registry'
import {
  publishDirectory,
  publishSharedStore,
  publishUsage,
} from '@fairlead/gateway-core/telemetry/store-metrics'
import { publishMemory } from '@fairlead/gateway-core/memory/metrics'
import { publishUpstreams } from '@fairlead/gateway-core/upstream/metrics'
import { publishDependencies } from '../observe/dependency-states.ts'
import { publishLongTicks } from '../observe/long-ticks.ts'
import { watchUnexpectedErrors } from '../observe/watch-unexpected-errors.ts'
import type { Dependencies } from './dependencies.ts'
import type { Protocols } from './protocols.ts'

/** The metrics of a gateway. */
export interface Telemetry {
  readonly metrics: MetricsRegistry
  readonly contentType: string
  /** The metrics as text, of all processes when there are several. */
  text(): Promise<string>
  /** Stops reporting unexpected errors and long ticks. */
  close(): void
}

/**
 * @param publish - with several processes: publishes the metrics of this process, and returns a function that reads
 * those of all processes
 */
export function openTelemetry(
  log: Logger,
  publish: (registry: Registry) => () => Promise<string> = (registry) => () => registry.metrics(),
): Telemetry {
  const registry = new Registry()
  const endWatches = [publishLongTicks(registry), watchUnexpectedErrors(registry, log)]
  collectDefaultMetrics({ register: registry })
  return {
    metrics: prometheusRegistry(registry),
    contentType: registry.contentType,
    text: publish(registry),
    close: () => {
      for (const end of endWatches) end()
    },
  }
}

/** Publishes the counts that the parts of a gateway keep themselves. They are read only when the metrics are read. */
export function publishStates(
  metrics: MetricsRegistry,
  { accessControl, memory, sharedStore, states, metering, directory, directorySync }: Dependencies,
  protocols: Protocols,
): void {
  metrics.gauge('fairlead_heap_limit_bytes', 'Maximum heap size of the process.', [], (set) =>
    set({}, getHeapStatistics().heap_size_limit),
  )
  publishUpstreams(metrics, () => protocols.upstreamStates())
  publishAdmission(metrics, () => accessControl.states())
  publishMemory(metrics, () => memory.states())
  publishDependencies(metrics, states)
  if (sharedStore) publishSharedStore(metrics, () => sharedStore.states())
  publishUsage(metrics, () => metering.states())
  publishDirectory(
    metrics,
    () => directory.size,
    () => directorySync.states(),
  )
}
