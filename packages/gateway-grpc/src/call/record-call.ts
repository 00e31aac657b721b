import { Status, type StatusCode, statusName } from '@fairlead/grpc-transport/wire'
import { isRequestLogged } from '@fairlead/gateway-core/telemetry/logged-requests'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { isUnaryMethod } from './call-path.ts'
import type { GrpcDependencies } from '../dependencies.ts'

// What the client can change something about; everything else counts as a fault behind this service.
const clientFaults: ReadonlySet<StatusCode> = new Set([
  Status.CANCELLED,
  Status.INVALID_ARGUMENT,
  Status.NOT_FOUND,
  Status.ALREADY_EXISTS,
  Status.PERMISSION_DENIED,
  Status.RESOURCE_EXHAUSTED,
  Status.FAILED_PRECONDITION,
  Status.ABORTED,
  Status.OUT_OF_RANGE,
  Status.UNAUTHENTICATED,
])

/** A call that is over. */
export interface RecordedCall {
  readonly path: string
  /** Path of the contract, or `unknown`. */
  readonly method: string
  readonly code: StatusCode
  readonly grant: Grant | undefined
  readonly bytesIn?: number | undefined
  /** Those that were not counted with a message of a stream. */
  readonly bytesOut?: number | undefined
  /** By the clock of `performance`. */
  readonly started: number
}

/** Counts a call and writes it to the log. */
export function recordCall(
  { metrics, meter, log, logRequests }: GrpcDependencies,
  { path, method, code, grant, started, bytesIn, bytesOut }: RecordedCall,
): void {
  const status = statusName(code)
  const durationSeconds = (performance.now() - started) / 1_000
  const httpStatus = code === Status.OK ? 200 : clientFaults.has(code) ? 400 : 500
  metrics.calls.inc({ method, status })
  meter({
    protocol: 'grpc',
    grant,
    method,
    bytesIn,
    bytesOut,
    status: httpStatus,
    // Of a method that the contract does not know nobody can say that it is no stream.
    durationSeconds: isUnaryMethod(path) ? durationSeconds : undefined,
  })
  if (!isRequestLogged(log, logRequests, httpStatus)) return
  log.info(
    {
      node_id: grant?.nodeId,
      credential_id: grant?.credentialId,
      protocol: 'grpc',
      method,
      status,
      duration_ms: Math.round(durationSeconds * 1_000),
    },
    'node request',
  )
}
