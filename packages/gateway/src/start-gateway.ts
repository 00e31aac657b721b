import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { openAccessControl } from '@fairlead/gateway-core/access-control'
import { createDirectory } from '@fairlead/gateway-core/authentication/directory'
import { createBeaconUpstreams } from '@fairlead/gateway-beacon/upstream/beacon-upstreams'
import { createEventMultiplexers } from '@fairlead/gateway-beacon/events/multiplexers'
import { MemoryBudget } from '@fairlead/gateway-core/memory/memory-budget'
import { createResponseCaches } from '@fairlead/gateway-evm/cache/caches'
import { createEvmUpstreams } from '@fairlead/gateway-evm/upstream/evm-upstreams'
import { createGrpc } from '@fairlead/gateway-grpc/module'
import { createJettonUpstreams } from '@fairlead/gateway-jetton/upstream/jetton-upstreams'
import { createHttp1Server, guarded } from '@fairlead/http1'
import { createBeaconListener } from '@fairlead/gateway-beacon/http/beacon-http'
import { createJettonListener } from '@fairlead/gateway-jetton/http/jetton-http'
import { answerExpectation, answerParserError } from './answer-client-error.ts'
import { answerInternalError } from './answer-internal-error.ts'
import { answerOverHttp2 } from '@fairlead/gateway-core/http/adapters/http2'
import { ProgressDeadlines } from '@fairlead/gateway-core/http/progress-deadlines'
import { createJsonRpcListener } from '@fairlead/gateway-evm/http/json-rpc-http'
import { matchNodePath } from '@fairlead/gateway-evm/http/node-path'
import { createWebSocketListener } from '@fairlead/gateway-evm/websocket/json-rpc-websocket'
import { createMeter } from '@fairlead/gateway-core/usage/meter'
import { startMetering } from '@fairlead/gateway-core/usage/metering'
import { beaconFormat } from '@fairlead/gateway-beacon/http/beacon-format'
import { jettonFormat } from '@fairlead/gateway-jetton/http/jetton-format'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import { createSubscriptionMultiplexers } from '@fairlead/gateway-evm/subscriptions/multiplexers'
import { configuredGrpcRules } from './configuration/configured-grpc-rules.ts'
import { configuredOidc } from './configuration/configured-oidc.ts'
import type { Configuration } from './configuration/options.ts'
import { configuredAddresses } from './configuration/configured-upstreams.ts'
import { consoleFolder } from './console/console-files.ts'
import { createConsoleListener } from './console/console-listener.ts'
import { createCredentialUse } from '@fairlead/platform-server/credential-use/credential-use'
import { createPlatformApi } from '@fairlead/platform-server/platform-api/create-platform-api'
import { writeCredentialUses } from '@fairlead/platform-server/records/credential-uses'
import { createMethodAvailabilityStore } from '@fairlead/platform-server/records/node-methods'
import { createUsageStore } from '@fairlead/platform-server/records/usage'
import type { Store } from '@fairlead/platform-server/store/open-store'
import { startWebhooks } from '@fairlead/platform-server/webhooks/start-webhooks'
import { createLoopDetector } from '@fairlead/gateway-core/network/cdn-loop'
import { createUpstreamRules, type UpstreamPolicy } from '@fairlead/gateway-core/network/upstream-rules'
import { feedDirectory } from '@fairlead/platform-server/store/directory-sync'
import { liveUpstreams } from './live-upstreams.ts'
import { applyConfiguration } from './apply-configuration.ts'
import { recordUse } from '@fairlead/gateway-core/authentication/record-use'
import { createMetrics } from './observe/metrics.ts'
import { publishStates } from './observe/states/publish-states.ts'
import { tracingOf } from './observe/tracing/tracing-of.ts'
import { createOperationsListener } from './observe/operations-listener.ts'
import { prometheusRegistry } from '@fairlead/gateway-core/telemetry/prometheus-registry'
import { watchUnexpectedErrors } from './observe/watch-unexpected-errors.ts'
import { httpLimits, seeAllHeaders } from './ports/http-limits.ts'
import { openPorts } from './ports/open-ports.ts'
import { protocolCosts, protocols, reserved } from './protocols.ts'
import { probeOwnNodes } from './probe/probe-nodes.ts'
import { hasSecondHost, rejectSecondHost } from './reject-second-host.ts'
import { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import { openSharedStore } from '@fairlead/gateway-core/shared-store/valkey-store'

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
const longestConnectMs = 5_000

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
  const rules = configuredGrpcRules(configuration)
  const oidc = configuredOidc(configuration)
  const {
    websocket: embeddedSocket,
    beacon: embeddedBeacon,
    jetton: embeddedJetton,
    grpc: embeddedGrpc,
    ...embedded
  } = parts.embedded ?? {}
  let current = configuration
  let isDraining = false
  let ownUrls: readonly string[] = []
  const own = { urls: () => ownUrls, domain: () => current.nodeDomain }
  const upstreamPolicy = upstreamPolicyOf(configuration, parts.embedded)
  const upstreamRules = createUpstreamRules(upstreamPolicy, own)
  const loops = createLoopDetector(store.encryptor)
  const loopEntry = loops.entry
  // Before anything is opened, as it may fail.
  const tracing = await tracingOf(configuration)
  const metering = await startMetering({
    store: createUsageStore(store.db),
    directory: join(store.dataDirectory, 'usage'),
    units: configuration.units,
    costs: protocolCosts,
    log,
  })
  const directory = createDirectory()
  const feed = await feedDirectory(store, directory, log)
  const { valkeyUrl } = configuration
  const sharedStore = valkeyUrl === undefined ? undefined : openSharedStore(valkeyUrl, log)
  const accessControl = openAccessControl(configuration, {
    costs: protocolCosts,
    directory,
    store: sharedStore,
    log,
    usedSoFar: ({ owner, ownerId, period, counts }) => metering.usedSoFar.of(owner, ownerId, period)[counts],
  })
  const memory = new MemoryBudget(configuration.maxHeldBytes)
  const upstreams = createEvmUpstreams(configuration.upstreamTimeoutMs, embedded, memory, {
    pollMs: configuration.headPollMs,
    hedges: configuration.upstreamHedges,
    log,
    rules: upstreamRules,
    loopEntry,
    fingerprint: store.encryptor.fingerprint,
    // The probe finds out itself what it is refused.
    onRefused: ({ nodeId, credentialId }) => void (credentialId !== 'probe' && probe.refused(nodeId)),
  })
  const answers = createResponseCaches({
    maxBytes: configuration.cacheBytes,
    headMs: configuration.cacheHeadMs,
    upstreamLogRange: configuration.upstreamLogRange,
    chainOf: (grant) => upstreams.chainOf(grant),
    store: new DeadlineStore(sharedStore),
  })
  const multiplexers = createSubscriptionMultiplexers({
    upstreams,
    embeddedSocket,
    pollMs: configuration.headPollMs,
    timeoutMs: configuration.upstreamTimeoutMs,
    log,
    rules: upstreamRules,
    loopEntry,
  })
  const beaconUpstreams = createBeaconUpstreams({
    open: (address) =>
      createRestUpstream(
        address,
        configuration.upstreamTimeoutMs,
        beaconFormat,
        upstreamRules.of(address),
        loopEntry,
      ),
    embedded: embeddedBeacon,
    maxCacheBytes: configuration.cacheBytes,
  })
  const jettonUpstreams = createJettonUpstreams({
    open: (address) =>
      createRestUpstream(
        address,
        configuration.upstreamTimeoutMs,
        jettonFormat,
        upstreamRules.of(address),
        loopEntry,
      ),
    embedded: embeddedJetton,
    memory,
  })
  const metrics = createMetrics({
    upstreamSubscriptions: () => multiplexers.upstreamSubscriptions(),
    upstreamEventStreams: () => eventMultiplexers.upstreamStreams(),
  })
  const endWatch = watchUnexpectedErrors(metrics.registry, log)
  const eventMultiplexers = createEventMultiplexers({
    nodes: beaconUpstreams,
    directory,
    maxBufferBytes: configuration.maxWebSocketBufferBytes,
    metrics: metrics.events,
    meter: (measured) => httpDependencies.meter(measured),
  })
  const operations = createOperationsListener({
    metrics: {
      contentType: metrics.registry.contentType,
      text: parts.publishMetrics?.(metrics.registry) ?? (() => metrics.registry.metrics()),
    },
    metricsToken: () => current.metricsToken,
    ready: async () => {
      if (isDraining) throw new Error('the service is being stopped')
      await sql`select 1`
        .execute(store.db)
        .catch(() => Promise.reject(new Error('the database does not answer')))
      const signal = AbortSignal.timeout(1_000)
      await Promise.all([
        upstreams.embeddedAnswer(signal),
        beaconUpstreams.embeddedAnswer(signal),
        jettonUpstreams.embeddedAnswer(signal),
        grpc.embeddedAnswer(signal),
      ]).catch(() => Promise.reject(new Error('an embedded chain does not answer')))
    },
  })
  const credentialUse = createCredentialUse({
    reporters: [(uses) => writeCredentialUses(store.db, uses), (uses) => webhooks.reportUses(uses)],
    log,
  })
  const httpDependencies = {
    tracing,
    logRequests: configuration.logRequests,
    directory,
    authenticator: recordUse(accessControl.authenticator, credentialUse),
    admission: accessControl.admission,
    meter: createMeter(metrics.requests, metering.counts),
    log,
    timeoutMs: configuration.upstreamTimeoutMs,
    corsOrigin: configuration.nodeCorsOrigin,
    loops,
    bodyMemory: memory,
  }
  const dependencies = {
    ...httpDependencies,
    upstreams,
    reserved,
    maxBodyBytes: configuration.maxBodyBytes,
    maxBatchItems: configuration.maxBatchItems,
    maxLogRange: configuration.maxLogRange,
    answers,
  }
  const progressLimits = progressLimitsOf(configuration)
  const deadlines = new ProgressDeadlines(progressLimits)
  const consoleListener = createConsoleListener(consoleFolder())
  const jsonRpc = createJsonRpcListener(dependencies)
  const { maxBodyBytes, maxBeaconBodyBytes } = configuration
  const beaconDependencies = { ...httpDependencies, beaconUpstreams, eventMultiplexers, maxBeaconBodyBytes }
  const beacon = createBeaconListener(beaconDependencies)
  const jettonDependencies = { ...httpDependencies, jettonUpstreams, reserved, maxBodyBytes }
  const jetton = createJettonListener(jettonDependencies)
  const grpc = createGrpc({
    ...httpDependencies,
    metrics: metrics.grpc,
    embedded: embeddedGrpc,
    upstreamRules,
    deadlines,
    otherwise: (stream, headers, _, raw) => answerOverHttp2(app.server, deadlines, stream, headers, raw),
    connectTimeoutMs: Math.min(configuration.upstreamTimeoutMs, longestConnectMs),
    rules,
    maxOpenCalls: configuration.maxGrpcCalls,
    maxStalledCalls: configuration.maxStalledGrpcCalls,
    maxBodyBytes,
  })
  const webSocketPlane = {
    ...dependencies,
    multiplexers,
    metrics: metrics.webSockets,
    maxCalls: configuration.maxWebSocketCalls,
    maxSubscriptions: configuration.maxWebSocketSubscriptions,
    maxSocketsPerCredential: configuration.maxWebSocketsPerCredential,
    maxSubscriptionsPerCredential: configuration.maxSubscriptionsPerCredential,
    maxUnfilteredLogsPerCredential: configuration.maxUnfilteredLogsPerCredential,
    maxBufferBytes: configuration.maxWebSocketBufferBytes,
    pingMs: configuration.webSocketPingMs,
  }
  const webSockets = createWebSocketListener(webSocketPlane)
  const probe = probeOwnNodes({
    store: createMethodAvailabilityStore(store),
    upstreams,
    log,
    timeoutMs: configuration.upstreamTimeoutMs,
    enabled: configuration.probeNodes,
    isScheduled: parts.isScheduledProber,
  })
  const closeOwn = async () => {
    await probe.end()
    await credentialUse.close()
    await webhooks.stop()
    await feed.end()
    multiplexers.close()
    eventMultiplexers.close()
    await Promise.all([upstreams.close(), beaconUpstreams.close(), jettonUpstreams.close(), grpc.close()])
    await accessControl.close()
    await sharedStore?.close()
    await metering.stop()
    await tracing.close()
    endWatch()
  }
  const send = { isPrivateAllowed: configuration.privateWebhookTargets, own }
  const webhooks = startWebhooks({ store, log, send, upstreams: () => upstreams.states() })
  const nodes = {
    nodeDomain: configuration.nodeDomain,
    revealCredentials: configuration.revealCredentials,
    privateUpstreams: configuration.privateUpstreams,
    ownUrls: () => ownUrls,
    upstreamStates: liveUpstreams(upstreams),
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
      const takesUpgrade = (request: IncomingMessage) => !hasSecondHost(request) && webSockets.takes(request)
      const options = { ...httpLimits, shouldUpgradeCallback: takesUpgrade }
      const answer = (request: IncomingMessage, response: ServerResponse) => {
        const taken =
          rejectSecondHost(request, response) ||
          operations(request, response) ||
          consoleListener(request, response) ||
          grpc.web(request, response) ||
          webSockets.refuse(request, response) ||
          beacon(request, response) ||
          jetton(request, response) ||
          jsonRpc(request, response)
        if (!taken) platform(request, response)
      }
      const server = createServer(options, guarded('http', answer, answerInternalError))
      const upgrade = guarded('upgrade', webSockets.upgrade, (_, socket) => socket.destroy())
      return seeAllHeaders(server).on('upgrade', upgrade).on('checkExpectation', answerExpectation)
    },
  }).catch(async (error: unknown) => {
    await closeOwn()
    throw error
  })
  const front = configuration.ownHttpFront
    ? createHttp1Server(
        app.server,
        { maxBodyBytes, match: (target) => matchNodePath(target, reserved), newHeadState: () => ({}) },
        jsonRpc,
      )
    : undefined
  const servers = {
    http1: app.server,
    front,
    http2: grpc.http2,
    deadlines,
    isProxy: accessControl.trustsProxy,
  }
  const ports = await openPorts(configuration, servers, log).catch(async (error: unknown) => {
    await app.close()
    await closeOwn()
    throw error
  })
  ownUrls = [ports.url, ports.tlsUrl, configuration.publicUrl].filter((url) => url !== undefined)
  publishStates(prometheusRegistry(metrics.registry), {
    upstreams,
    answers,
    accessControl,
    sharedStore,
    metering,
    directory,
    feed,
    ports,
    front,
  })
  const stop = async () => {
    eventMultiplexers.close()
    await Promise.all([
      ports.close(drainMs + lastWordMs),
      app.close(),
      webSockets.stop(drainMs),
      grpc.stop(drainMs),
    ])
    await closeOwn()
  }
  const drain = () => {
    isDraining = true
    ports.drain()
  }
  const leave = async (graceMs: number) => {
    isDraining = true
    await ports.leave(graceMs)
  }
  const apply = (next: Configuration) => {
    current = next
    Object.assign(progressLimits, progressLimitsOf(next))
    Object.assign(upstreamPolicy, upstreamPolicyOf(next, parts.embedded))
    applyConfiguration(next, {
      planes: [beaconDependencies, jettonDependencies],
      jsonRpc: dependencies,
      webSocket: webSocketPlane,
      grpc,
      accessControl,
      ports,
      upstreams,
      answers,
      nodes,
      send,
    })
  }
  const { url, tlsUrl } = ports
  return { url, tlsUrl, drain, leave, apply, stop }
}

function progressLimitsOf({ stallMs, minBytesPerSecond }: Configuration) {
  return { stallMs, minBytesPerSecond }
}

/** What decides about connections to upstreams: the embedded chains are as trusted as what the operator configures. */
function upstreamPolicyOf(
  configuration: Configuration,
  embedded: GatewayParts['embedded'] = {},
): UpstreamPolicy {
  const { privateUpstreams } = configuration
  const configured = new Set([...configuredAddresses(configuration), ...Object.values(embedded)])
  return { privateUpstreams, configured }
}
