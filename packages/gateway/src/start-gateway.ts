import { sql } from 'kysely'
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
import {
  type Dependencies,
  httpDependencies,
  openDependencies,
  protocolDependencies,
} from './compose/dependencies.ts'
import { openPlatform } from './compose/platform.ts'
import { openProtocols, type Protocols, validateSettings } from './compose/protocols.ts'
import { createRoutedServer, openServers, type RoutedServer } from './compose/servers.ts'
import { openTelemetry, publishStates } from './compose/telemetry.ts'
import { configuredOidc } from './configuration/configured-oidc.ts'
import type { Configuration } from './configuration/options.ts'
import { consoleFolder } from './console/console-files.ts'
import { consoleRoutes } from './console/console-routes.ts'
import { operationsRoutes } from './observe/operations-routes.ts'
import { probeOwnNodes } from './probe/probe-nodes.ts'
import { protocolModules } from './protocols.ts'
/** A running service. */
export interface Gateway {
  /** Address of the listening socket, for example `http://127.0.0.1:8645`. */
  readonly url: string
  /** Address of the TLS port, when there is one. */
  readonly tlsUrl?: string | undefined
  /** Says at `/readyz` that it is going, and ends each connection behind its next answer; everything is still served. */
  drain(): void
  /** The same, but takes no further connections; resolves when there are none left, or after the given time. */
  leave(graceMs: number): Promise<void>
  /** Takes over those options of a newer configuration that can change while it runs. */
  apply(configuration: Configuration): void
  /** Lets the requests in flight end, at most ten seconds, and closes everything that was opened here. */
  stop(): Promise<void>
}

/** What a service runs on; the caller opened it and closes it. */
export interface GatewayParts {
  readonly store: Store
  readonly log: Logger
  /** Protocols that are served; those of this package when left out. */
  readonly modules?: readonly ProtocolModule[] | undefined
  /** Addresses of the embedded chains by protocol, for nodes whose upstream is `devnet`. */
  readonly embedded?: Readonly<Record<string, string>>
  /** Where several processes serve: makes this one's metrics known, and gives what reads those of all, as text. */
  readonly publishMetrics?: (registry: Registry) => () => Promise<string>
  /** Where several processes serve: whether this one probes at the start and once a day; true when left out. */
  readonly isScheduledProber?: boolean
}

const drainMs = 10_000
// What is told of its end when the time is up still has to hear it.
const lastWordMs = 500

/** The longest that the end of a service takes, in milliseconds. */
export const longestStopMs = drainMs + lastWordMs

/**
 * Starts the service: the platform API and the access to nodes on one port.
 *
 * @param configuration - parsed configuration
 * @param parts - store, log and embedded chains
 * @returns the running service
 * @throws FairleadError `CONFIG_INVALID` when the port is taken or the address cannot be listened on
 */
export async function startGateway(configuration: Configuration, parts: GatewayParts): Promise<Gateway> {
  const { store, log, modules = protocolModules } = parts
  // Before anything is opened, as they may be wrong.
  validateSettings(modules, configuration)
  const oidc = configuredOidc(configuration)
  const own = await openDependencies(configuration, { ...parts, modules })
  const telemetry = openTelemetry(log, parts.publishMetrics)
  const { metrics } = telemetry
  const credentialUse = createCredentialUse({
    reporters: [(uses) => writeCredentialUses(store.db, uses), (uses) => platform.webhooks.reportUses(uses)],
    log,
  })
  const http = httpDependencies(configuration, own, {
    authenticator: recordUse(own.accessControl.authenticator, credentialUse),
    meter: createMeter(createRequestMetrics(metrics), own.metering.counts),
  })
  const ofProtocols = protocolDependencies(own, http, metrics, ({ nodeId, credentialId }) => {
    // The probe finds out itself what it is refused.
    if (credentialId !== 'probe') probe.refused(nodeId)
  })
  const protocols = await openProtocols(modules, ofProtocols, configuration).catch(async (error: unknown) => {
    await credentialUse.close()
    await own.feed.end()
    await own.close()
    telemetry.close()
    throw error
  })
  const probed = protocols.all.filter(({ prober }) => prober !== undefined)
  const probe = probeOwnNodes({
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
  const platform = openPlatform(configuration, own, {
    descriptions,
    protocols,
    oidc,
    probe: (nodeId) => probe.request(nodeId),
  })
  const close = async () => {
    await probe.end()
    await credentialUse.close()
    await platform.webhooks.stop()
    await own.feed.end()
    await protocols.close()
    await own.close()
    telemetry.close()
  }

  let current = configuration
  let isDraining = false
  const operations = operationsRoutes({
    metrics: telemetry,
    metricsToken: () => current.metricsToken,
    ready: async () => {
      if (isDraining) throw new Error('the service is being stopped')
      await assertReady(own, protocols)
    },
  })
  let server: RoutedServer | undefined
  const app = await platform
    .createApi((platformApi) => {
      const ownRoutes = [...operations, ...consoleRoutes(consoleFolder())]
      server = createRoutedServer(protocols.all, ownRoutes, platformApi)
      return server.http
    })
    .catch(async (error: unknown) => {
      await close()
      throw error
    })
  const ports = await openServers(configuration, server as RoutedServer, own, metrics, log).catch(
    async (error: unknown) => {
      await app.close()
      await close()
      throw error
    },
  )
  const { url, tlsUrl } = ports
  own.setOwnUrls([url, tlsUrl, configuration.publicUrl].filter((each) => each !== undefined))
  publishStates(metrics, own, protocols)
  return {
    url,
    tlsUrl,
    drain: () => {
      isDraining = true
      ports.drain()
    },
    leave: async (graceMs) => {
      isDraining = true
      await ports.leave(graceMs)
    },
    apply: (next) => {
      current = next
      own.apply(next)
      protocols.reconfigure(next)
      ports.change(next)
      platform.reconfigure(next)
    },
    stop: async () => {
      await Promise.all([protocols.drain(drainMs), ports.close(drainMs + lastWordMs), app.close()])
      await close()
    },
  }
}

/** @throws Error that names what does not answer */
async function assertReady({ store }: Dependencies, protocols: Protocols): Promise<void> {
  await sql`select 1`.execute(store.db).catch(() => Promise.reject(new Error('the database does not answer')))
  await protocols
    .ready(AbortSignal.timeout(1_000))
    .catch(() => Promise.reject(new Error('an embedded chain does not answer')))
}
