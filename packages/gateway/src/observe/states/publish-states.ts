import { getHeapStatistics } from 'node:v8'
import type { AccessControl } from '@fairlead/gateway-core/access-control'
import type { Directory } from '@fairlead/gateway-core/authentication/directory'
import type { ResponseCaches } from '@fairlead/gateway-evm/cache/caches'
import type { EvmUpstreams } from '@fairlead/gateway-evm/upstream/evm-upstreams'
import type { Http1Server } from '@fairlead/http1'
import type { Metering } from '@fairlead/gateway-core/usage/metering'
import type { RunningFeed } from '@fairlead/platform-server/store/directory-sync'
import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'
import type { Ports } from '../../ports/open-ports.ts'
import type { OpenedSharedStore } from '@fairlead/gateway-core/shared-store/valkey-store'
import { publishAdmission } from '@fairlead/gateway-core/admission/metrics'
import { publishCache } from '@fairlead/gateway-evm/cache/metrics'
import { publishConnections } from './connection-metrics.ts'
import {
  publishDirectory,
  publishSharedStore,
  publishUsage,
} from '@fairlead/gateway-core/telemetry/store-metrics'
import { publishUpstreams } from '@fairlead/gateway-core/upstream/metrics'

/** The parts of the service that say how they are when they are asked. */
interface StatefulParts {
  readonly upstreams: EvmUpstreams
  readonly caches: ResponseCaches
  readonly accessControl: AccessControl
  readonly sharedStore: OpenedSharedStore | undefined
  readonly metering: Metering
  readonly directory: Directory
  readonly feed: RunningFeed
  readonly ports: Ports
  readonly front: Http1Server | undefined
}

/** Adds what the parts of the service count for themselves to the metrics. They are asked only when the metrics are read. */
export function publishStates(registry: MetricsRegistry, parts: StatefulParts): void {
  const { upstreams, caches, accessControl, sharedStore, metering, directory, feed, ports, front } = parts
  publishProcess(registry)
  publishUpstreams(registry, () => upstreams.states())
  publishCache(registry, () => caches.states())
  publishAdmission(registry, () => accessControl.states())
  if (sharedStore) publishSharedStore(registry, () => sharedStore.states())
  publishUsage(registry, () => metering.states())
  publishDirectory(
    registry,
    () => directory.size,
    () => feed.states(),
  )
  publishConnections(registry, () => ports.connections(), front && (() => front.states()))
}

/** Publishes what the memory of the process is measured against. */
function publishProcess(registry: MetricsRegistry): void {
  registry.gauge(
    'fairlead_heap_limit_bytes',
    'Most memory that the heap of the process may take.',
    [],
    (set) => set({}, getHeapStatistics().heap_size_limit),
  )
}
