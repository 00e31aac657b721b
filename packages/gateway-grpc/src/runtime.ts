import type { ProtocolRuntime, ProtocolSettings } from '@fairlead/gateway-core/protocol/module'
import { checkUpstream } from './check-upstream.ts'
import { createGrpc } from './create-grpc.ts'
import { grpc as description } from './description.ts'
import { configuredRules } from './limits/configured-rules.ts'
import { createGrpcMetrics } from './metrics.ts'
import type { grpcOptions } from './options.ts'

const maxConnectMs = 5_000

export const runtime: ProtocolRuntime<ProtocolSettings<typeof grpcOptions>> = {
  open: ({ http, memory, metrics, embedded, upstreamRules, fingerprint }, settings) => {
    const grpc = createGrpc({
      ...http,
      memory,
      metrics: createGrpcMetrics(metrics),
      embedded: embedded['grpc'],
      upstreamRules,
      fingerprint,
      connectTimeoutMs: Math.min(settings.upstreamTimeoutMs, maxConnectMs),
      rules: configuredRules(settings),
      maxOpenCalls: settings.maxGrpcCalls,
      maxStalledCalls: settings.maxStalledGrpcCalls,
      maxBodyBytes: settings.maxBodyBytes,
    })
    return {
      description,
      handle: grpc.web,
      stream: grpc.stream,
      upstreamStates: () => grpc.upstreams.states(),
      nodeUpstreamStates: (grant) => grpc.upstreams.statesOf(grant),
      ready: (signal) => grpc.upstreams.checkEmbedded(signal),
      reconfigure: (next) =>
        grpc.reconfigure({
          corsOrigin: next.nodeCorsOrigin,
          logRequests: next.logRequests,
          rules: configuredRules(next),
          maxOpenCalls: next.maxGrpcCalls,
        }),
      drain: (milliseconds) => grpc.stop(milliseconds),
      close: () => grpc.close(),
    }
  },
  checkUpstream,
}
