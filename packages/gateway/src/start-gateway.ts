import { sql } from 'kysely'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { recordUse } from '@fairlead/gateway-core/authentication/record-use'
import { answerOverHttp2 } from '@fairlead/gateway-core/http/adapters/http2'
import { prometheusRegistry } from '@fairlead/gateway-core/telemetry/prometheus-registry'
import { createMeter } from '@fairlead/gateway-core/usage/meter'
import { createRequestMetrics } from '@fairlead/gateway-core/usage/request-metrics'
import { createRouting, type RoutedProtocol, type Routing } from '@fairlead/gateway-core/protocol/routing'
import { createHttp1Server } from '@fairlead/http1'
import { createCredentialUse } from '@fairlead/platform-server/credential-use/credential-use'
import { createPlatformApi } from '@fairlead/platform-server/platform-api/create-platform-api'
import { writeCredentialUses } from '@fairlead/platform-server/records/credential-uses'
import { createMethodAvailabilityStore } from '@fairlead/platform-server/records/node-methods'
import type { Store } from '@fairlead/platform-server/store/open-store'
import { startWebhooks } from '@fairlead/platform-server/webhooks/start-webhooks'
import { answerParserError } from './answer-client-error.ts'
import { openBeacon } from './compose/beacon.ts'
import { openDependencies } from './compose/dependencies.ts'
import { openEvm } from './compose/evm.ts'
import { openGrpc } from './compose/grpc.ts'
import { createHttpServer } from './compose/http-server.ts'
import { openJetton } from './compose/jetton.ts'
import type { RunningProtocol } from './compose/running-protocol.ts'
import { configuredGrpcRules } from './configuration/configured-grpc-rules.ts'
import { configuredOidc } from './configuration/configured-oidc.ts'
import type { Configuration } from './configuration/options.ts'
import { consoleFolder } from './console/console-files.ts'
import { consoleRoutes } from './console/console-routes.ts'
import { liveUpstreams } from '@fairlead/gateway-evm/upstream/upstream-states'
import { operationsRoutes } from './observe/operations-routes.ts'
import { publishStates } from './observe/states/publish-states.ts'
import { watchUnexpectedErrors } from './observe/watch-unexpected-errors.ts'
import { openPorts } from './ports/open-ports.ts'
import { probeOwnNodes } from './probe/probe-nodes.ts'
import { protocols } from './protocols.ts'

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
  const { store, log } = parts
  // Before anything is opened, as they may be wrong.
  const grpcRules = configuredGrpcRules(configuration)
  const oidc = configuredOidc(configuration)
  const own = await openDependencies(configuration, parts)
  const { accessControl, metering } = own
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const metrics = prometheusRegistry(registry)
  const endWatch = watchUnexpectedErrors(registry, log)
  const credentialUse = createCredentialUse({
    reporters: [(uses) => writeCredentialUses(store.db, uses), (uses) => webhooks.reportUses(uses)],
    log,
  })
  const dependencies = {
    ...own,
    metrics,
    http: {
      tracing: own.tracing,
      logRequests: configuration.logRequests,
      directory: own.directory,
      authenticator: recordUse(accessControl.authenticator, credentialUse),
      admission: accessControl.admission,
      meter: createMeter(createRequestMetrics(metrics), metering.counts),
      log,
      timeoutMs: configuration.upstreamTimeoutMs,
      corsOrigin: configuration.nodeCorsOrigin,
      loops: own.loops,
      bodyMemory: own.memory,
    },
  }
  // The probe finds out itself what it is refused.
  const evm = openEvm(configuration, dependencies, ({ nodeId, credentialId }) => {
    if (credentialId !== 'probe') probe.refused(nodeId)
  })
  const beacon = openBeacon(configuration, dependencies)
  const jetton = openJetton(configuration, dependencies)
  const grpc = openGrpc(configuration, dependencies, grpcRules, (stream, headers, _, raw) =>
    answerOverHttp2(app.server, own.deadlines, stream, headers, raw),
  )
  const running: readonly RunningProtocol[] = [beacon, evm, jetton, grpc]
  const probe = probeOwnNodes({
    store: createMethodAvailabilityStore(store),
    upstreams: evm.upstreams,
    log,
    timeoutMs: configuration.upstreamTimeoutMs,
    enabled: configuration.probeNodes,
    isScheduled: parts.isScheduledProber,
  })
  const send = { isPrivateAllowed: configuration.privateWebhookTargets, own: own.own }
  const webhooks = startWebhooks({ store, log, send, upstreams: () => evm.upstreams.states() })
  const close = async () => {
    await probe.end()
    await credentialUse.close()
    await webhooks.stop()
    await own.feed.end()
    await Promise.all(running.map((protocol) => protocol.close()))
    await own.close()
    endWatch()
  }

  let current = configuration
  let isDraining = false
  const operations = operationsRoutes({
    metrics: {
      contentType: registry.contentType,
      text: parts.publishMetrics?.(registry) ?? (() => registry.metrics()),
    },
    metricsToken: () => current.metricsToken,
    ready: async () => {
      if (isDraining) throw new Error('the service is being stopped')
      await sql`select 1`
        .execute(store.db)
        .catch(() => Promise.reject(new Error('the database does not answer')))
      const signal = AbortSignal.timeout(1_000)
      await Promise.all(running.map((protocol) => protocol.embeddedAnswer(signal))).catch(() =>
        Promise.reject(new Error('an embedded chain does not answer')),
      )
    },
  })
  const routed: readonly RoutedProtocol[] = [evm, beacon, jetton, grpc]
  let routing: Routing | undefined
  const nodes = {
    nodeDomain: configuration.nodeDomain,
    revealCredentials: configuration.revealCredentials,
    privateUpstreams: configuration.privateUpstreams,
    ownUrls: own.own.urls,
    upstreamStates: liveUpstreams(evm.upstreams),
    probe: (nodeId: string) => probe.request(nodeId),
  }
  const app = await createPlatformApi({
    store,
    log,
    protocols,
    webhooks: { send, wake: webhooks.wake },
    nodes,
    publicUrl: configuration.publicUrl,
    units: metering.units,
    requireHttps: configuration.requireHttps,
    trustProxy: accessControl.trustsProxy,
    failedAttempts: accessControl.failedAttempts,
    oidc,
    clientErrorHandler: answerParserError,
    serverFactory: (platform) => {
      routing = createRouting(routed, [...operations, ...consoleRoutes(consoleFolder())], platform)
      return createHttpServer(routing)
    },
  }).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const { maxBodyBytes } = configuration
  const front = configuration.ownHttpFront
    ? createHttp1Server(
        app.server,
        { maxBodyBytes, match: (target) => routing?.matchBuffered(target), newHeadState: () => ({}) },
        (request, response) => routing?.onBuffered(request, response),
      )
    : undefined
  const servers = {
    http1: app.server,
    front,
    http2: grpc.http2,
    deadlines: own.deadlines,
    isProxy: accessControl.trustsProxy,
  }
  const ports = await openPorts(configuration, servers, log).catch(async (error: unknown) => {
    await app.close()
    await close()
    throw error
  })
  const { url, tlsUrl } = ports
  own.setOwnUrls([url, tlsUrl, configuration.publicUrl].filter((each) => each !== undefined))
  publishStates(metrics, { ...own, upstreams: evm.upstreams, caches: evm.caches, ports, front })
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
      for (const protocol of running) protocol.apply(next)
      ports.change(next)
      Object.assign(nodes, { nodeDomain: next.nodeDomain, privateUpstreams: next.privateUpstreams })
      Object.assign(send, { isPrivateAllowed: next.privateWebhookTargets })
    },
    stop: async () => {
      await Promise.all([
        ...running.map((protocol) => protocol.stop(drainMs)),
        ports.close(drainMs + lastWordMs),
        app.close(),
      ])
      await close()
    },
  }
}
