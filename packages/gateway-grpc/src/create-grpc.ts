import { staleGrants } from '@fairlead/gateway-core/authentication/directory'
import type { UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import type { RequestHandler, StreamHandler } from '@fairlead/gateway-core/http/dependencies'
import { createStreamHandler } from './http2/stream-handler.ts'
import type { GrpcDependencies } from './dependencies.ts'
import { createCallLimits } from './limits/call-limits.ts'
import type { CallRule } from './limits/call-rules.ts'
import { createOpenCalls } from './call/open-calls.ts'
import { createSlowConsumers } from './call/slow-consumers.ts'
import type { HealthTimes } from '@fairlead/gateway-core/upstream/steady-pool'
import type { Fingerprint } from '@fairlead/gateway-core/upstream/upstream-registry'
import { createGrpcUpstreams, type GrpcUpstreams } from './upstream/grpc-upstreams.ts'
import { createWebHandler } from './web/web-http1.ts'

/** Settings that may change while calls are open. */
export interface GrpcSettings extends Pick<GrpcDependencies, 'corsOrigin' | 'logRequests'> {
  readonly rules: readonly CallRule[]
  /** Maximum number of open calls per credential. */
  readonly maxOpenCalls: number
}

/** Options of {@link createGrpc}. */
export interface GrpcOptions
  extends GrpcSettings, Omit<GrpcDependencies, 'upstreams' | 'limits' | 'openCalls' | 'stalledCalls'> {
  /** URL of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
  /** Rules for connections to upstreams; when omitted, those for upstreams that the operator has configured. */
  readonly upstreamRules?: UpstreamRules | undefined
  /** Creates the ids of upstreams. */
  readonly fingerprint?: Fingerprint | undefined
  /**
   * Intervals of the health checks of a node's upstreams, when it has several; the gateway's intervals when omitted.
   */
  readonly healthTimes?: HealthTimes
  /** Maximum wait for a connection to an upstream, in milliseconds. */
  readonly connectTimeoutMs: number
  /** Maximum number of calls, over all credentials, whose clients may stall for longer than a moment. */
  readonly maxStalledCalls: number
}

/** The gRPC of all nodes. */
export interface Grpc {
  /** Handles HTTP/2 streams. */
  readonly stream: StreamHandler
  /** Handles gRPC-web requests over HTTP/1.1. */
  readonly web: RequestHandler
  /** Applies new rules and settings to the calls that begin from now on. */
  reconfigure(settings: GrpcSettings): void
  readonly upstreams: Pick<GrpcUpstreams, 'states' | 'statesOf' | 'checkEmbedded'>
  /** Ends the streams, and after the given time also the calls that are still open. */
  stop(drainMs: number): Promise<void>
  /** Closes the connections to the upstreams. */
  close(): Promise<void>
}

/** Creates the gRPC of a gateway: a proxy that parses only the messages of Geyser subscriptions. */
export function createGrpc(options: GrpcOptions): Grpc {
  const { directory, embedded, connectTimeoutMs, rules, maxOpenCalls, maxStalledCalls } = options
  const { upstreamRules, fingerprint, healthTimes: times } = options
  const upstreams = createGrpcUpstreams({
    connectTimeoutMs,
    embedded,
    upstreamRules,
    fingerprint,
    isStale: staleGrants(directory),
    ...(times && { times }),
  })
  const limits = createCallLimits(rules, maxOpenCalls)
  const unsubscribe = directory.onReplaced(() => {
    limits.prune((credentialId) => directory.current(credentialId) !== undefined)
  })
  const openCalls = createOpenCalls(directory, options.admission)
  const stalledCalls = createSlowConsumers(maxStalledCalls)
  const dependencies: GrpcDependencies = { ...options, upstreams, limits, openCalls, stalledCalls }
  return {
    stream: createStreamHandler(dependencies),
    web: createWebHandler(dependencies),
    reconfigure: ({ corsOrigin, logRequests, rules: next, maxOpenCalls: nextMaxOpenCalls }) => {
      Object.assign(dependencies, { corsOrigin, logRequests })
      limits.change(next, nextMaxOpenCalls)
    },
    upstreams,
    stop: (drainMs) => openCalls.stop(drainMs),
    close: async () => {
      unsubscribe()
      await upstreams.close()
    },
  }
}
