import { HealthCheckResponse_ServingStatus as ServingStatus, HealthDefinition } from '@fairlead/grpc/health'
import { GrpcError, implement, Status, type Implementation, type ServerCall } from '@fairlead/grpc-transport'

/**
 * Creates the health service of a server whose services are always available while it runs.
 *
 * @param services full names of the services
 */
export function createHealthService(services: readonly string[]): Implementation {
  // The empty name stands for the server as a whole.
  const known: ReadonlySet<string> = new Set(['', ...services])
  const serving = { status: ServingStatus.SERVING }
  return implement(HealthDefinition, {
    check: ({ service }) => {
      if (!known.has(service)) throw new GrpcError(Status.NOT_FOUND, 'unknown service')
      return serving
    },
    list: () => ({ statuses: Object.fromEntries([...known].map((service) => [service, serving])) }),
    async *watch({ service }, call) {
      yield known.has(service) ? serving : { status: ServingStatus.SERVICE_UNKNOWN }
      await ended(call)
    },
  })
}

function ended({ signal }: ServerCall): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
