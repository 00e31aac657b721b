import { isRetryable, pause } from '@fairlead/core'
import type { GrpcCallOptions, GrpcClient } from '../calls/types.ts'
import {
  type HealthDefinition,
  HealthCheckResponse_ServingStatus,
} from '../generated/grpc/health/v1/health.ts'

/**
 * Waits until a service can be used, for as long as it takes; a server that cannot be reached is asked again each second.
 *
 * @param client - client of `HealthDefinition`
 * @param service - full name of the service, for example `geyser.Geyser`; empty for the server as a whole
 * @param options - `signal` ends the wait, and `metadata` goes with each call
 * @throws FairleadError `GRPC_STATUS` for any status but UNAVAILABLE, UNIMPLEMENTED where the server has no health
 *   service; the reason of the signal
 * @example
 * ```ts
 * await waitUntilServing(health, 'geyser.Geyser', { signal: AbortSignal.timeout(60_000) })
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/health-checking.md
 */
export async function waitUntilServing(
  client: Pick<GrpcClient<HealthDefinition>, 'watch'>,
  service = '',
  options: Pick<GrpcCallOptions, 'signal' | 'metadata'> = {},
): Promise<void> {
  for (;;) {
    try {
      for await (const { status } of client.watch({ service }, options)) {
        if (status === HealthCheckResponse_ServingStatus.SERVING) return
      }
    } catch (error) {
      if (!isRetryable(error)) throw error
    }
    await pause(1_000, options.signal)
  }
}
