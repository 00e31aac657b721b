import { pause } from '@fairlead/core'
import { GrpcError, Status } from '@fairlead/grpc-transport/wire'

/** Retries and timeout of a call. */
export interface RetryLimits {
  readonly retries: number
  /** For all attempts together. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Retries a unary call while the node is unavailable, and when it sends a retry delay.
 *
 * @param send - makes one attempt within the remaining milliseconds
 * @throws the error of the last attempt; the reason of the signal
 * @see https://github.com/grpc/proposal/blob/master/A6-client-retries.md (pushback)
 */
export async function withRetries<response>(
  { retries, timeoutMs, signal }: RetryLimits,
  send: (timeoutMs: number) => Promise<response>,
): Promise<response> {
  const end = performance.now() + timeoutMs
  for (let attempt = 1, remainingMs = timeoutMs; ; attempt++) {
    try {
      return await send(remainingMs)
    } catch (error) {
      const pauseMs = attempt <= retries ? pauseAfter(error, attempt) : undefined
      remainingMs = Math.ceil(end - performance.now() - (pauseMs ?? 0))
      // A delay beyond the remaining time would only hide the error.
      if (pauseMs === undefined || remainingMs < 1) throw error
      await pause(pauseMs, signal)
    }
  }
}

/** Milliseconds until the next attempt; undefined when a retry is pointless. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (!GrpcError.is(error)) return undefined
  const pushback = error.metadata['grpc-retry-pushback-ms']
  const isTemporary =
    error.isUnprocessed ||
    error.code === Status.UNAVAILABLE ||
    (error.code === Status.RESOURCE_EXHAUSTED && pushback !== undefined)
  if (!isTemporary) return undefined
  if (pushback === undefined) return Math.random() * Math.min(5_000, 100 * 2 ** attempt)
  // Any value but a number means that the server rejects further attempts.
  return typeof pushback === 'string' && /^\d{1,9}$/.test(pushback) ? Number(pushback) : undefined
}
