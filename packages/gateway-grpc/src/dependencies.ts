import type { GrpcMetrics } from './metrics.ts'
import type { LoopDetector } from '@fairlead/gateway-core/network/cdn-loop'
import type { Logger } from 'pino'
import type { LoggedRequests } from '@fairlead/gateway-core/telemetry/logged-requests'
import type { Admission } from '@fairlead/gateway-core/admission/types'
import type { Authenticator } from '@fairlead/gateway-core/authentication/authenticator'
import type { Directory } from '@fairlead/gateway-core/authentication/directory'
import type { Meter } from '@fairlead/gateway-core/usage/meter'
import type { CallLimits } from './limits/call-limits.ts'
import type { OpenCalls } from './call/open-calls.ts'
import type { SlowConsumers } from './call/slow-consumers.ts'
import type { GrpcUpstreams } from './upstream/grpc-upstreams.ts'

/** What the calls of gRPC need from the rest of the service. */
export interface GrpcDependencies {
  readonly directory: Directory
  readonly authenticator: Authenticator
  readonly admission: Admission
  readonly nodes: GrpcUpstreams
  readonly limits: CallLimits
  readonly openCalls: OpenCalls
  readonly stalledCalls: SlowConsumers
  readonly meter: Meter
  readonly metrics: GrpcMetrics
  readonly log: Logger
  /** Calls that get a line in the log; all when left out. */
  readonly logRequests?: LoggedRequests | undefined
  readonly corsOrigin: string
  /** Refuses calls that have passed through this service before; none when left out. */
  readonly loops?: LoopDetector | undefined
  /** Longest request body of gRPC-web. */
  readonly maxBodyBytes: number
}
