import type { GrpcMetrics } from './metrics.ts'
import type { LoopDetector } from '@fairlead/gateway-core/network/cdn-loop'
import type { RequestServices } from '@fairlead/gateway-core/http/request-context'
import type { Authenticator } from '@fairlead/gateway-core/authentication/authenticator'
import type { Directory } from '@fairlead/gateway-core/authentication/directory'
import type { CallLimits } from './limits/call-limits.ts'
import type { OpenCalls } from './call/open-calls.ts'
import type { SlowConsumers } from './call/slow-consumers.ts'
import type { GrpcUpstreams } from './upstream/grpc-upstreams.ts'

/** What the calls of gRPC need from the rest of the service. */
export interface GrpcDependencies extends RequestServices {
  readonly directory: Directory
  readonly authenticator: Authenticator
  readonly nodes: GrpcUpstreams
  readonly limits: CallLimits
  readonly openCalls: OpenCalls
  readonly stalledCalls: SlowConsumers
  readonly metrics: GrpcMetrics
  readonly corsOrigin: string
  /** Refuses calls that have passed through this service before; none when left out. */
  readonly loops?: LoopDetector | undefined
  /** Longest request body of gRPC-web. */
  readonly maxBodyBytes: number
}
