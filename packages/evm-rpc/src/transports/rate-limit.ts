import { createTokenBucket, FairleadError, requireNumber } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'
import { closedByCaller, closedError } from './close-code.ts'
import { callsOf, failed, connectionMethodsOf, sendAll } from './outcomes.ts'

/** Rate and queue size of a rate limit. */
export interface RateLimitOptions {
  /** Maximum number of calls per second, on average. */
  readonly perSecond: number
  /** Maximum number of calls at once after an idle period. Default `perSecond`, rounded up. */
  readonly burst?: number | undefined
  /** Maximum number of queued calls; a further call fails immediately. Default 1000. */
  readonly maxWaiting?: number | undefined
}

/**
 * Limits the calls per second to what the node allows, and queues the others in order.
 *
 * Every call of a batch counts, and so does a subscription. A batch of more than `burst` calls is sent when the bucket
 * is full, and later calls wait until the debt is refilled. The wait does not count against the `timeoutMs` of a call;
 * its signal ends the wait.
 *
 * @param transport - sends the calls
 * @param options - `perSecond`, `burst` and `maxWaiting`, all in calls
 * @returns a transport with the other capabilities of the given one; a call beyond `maxWaiting` fails with
 *   `TRANSPORT_FAILED` and `attempt` 0, because it was never sent
 * @throws FairleadError `CONFIG_INVALID` when a number is invalid
 * @example
 * ```ts
 * const polite = rateLimit(http({ url, auth }), { perSecond: 25 })
 * ```
 * @see https://en.wikipedia.org/wiki/Token_bucket
 */
export function rateLimit(transport: Transport, options: RateLimitOptions): Transport {
  const { perSecond, maxWaiting = 1_000 } = options
  // From one call per day to more than a machine can send: within these bounds the arithmetic is exact enough.
  requireNumber('perSecond', perSecond, 1 / 86_400, 1e9)
  const { burst = Math.ceil(perSecond) } = options
  requireNumber('burst', burst, 1, 1e9)
  requireNumber('maxWaiting', maxWaiting, 0)
  const bucket = createTokenBucket(perSecond, burst)
  const { subscribe, ...connectionMethods } = connectionMethodsOf(transport)

  let isClosed = false

  async function acquire(requests: readonly RpcRequest[], signal?: AbortSignal): Promise<void> {
    const operation = requests[0]?.method ?? ''
    signal?.throwIfAborted()
    if (bucket.wouldWait(requests.length) && bucket.waiting + requests.length > maxWaiting) {
      const reason = `${bucket.waiting} calls wait already for the limit of ${perSecond} per second`
      throw new FairleadError('TRANSPORT_FAILED', { operation, attempt: 0, timeoutMs: 0, reason })
    }
    if (!isClosed) await bucket.take(requests.length, signal)
    if (isClosed) throw closedError(operation, closedByCaller)
  }

  return {
    ...callsOf(async (requests, callOptions) => {
      try {
        await acquire(requests, callOptions?.signal)
      } catch (error) {
        return requests.map(() => failed(error))
      }
      return sendAll(transport, requests, callOptions)
    }),
    ...connectionMethods,
    ...(subscribe && {
      subscribe: async (params, listener) => {
        await acquire([{ method: 'eth_subscribe' }])
        return subscribe(params, listener)
      },
    }),
    close() {
      isClosed = true
      bucket.end()
      connectionMethods.close?.()
    },
  }
}
