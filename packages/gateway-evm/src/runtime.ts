import { staleGrants } from '@fairlead/gateway-core/authentication/directory'
import {
  applyCommonSettings,
  type Protocol,
  type ProtocolDependencies,
  type ProtocolRuntime,
  type ProtocolSettings,
} from '@fairlead/gateway-core/protocol/module'
import { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import { sendToUpstream } from './upstream/send-to-upstream.ts'
import { createResponseCaches } from './cache/caches.ts'
import { publishCache } from './cache/metrics.ts'
import { checkUpstream } from './check-upstream.ts'
import { evm } from './description.ts'
import { createJsonRpcHandler } from './http/json-rpc-http.ts'
import type { evmOptions } from './options.ts'
import { createMethodProber } from './probe/method-prober.ts'
import { createSubscriptionMultiplexers } from './subscriptions/multiplexers.ts'
import { createEvmUpstreams } from './upstream/evm-upstreams.ts'
import { createWebSocketListener } from './websocket/json-rpc-websocket.ts'
import { createWebSocketMetrics } from './websocket/metrics.ts'

type EvmSettings = ProtocolSettings<typeof evmOptions>

export const runtime: ProtocolRuntime<EvmSettings> = { open: openEvm, checkUpstream }

function openEvm(dependencies: ProtocolDependencies, settings: EvmSettings): Protocol<EvmSettings> {
  const { http, memory, budget, upstreamRules: rules, sharedStore, metrics, embedded, loops } = dependencies
  const { headPollMs: pollMs, upstreamTimeoutMs: timeoutMs } = settings
  const { websocket: embeddedSocket, evm: embeddedUrl } = embedded
  const { log } = http
  const isStale = staleGrants(dependencies.directory)
  const upstreams = createEvmUpstreams(
    timeoutMs,
    embeddedUrl === undefined ? {} : { evm: embeddedUrl },
    memory,
    {
      pollMs,
      hedges: settings.upstreamHedges,
      log,
      rules,
      loopEntry: loops.entry,
      fingerprint: dependencies.fingerprint,
      isStale,
      onMethodMissing: dependencies.onMethodMissing,
    },
  )
  const caches = createResponseCaches({
    send: sendToUpstream,
    maxBytes: settings.cacheBytes,
    budget,
    headMs: settings.cacheHeadMs,
    upstreamLogRange: settings.upstreamLogRange,
    chainOf: (grant) => upstreams.chainOf(grant),
    store: new DeadlineStore(sharedStore),
  })
  publishCache(metrics, () => caches.states())
  const loopEntry = loops.entry
  const multiplexers = createSubscriptionMultiplexers({
    upstreams,
    embeddedSocket,
    pollMs,
    timeoutMs,
    log,
    rules,
    loopEntry,
    isStale,
  })
  const httpDependencies = {
    ...http,
    upstreams,
    budget,
    maxBodyBytes: settings.maxBodyBytes,
    ...requestLimitsOf(settings),
    caches,
  }
  const webSocketDependencies = {
    ...httpDependencies,
    memory,
    multiplexers,
    metrics: createWebSocketMetrics(metrics, () => multiplexers.upstreamSubscriptions()),
    ...webSocketLimitsOf(settings),
    maxBufferBytes: settings.maxWebSocketBufferBytes,
    pingMs: settings.webSocketPingMs,
  }
  const webSockets = createWebSocketListener(webSocketDependencies)
  return {
    description: evm,
    handle: createJsonRpcHandler(httpDependencies),
    upgrade: webSockets.upgrade,
    upgradeRequired: webSockets.upgradeRequired,
    ready: (signal) => upstreams.waitForEmbedded(signal),
    upstreamStates: () => upstreams.states(),
    nodeUpstreamStates: (grant) => upstreams.statesOf(grant),
    prober: createMethodProber(upstreams, log, timeoutMs),
    reconfigure: (next) => {
      for (const into of [httpDependencies, webSocketDependencies]) {
        applyCommonSettings(into, next)
        Object.assign(into, requestLimitsOf(next))
      }
      Object.assign(webSocketDependencies, webSocketLimitsOf(next))
      upstreams.change({ hedges: next.upstreamHedges })
      caches.change({ headMs: next.cacheHeadMs, upstreamLogRange: next.upstreamLogRange })
    },
    drain: (milliseconds) => webSockets.stop(milliseconds),
    close: async () => {
      multiplexers.close()
      await upstreams.close()
    },
  }
}

function requestLimitsOf({ maxBatchItems, maxLogRange }: EvmSettings) {
  return { maxBatchItems, maxLogRange }
}

function webSocketLimitsOf(settings: EvmSettings) {
  return {
    maxCalls: settings.maxWebSocketCalls,
    maxSubscriptions: settings.maxWebSocketSubscriptions,
    maxSocketsPerCredential: settings.maxWebSocketsPerCredential,
    maxSubscriptionsPerCredential: settings.maxSubscriptionsPerCredential,
    maxUnfilteredLogsPerCredential: settings.maxUnfilteredLogsPerCredential,
  }
}
