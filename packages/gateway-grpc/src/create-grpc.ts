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

/** What may change while calls are open. */
export interface GrpcSettings extends Pick<GrpcDependencies, 'corsOrigin' | 'logRequests'> {
  readonly rules: readonly CallRule[]
  /** Calls of one credential that may be open at a time. */
  readonly maxOpenCalls: number
}

/** What gRPC is made with. */
export interface GrpcOptions
  extends GrpcSettings, Omit<GrpcDependencies, 'nodes' | 'limits' | 'openCalls' | 'stalledCalls'> {
  /** Address of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
  /** Rules for connections to nodes; those for what the operator has configured when left out. */
  readonly upstreamRules?: UpstreamRules | undefined
  /** Makes the ids of upstreams. */
  readonly fingerprint?: Fingerprint | undefined
  /** When several upstreams of a node are asked whether they are there; those of the service when left out. */
  readonly healthTimes?: HealthTimes
  /** Longest wait for a connection to a node. */
  readonly connectTimeoutMs: number
  /** Calls of all credentials whose clients may stand still for longer than a moment. */
  readonly maxStalledCalls: number
}

/** The gRPC of all hosted nodes. */
export interface Grpc {
  /** Takes streams of HTTP/2. */
  readonly stream: StreamHandler
  /** Takes requests of gRPC-web over HTTP/1.1. */
  readonly web: RequestHandler
  /** Takes other rules and settings over for the calls that begin from now on. */
  change(settings: GrpcSettings): void
  readonly upstreams: Pick<GrpcUpstreams, 'states' | 'statesOf' | 'embeddedAnswer'>
  /** Ends the streams, and after the given time also the calls that are then still open. */
  stop(drainMs: number): Promise<void>
  /** Ends the connections to the nodes. */
  close(): Promise<void>
}

/** Makes the gRPC of a service: a proxy that reads the messages of Geyser subscriptions alone. */
export function createGrpc(options: GrpcOptions): Grpc {
  const { directory, embedded, connectTimeoutMs, rules, maxOpenCalls, maxStalledCalls } = options
  const { upstreamRules, fingerprint, healthTimes: times } = options
  const nodes = createGrpcUpstreams({
    connectTimeoutMs,
    embedded,
    upstreamRules,
    fingerprint,
    ...(times && { times }),
  })
  const limits = createCallLimits(rules, maxOpenCalls)
  const endHearing = directory.onReplaced(() => {
    limits.forget((credentialId) => directory.current(credentialId) !== undefined)
  })
  const openCalls = createOpenCalls(directory, options.admission)
  const stalledCalls = createSlowConsumers(maxStalledCalls)
  const dependencies: GrpcDependencies = { ...options, nodes, limits, openCalls, stalledCalls }
  return {
    stream: createStreamHandler(dependencies),
    web: createWebHandler(dependencies),
    change: ({ corsOrigin, logRequests, rules: next, maxOpenCalls: most }) => {
      Object.assign(dependencies, { corsOrigin, logRequests })
      limits.change(next, most)
    },
    upstreams: nodes,
    stop: (drainMs) => openCalls.stop(drainMs),
    close: async () => {
      endHearing()
      await nodes.close()
    },
  }
}
