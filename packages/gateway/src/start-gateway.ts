import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { recordUse } from '@fairlead/gateway-core/authentication/record-use'
import type { ProtocolModule } from '@fairlead/gateway-core/protocol/module'
import { createMeter } from '@fairlead/gateway-core/usage/meter'
import { createRequestMetrics } from '@fairlead/gateway-core/usage/request-metrics'
import { createCredentialUse } from '@fairlead/platform-server/credential-use/credential-use'
import { writeCredentialUses } from '@fairlead/platform-server/records/credential-uses'
import { createMethodAvailabilityStore } from '@fairlead/platform-server/records/node-methods'
import type { Store } from '@fairlead/platform-server/store/open-store'
import { httpDependencies, openDependencies, protocolDependencies } from './compose/dependencies.ts'
import { openPlatform } from './compose/platform.ts'
import { openProtocols, validateSettings } from './compose/protocols.ts'
import { createRoutedServer, openServers, type RoutedServer } from './compose/servers.ts'
import { openTelemetry, publishStates } from './compose/telemetry.ts'
import { configuredOidc } from './configuration/configured-oidc.ts'
import type { Configuration } from './configuration/options.ts'
import { consoleFolder } from './console/console-files.ts'
import { consoleRoutes } from './console/console-routes.ts'
import { operationsRoutes } from './observe/operations-routes.ts'
import { createReadinessCheck } from './observe/readiness.ts'
import { startNodeProbe } from './probe/probe-nodes.ts'
import { protocolModules } from './protocols.ts'
/** A running gateway. */
export interface Gateway {
  /** URL of the listening socket, for example `http://127.0.0.1:8645`. */
  readonly url: string
  /** URL of the TLS port, when there is one. */
  readonly tlsUrl?: string | undefined
  /**
   * Reports at `/readyz` that it is shutting down, and closes each connection after its next response. It still serves
   * all requests.
   */
  drain(): void
  /**
   * Does the same, and accepts no further connections. Resolves when no connections are left, or after the given time.
   */
  stopListening(graceMs: number): Promise<void>
  /** Applies the options of a newer configuration that can change while the gateway runs. */
  apply(configuration: Configuration): void
  /** Waits at most ten seconds for the requests in flight, and closes everything that was opened here. */
  stop(): Promise<void>
}

/** Resources of a gateway. The caller opens and closes them. */
export interface GatewayParts {
  readonly store: Store
  readonly log: Logger
  /** Protocols to serve; those of this package when omitted. */
  readonly modules?: readonly ProtocolModule[] | undefined
  /** URLs of the embedded chains by protocol, for nodes whose upstream is `devnet`. */
  readonly embedded?: Readonly<Record<string, string>>
  /**
   * With several processes: publishes the metrics of this process, and returns a function that reads the metrics of all
   * processes, as text.
   */
  readonly publishMetrics?: (registry: Registry) => () => Promise<string>
  /** With several processes: whether this one probes at startup and once a day; true when omitted. */
  readonly isScheduledProber?: boolean
}

const chainTimeoutMs = 1_000
const drainMs = 10_000
// Clients whose requests end at the timeout still have to receive the reason.
const finalReportMs = 500

/** Maximum duration of a shutdown, in milliseconds. */
export const maxStopMs = drainMs + finalReportMs

/**
 * Starts the gateway: the platform API and the access to nodes on one port.
 *
 * @param configuration - parsed configuration
 * @param parts - store, log and embedded chains
 * @returns the running gateway
 * @throws FairleadError `CONFIG_INVALID` when the port is taken or the gateway cannot listen on the address
 */
export async function startGateway(configuration: Configuration, parts: GatewayParts): Promise<Gateway> {
  const { store, log, modules = protocolModules } = parts
  // Validates the settings before anything is opened.
  validateSettings(modules, configuration)
  const oidc = configuredOidc(configuration)
  const dependencies = await openDependencies(configuration, { ...parts, modules })
  const telemetry = openTelemetry(log, parts.publishMetrics)
  const { metrics } = telemetry
  const credentialUse = createCredentialUse({
    reporters: [(uses) => writeCredentialUses(store.db, uses), (uses) => platform.webhooks.reportUses(uses)],
    log,
  })
  const http = httpDependencies(configuration, dependencies, {
    authenticator: recordUse(dependencies.accessControl.authenticator, credentialUse),
    meter: createMeter(createRequestMetrics(metrics), dependencies.metering.counts),
  })
  const ofProtocols = protocolDependencies(dependencies, http, metrics, ({ nodeId, isOfGateway }) => {
    // The probe detects rejected methods itself.
    if (!isOfGateway) probe.methodRejected(nodeId)
  })
  const protocols = await openProtocols(modules, ofProtocols, configuration).catch(async (error: unknown) => {
    await credentialUse.close()
    await dependencies.directorySync.end()
    await dependencies.close()
    telemetry.close()
    throw error
  })
  const probed = protocols.all.filter(({ prober }) => prober !== undefined)
  const probe = startNodeProbe({
    store: createMethodAvailabilityStore(
      store,
      probed.map(({ description }) => description.name),
    ),
    probers: probed.flatMap(({ prober }) => prober ?? []),
    log,
    enabled: configuration.probeNodes,
    isScheduled: parts.isScheduledProber,
  })
  const descriptions = modules.map(({ description }) => description)
  const platform = openPlatform(configuration, dependencies, {
    descriptions,
    protocols,
    oidc,
    probe: (nodeId) => probe.request(nodeId),
  })
  const close = async () => {
    await probe.end()
    await credentialUse.close()
    await platform.webhooks.stop()
    await dependencies.directorySync.end()
    await protocols.close()
    await dependencies.close()
    telemetry.close()
  }

  let current = configuration
  let isDraining = false
  const operations = operationsRoutes({
    metrics: telemetry,
    listeningHost: configuration.host,
    metricsToken: () => current.metricsToken,
    ready: createReadinessCheck({
      isDraining: () => isDraining,
      checkChains: () => protocols.ready(AbortSignal.timeout(chainTimeoutMs)),
      dependencies: dependencies.states,
    }),
  })
  let server: RoutedServer | undefined
  const app = await platform
    .createApi((platformApi) => {
      const gatewayRoutes = [...operations, ...consoleRoutes(consoleFolder())]
      server = createRoutedServer(protocols.all, gatewayRoutes, platformApi, dependencies.clients)
      return server.http
    })
    .catch(async (error: unknown) => {
      await close()
      throw error
    })
  const ports = await openServers(configuration, server as RoutedServer, dependencies, metrics, log).catch(
    async (error: unknown) => {
      await app.close()
      await close()
      throw error
    },
  )
  const { url, tlsUrl } = ports
  dependencies.setGatewayUrls([url, tlsUrl, configuration.publicUrl].filter((each) => each !== undefined))
  publishStates(metrics, dependencies, protocols)
  return {
    url,
    tlsUrl,
    drain: () => {
      isDraining = true
      ports.drain()
    },
    stopListening: async (graceMs) => {
      isDraining = true
      await ports.stopListening(graceMs)
    },
    apply: (next) => {
      current = next
      dependencies.apply(next)
      protocols.reconfigure(next)
      ports.change(next)
      platform.reconfigure(next)
    },
    stop: async () => {
      await Promise.all([protocols.drain(drainMs), ports.close(drainMs + finalReportMs), app.close()])
      await close()
    },
  }
}
