import { Status, type StatusCode, statusName } from '@fairlead/grpc-transport/wire'
import type { RequestContext } from '@fairlead/gateway-core/http/request-context'
import type { GrpcMetrics } from '../metrics.ts'

// Statuses with causes that the client can change; all others count as failures behind the gateway.
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

/** Counts, traces and logs a call that has ended. */
export function recordCall(context: RequestContext, code: StatusCode, metrics: GrpcMetrics): void {
  const status = statusName(code)
  metrics.calls.inc({ method: context.method, status })
  context.status = code === Status.OK ? 200 : clientFaults.has(code) ? 400 : 500
  context.statusName = status
  context.span?.setAttributes({ 'rpc.grpc.status_code': code })
  context.finish()
}
