import { grpc as description } from '@fairlead/gateway-grpc/description'
import { createGrpcMetrics } from '@fairlead/gateway-grpc/metrics'
import { createGrpc, type Grpc, type GrpcOptions } from '@fairlead/gateway-grpc/create-grpc'
import type { CallRule } from '@fairlead/gateway-grpc/limits/call-rules'
import { configuredGrpcRules } from '../configuration/configured-grpc-rules.ts'
import type { Configuration } from '../configuration/options.ts'
import type { ProtocolDependencies, RunningProtocol } from './running-protocol.ts'

const longestConnectMs = 5_000

/** gRPC over HTTP/2, and gRPC-web. */
export type RunningGrpc = RunningProtocol & Pick<Grpc, 'http2'>

/**
 * @param rules - those of the configuration
 * @param otherwise - takes the HTTP/2 streams that are not gRPC
 */
export function openGrpc(
  configuration: Configuration,
  dependencies: ProtocolDependencies,
  rules: readonly CallRule[],
  otherwise: GrpcOptions['otherwise'],
): RunningGrpc {
  const { embedded, upstreamRules, deadlines, http, metrics } = dependencies
  const grpc = createGrpc({
    ...http,
    metrics: createGrpcMetrics(metrics),
    embedded: embedded['grpc'],
    upstreamRules,
    deadlines,
    otherwise,
    connectTimeoutMs: Math.min(configuration.upstreamTimeoutMs, longestConnectMs),
    rules,
    maxOpenCalls: configuration.maxGrpcCalls,
    maxStalledCalls: configuration.maxStalledGrpcCalls,
    maxBodyBytes: configuration.maxBodyBytes,
  })
  return {
    ...grpc,
    description,
    handle: grpc.web,
    apply: (next) =>
      grpc.change({
        corsOrigin: next.nodeCorsOrigin,
        logRequests: next.logRequests,
        rules: configuredGrpcRules(next),
        maxOpenCalls: next.maxGrpcCalls,
      }),
  }
}
