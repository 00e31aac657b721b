import { type CallOptions, FairleadError, requireNumber, pause } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'
import { type Backoff, backoffMs } from './backoff.ts'
import { closedByCaller, closedError } from './close-code.ts'
import { requireMilliseconds } from './configuration.ts'
import { isIdempotent } from './idempotent.ts'
import { callsOf, failed, connectionMethodsOf, type Outcome, sendAll } from './outcomes.ts'
import { retryAfterMsOf, isRateRefusal, isRevert } from './refusal.ts'

/** Number of attempts and delays between them. */
export interface RetryOptions {
  /** Maximum number of attempts, including the first one. Default 3. */
  readonly attempts?: number | undefined
  /** Upper bound of the first delay in milliseconds; it doubles with every attempt. Default 250. */
  readonly baseMs?: number | undefined
  /**
   * Upper bound of any delay in milliseconds; when a node requests a longer delay, the call is not retried. Default
   * 30000.
   */
  readonly maxMs?: number | undefined
  /** Replaces the default decision whether an error may be temporary. */
  readonly shouldRetry?: ((error: unknown, request: RpcRequest) => boolean) | undefined
}

/**
 * Retries a call when the node rejected it with an error that may be temporary.
 *
 * Those errors are: too many calls (-32005, 429, or `data.reason` is `rate`, `busy` or `upstream busy`), for every
 * method, because the call was not executed; an internal error (-32603) and an unavailable resource (-32002), for idempotent methods only. A quota,
 * a revert, invalid parameters and all other errors are final. Lost connections are not handled here: {@link http} and
 * {@link webSocket} handle them. The delay is a random part of an upper bound that doubles; a delay that the node
 * requests (`data.retry_after_ms`) is added.
 *
 * @param transport - sends the calls
 * @param options - `attempts` (3), `baseMs` (250) and `maxMs` (30000) in milliseconds, `shouldRetry`
 * @returns a transport with the other capabilities of the given one; a batch retries only the failed calls
 * @throws FairleadError `CONFIG_INVALID` when a number is invalid
 * @example
 * ```ts
 * const patient = retry(http({ url, auth }), { attempts: 5 })
 * ```
 * @see EIP-1474, section Error codes; https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
 */
export function retry(transport: Transport, options: RetryOptions = {}): Transport {
  const { attempts = 3, baseMs = 250, maxMs = 30_000, shouldRetry = isTemporary } = options
  requireNumber('attempts', attempts, 1)
  requireMilliseconds('baseMs', baseMs)
  requireMilliseconds('maxMs', maxMs)
  const backoff: Backoff = { baseMs, maxMs }
  const closed = new AbortController()

  async function send(
    requests: readonly RpcRequest[],
    callOptions?: CallOptions,
  ): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [...(await sendAll(transport, requests, callOptions))]
    for (let tries = 1; tries < attempts; tries++) {
      const failedCalls = requests.flatMap((request, index) => {
        const outcome = outcomes[index]
        if (outcome?.status !== 'rejected' || callOptions?.signal?.aborted) return []
        const retryAfterMs = retryAfterMsOf(outcome.reason) ?? 0
        return retryAfterMs <= maxMs && shouldRetry(outcome.reason, request)
          ? [{ request, index, askedMs: retryAfterMs }]
          : []
      })
      if (failedCalls.length === 0) break
      const retryAfterMs = Math.max(...failedCalls.map((failedCall) => failedCall.askedMs))
      const { signal } = closed
      const ends = callOptions?.signal ? AbortSignal.any([callOptions.signal, signal]) : signal
      try {
        await pause(retryAfterMs + backoffMs(tries - 1, backoff), ends)
      } catch (reason) {
        for (const { request, index } of failedCalls) {
          outcomes[index] = failed(signal.aborted ? closedError(request.method, closedByCaller) : reason)
        }
        break
      }
      const retried = await sendAll(
        transport,
        failedCalls.map(({ request }) => request),
        callOptions,
      )
      for (const [position, { index }] of failedCalls.entries()) {
        const outcome = retried[position]
        if (outcome) outcomes[index] = outcome
      }
    }
    return outcomes
  }

  const connectionMethods = connectionMethodsOf(transport)
  return {
    ...callsOf(send),
    ...connectionMethods,
    close() {
      closed.abort()
      connectionMethods.close?.()
    },
  }
}

function isTemporary(error: unknown, { method }: RpcRequest): boolean {
  if (isRateRefusal(error, method)) return true
  if (!FairleadError.is(error, 'RPC_ERROR') || !isIdempotent(method) || isRevert(error.details)) return false
  return error.details.rpcCode === -32603 || error.details.rpcCode === -32002
}
