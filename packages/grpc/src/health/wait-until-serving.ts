import { isRetryable, pause } from '@fairlead/core'
import type { GrpcCallOptions, GrpcClient } from '../calls/types.ts'
import {
  type HealthDefinition,
  HealthCheckResponse_ServingStatus,
} from '../generated/grpc/health/v1/health.ts'

/**
 * Waits until a service is available, without a time limit; a server that cannot be reached is queried again each
 * second.
 *
 * @param client - client of `HealthDefinition`
 * @param service - full name of the service, for example `geyser.Geyser`; empty for the whole server
 * @param options - `signal` cancels the wait, and `metadata` is sent with each call
 * @returns a promise that resolves when the service reports SERVING
 * @throws FairleadError `GRPC_STATUS` for any status but UNAVAILABLE, UNIMPLEMENTED when the server has no health
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
