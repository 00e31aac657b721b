import type { GrpcMetrics } from './metrics.ts'
import type { LoopDetector } from '@fairlead/gateway-core/network/cdn-loop'
import type { RequestServices } from '@fairlead/gateway-core/http/request-context'
import type { Authenticator } from '@fairlead/gateway-core/authentication/authenticator'
import type { MemorySource } from '@fairlead/gateway-core/clients/client-memory'
import type { Directory } from '@fairlead/gateway-core/authentication/directory'
import type { CallLimits } from './limits/call-limits.ts'
import type { OpenCalls } from './call/open-calls.ts'
import type { SlowConsumers } from './call/slow-consumers.ts'
import type { GrpcUpstreams } from './upstream/grpc-upstreams.ts'

/** Dependencies of gRPC calls. */
export interface GrpcDependencies extends RequestServices {
  readonly directory: Directory
  readonly authenticator: Authenticator
  readonly upstreams: GrpcUpstreams
  readonly limits: CallLimits
  readonly openCalls: OpenCalls
  readonly stalledCalls: SlowConsumers
  readonly metrics: GrpcMetrics
  /** Memory for all calls; unlimited when omitted. */
  readonly memory?: MemorySource | undefined
  readonly corsOrigin: string
  /** Rejects calls that have already passed through this gateway; no calls are rejected when omitted. */
  readonly loops?: LoopDetector | undefined
  /** Maximum size of a gRPC-web request body, in bytes. */
  readonly maxBodyBytes: number
}
