import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type AccessControl, openAccessControl } from '@fairlead/gateway-core/access-control'
import { createDirectory, type Directory } from '@fairlead/gateway-core/authentication/directory'
import { Clients } from '@fairlead/gateway-core/clients/clients'
import { ProgressDeadlines } from '@fairlead/gateway-core/http/progress-deadlines'
import type { HttpDependencies } from '@fairlead/gateway-core/http/dependencies'
import type { ProtocolDependencies, ProtocolModule } from '@fairlead/gateway-core/protocol/module'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { memoryCapacity, readMemoryLimits } from '@fairlead/gateway-core/memory/memory-capacity'
import { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import { createLoopDetector, type LoopDetector } from '@fairlead/gateway-core/network/cdn-loop'
import type { GatewayAddresses } from '@fairlead/gateway-core/network/gateway-addresses'
import {
  createUpstreamRules,
  type UpstreamPolicy,
  type UpstreamRules,
} from '@fairlead/gateway-core/network/upstream-rules'
import { type OpenedSharedStore, openSharedStore } from '@fairlead/gateway-core/shared-store/valkey-store'
import type { MetricsRegistry } from '@fairlead/gateway-core/telemetry/metrics-registry'
import type { Tracing } from '@fairlead/gateway-core/telemetry/current-trace'
import { passThroughTracing } from '@fairlead/gateway-core/telemetry/pass-through-tracing'
import { type Metering, startMetering } from '@fairlead/gateway-core/usage/metering'
import { createUsageStore } from '@fairlead/platform-server/records/usage'
import { syncDirectory, type DirectorySync } from '@fairlead/platform-server/store/directory-sync'
import type { Store } from '@fairlead/platform-server/store/open-store'
import { configuredAddresses } from '../configuration/configured-upstreams.ts'
import type { Configuration } from '../configuration/options.ts'
import type { DependencyState } from '../observe/dependency-states.ts'
import { watchDatabase } from '../observe/watch-database.ts'
import { costsOf } from '../protocols.ts'

/** Dependencies that the protocols and the platform API share. */
export interface Dependencies {
  readonly store: Store
  readonly log: Logger
  /** URLs of the embedded chains by protocol. */
  readonly embedded: Readonly<Record<string, string>>
  readonly tracing: Tracing
  readonly metering: Metering
  readonly directory: Directory
  readonly directorySync: DirectorySync
  readonly sharedStore: OpenedSharedStore | undefined
  /** States of the database and, where one is configured, of the shared store. */
  readonly states: () => readonly DependencyState[]
  readonly accessControl: AccessControl
  /** Counts the memory of what clients make the gateway hold. */
  readonly memory: MemoryLedger
  /** Spreads work over event-loop ticks. */
  readonly budget: TickBudget
  readonly clients: Clients
  readonly upstreamRules: UpstreamRules
  readonly loops: LoopDetector
  /** How long clients may stall. */
  readonly deadlines: ProgressDeadlines
  /** URLs of this gateway. */
  readonly gatewayAddresses: GatewayAddresses
  /** Sets the URLs of the ports. */
  setGatewayUrls(urls: readonly string[]): void
  /** Applies the options that can change while the gateway runs. */
  apply(configuration: Configuration): void
  close(): Promise<void>
}

/** Opens the dependencies that the protocols and the platform API share. */
export async function openDependencies(
  configuration: Configuration,
  {
    store,
    log,
    embedded = {},
    modules,
  }: Pick<Dependencies, 'store' | 'log'> &
    Partial<Pick<Dependencies, 'embedded'>> & { readonly modules: readonly ProtocolModule[] },
): Promise<Dependencies> {
  let { nodeDomain } = configuration
  let gatewayUrls: readonly string[] = []
  const gatewayAddresses = { urls: () => gatewayUrls, domain: () => nodeDomain }
  const trusted = { embedded, modules }
  const upstreamPolicy = upstreamPolicyOf(configuration, trusted)
  const progressLimits = progressLimitsOf(configuration)
  // Opened first, because it may fail.
  const tracing = await tracingOf(configuration)
  const metering = await startMetering({
    store: createUsageStore(store.db),
    directory: join(store.dataDirectory, 'usage'),
    units: configuration.units,
    costs: costsOf(modules),
    log,
  })
  const directory = createDirectory()
  const directorySync = await syncDirectory(store, directory, log)
  const { valkeyUrl } = configuration
  const sharedStore = valkeyUrl === undefined ? undefined : openSharedStore(valkeyUrl, log)
  const database = watchDatabase(() => sql`select 1`.execute(store.db), log)
  const memory = new MemoryLedger(memoryCapacityOf(configuration))
  const limitsOf = (limited: Configuration) => ({
    ...limited,
    maxTotalConcurrentCalls: maxConcurrentCalls(limited, memory),
  })
  const budget = new TickBudget()
  const accessControl = openAccessControl(limitsOf(configuration), {
    directory,
    store: sharedStore,
    log,
    usedSoFar: ({ owner, ownerId, period, counts }) => metering.usedSoFar.of(owner, ownerId, period)[counts],
  })
  return {
    store,
    log,
    embedded,
    tracing,
    metering,
    directory,
    directorySync,
    sharedStore,
    states: () => [
      { dependency: 'database', downSince: database.downSince() },
      ...(sharedStore
        ? [{ dependency: 'shared_store', downSince: sharedStore.states().downSince } as const]
        : []),
    ],
    accessControl,
    memory,
    budget,
    clients: new Clients({
      memory,
      budget,
      isProxy: accessControl.trustsProxy,
      addressOf: accessControl.authenticator.addressOf,
    }),
    upstreamRules: createUpstreamRules(upstreamPolicy, gatewayAddresses),
    loops: createLoopDetector(store.encryptor),
    deadlines: new ProgressDeadlines(progressLimits),
    gatewayAddresses,
    setGatewayUrls: (urls) => {
      gatewayUrls = urls
    },
    apply: (next) => {
      nodeDomain = next.nodeDomain
      Object.assign(progressLimits, progressLimitsOf(next))
      Object.assign(upstreamPolicy, upstreamPolicyOf(next, trusted))
      accessControl.change(limitsOf(next))
    },
    close: async () => {
      database.close()
      await accessControl.close()
      await sharedStore?.close()
      await metering.stop()
      await tracing.close()
    },
  }
}

/** Returns the dependencies of the requests of every protocol. */
export function httpDependencies(
  configuration: Configuration,
  { tracing, directory, accessControl, log, loops, memory, budget }: Dependencies,
  parts: Pick<HttpDependencies, 'authenticator' | 'meter'>,
): HttpDependencies {
  return {
    ...parts,
    tracing,
    logRequests: configuration.logRequests,
    directory,
    admission: accessControl.admission,
    log,
    timeoutMs: configuration.upstreamTimeoutMs,
    corsOrigin: configuration.nodeCorsOrigin,
    loops,
    memory,
    budget,
  }
}

/** Returns the dependencies that the gateway provides to protocols. */
export function protocolDependencies(
  { store, directory, memory, budget, sharedStore, upstreamRules, loops, deadlines, embedded }: Dependencies,
  http: HttpDependencies,
  metrics: MetricsRegistry,
  onMethodMissing: ProtocolDependencies['onMethodMissing'],
): ProtocolDependencies {
  const { fingerprint } = store.encryptor
  const shared = { directory, memory, budget, sharedStore, upstreamRules, loops, deadlines, embedded }
  return { ...shared, http, metrics, fingerprint, onMethodMissing }
}

/** Opens the configured tracing. The exporter is loaded only when tracing is configured. */
async function tracingOf({ tracingEndpoint, tracingRatio }: Configuration): Promise<Tracing> {
  if (tracingEndpoint === undefined) return passThroughTracing
  const { openTracing } = await import('../observe/tracing/open-tracing.ts')
  return openTracing({ endpoint: tracingEndpoint, ratio: tracingRatio })
}

function memoryCapacityOf({ maxHeldBytes, processes }: Configuration): number {
  // 0 processes = one for each core.
  return maxHeldBytes || memoryCapacity(readMemoryLimits(processes || availableParallelism()))
}

// A call costs about 16 KiB while it is in flight: all of them together a quarter of the memory for clients.
const memoryOfCall = 65_536

/** Limits the concurrent calls of the process to what its memory allows. */
function maxConcurrentCalls({ maxTotalConcurrentCalls }: Configuration, memory: MemoryLedger): number {
  return Math.min(maxTotalConcurrentCalls, Math.floor(memory.states().capacity / memoryOfCall))
}

function progressLimitsOf({ stallMs, minBytesPerSecond }: Configuration) {
  return { stallMs, minBytesPerSecond }
}

/**
 * Returns the policy for connections to upstreams. Embedded chains are as trusted as upstreams that the operator
 * configures.
 */
function upstreamPolicyOf(
  configuration: Configuration,
  { embedded, modules }: Pick<Dependencies, 'embedded'> & { readonly modules: readonly ProtocolModule[] },
): UpstreamPolicy {
  const { privateUpstreams } = configuration
  const configured = new Set([...configuredAddresses(configuration, modules), ...Object.values(embedded)])
  return { privateUpstreams, configured }
}
