import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import { createResponseCaches, type ResponseCaches } from '@fairlead/gateway-evm/cache/caches'
import { evm as evmDescription } from '@fairlead/gateway-evm/description'
import { createJsonRpcHandler } from '@fairlead/gateway-evm/http/json-rpc-http'
import { isWebSocketOnly } from '@fairlead/gateway-evm/http/rpc-routes'
import { createSubscriptionMultiplexers } from '@fairlead/gateway-evm/subscriptions/multiplexers'
import { createEvmUpstreams, type EvmUpstreams } from '@fairlead/gateway-evm/upstream/evm-upstreams'
import { createWebSocketListener } from '@fairlead/gateway-evm/websocket/json-rpc-websocket'
import { createWebSocketMetrics } from '@fairlead/gateway-evm/websocket/metrics'
import type { Configuration } from '../configuration/options.ts'
import { applyHttpOptions, type ProtocolDependencies, type RunningProtocol } from './running-protocol.ts'

/** EVM JSON-RPC over HTTP and WebSocket. */
export interface RunningEvm extends RunningProtocol {
  readonly upstreams: EvmUpstreams
  readonly caches: ResponseCaches
}

/** @param onRefused - is told when an upstream of a node does not have a method */
export function openEvm(
  configuration: Configuration,
  dependencies: ProtocolDependencies,
  onRefused: (grant: Grant) => void,
): RunningEvm {
  const { store, log, memory, upstreamRules: rules, sharedStore, http, metrics } = dependencies
  const { headPollMs: pollMs, upstreamTimeoutMs: timeoutMs } = configuration
  const { websocket: embeddedSocket, evm } = dependencies.embedded
  const embedded = evm === undefined ? {} : { evm }
  const loopEntry = dependencies.loops.entry
  const upstreams = createEvmUpstreams(timeoutMs, embedded, memory, {
    pollMs,
    hedges: configuration.upstreamHedges,
    log,
    rules,
    loopEntry,
    fingerprint: store.encryptor.fingerprint,
    onRefused,
  })
  const caches = createResponseCaches({
    maxBytes: configuration.cacheBytes,
    headMs: configuration.cacheHeadMs,
    upstreamLogRange: configuration.upstreamLogRange,
    chainOf: (grant) => upstreams.chainOf(grant),
    store: new DeadlineStore(sharedStore),
  })
  const multiplexers = createSubscriptionMultiplexers({
    upstreams,
    embeddedSocket,
    pollMs,
    timeoutMs,
    log,
    rules,
    loopEntry,
  })
  const ofHttp = {
    ...http,
    upstreams,
    maxBodyBytes: configuration.maxBodyBytes,
    ...requestLimitsOf(configuration),
    answers: caches,
  }
  const ofWebSockets = {
    ...ofHttp,
    multiplexers,
    metrics: createWebSocketMetrics(metrics, () => multiplexers.upstreamSubscriptions()),
    ...webSocketLimitsOf(configuration),
    maxBufferBytes: configuration.maxWebSocketBufferBytes,
    pingMs: configuration.webSocketPingMs,
  }
  const jsonRpc = createJsonRpcHandler(ofHttp)
  const webSockets = createWebSocketListener(ofWebSockets)
  return {
    description: evmDescription,
    upstreams,
    caches,
    handle: (request, response, match) =>
      isWebSocketOnly(match)
        ? webSockets.refuse(request, response, match)
        : jsonRpc(request, response, match),
    upgrade: webSockets.upgrade,
    apply: (next) => {
      for (const settings of [ofHttp, ofWebSockets]) {
        applyHttpOptions(settings, next)
        Object.assign(settings, requestLimitsOf(next))
      }
      Object.assign(ofWebSockets, webSocketLimitsOf(next))
      upstreams.change({ hedges: next.upstreamHedges })
      caches.change({ headMs: next.cacheHeadMs, upstreamLogRange: next.upstreamLogRange })
    },
    embeddedAnswer: (signal) => upstreams.embeddedAnswer(signal),
    stop: (drainMs) => webSockets.stop(drainMs),
    close: async () => {
      multiplexers.close()
      await upstreams.close()
    },
  }
}

function requestLimitsOf({ maxBatchItems, maxLogRange }: Configuration) {
  return { maxBatchItems, maxLogRange }
}

function webSocketLimitsOf(configuration: Configuration) {
  return {
    maxCalls: configuration.maxWebSocketCalls,
    maxSubscriptions: configuration.maxWebSocketSubscriptions,
    maxSocketsPerCredential: configuration.maxWebSocketsPerCredential,
    maxSubscriptionsPerCredential: configuration.maxSubscriptionsPerCredential,
    maxUnfilteredLogsPerCredential: configuration.maxUnfilteredLogsPerCredential,
  }
}
