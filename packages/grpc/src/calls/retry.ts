import { pause } from '@fairlead/core'
import { GrpcError, Status } from '@fairlead/grpc-transport/wire'

/** How often and how long a call is tried. */
export interface RetryLimits {
  readonly retries: number
  /** For all attempts together. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a unary call again while the node is unavailable, and where it names a pause after which it will answer.
 *
 * @param send - makes one attempt in the milliseconds that are left
 * @throws what the last attempt failed with; the reason of the signal
 * @see https://github.com/grpc/proposal/blob/master/A6-client-retries.md (pushback)
 */
export async function withRetries<answer>(
  { retries, timeoutMs, signal }: RetryLimits,
  send: (timeoutMs: number) => Promise<answer>,
): Promise<answer> {
  const end = performance.now() + timeoutMs
  for (let attempt = 1, leftMs = timeoutMs; ; attempt++) {
    try {
      return await send(leftMs)
    } catch (error) {
      const pauseMs = attempt <= retries ? pauseAfter(error, attempt) : undefined
      leftMs = Math.ceil(end - performance.now() - (pauseMs ?? 0))
      // A pause that the limit does not leave room for would only hide what is wrong.
      if (pauseMs === undefined || leftMs < 1) throw error
      await pause(pauseMs, signal)
    }
  }
}

/** Milliseconds until it is worth trying again; undefined when it is not. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (!GrpcError.is(error)) return undefined
  const pushback = error.metadata['grpc-retry-pushback-ms']
  const isPassing =
    error.isUnprocessed ||
    error.code === Status.UNAVAILABLE ||
    (error.code === Status.RESOURCE_EXHAUSTED && pushback !== undefined)
  if (!isPassing) return undefined
  if (pushback === undefined) return Math.random() * Math.min(5_000, 100 * 2 ** attempt)
  // Anything but a number says that the server wants no further attempt.
  return typeof pushback === 'string' && /^\d{1,9}$/.test(pushback) ? Number(pushback) : undefined
}
