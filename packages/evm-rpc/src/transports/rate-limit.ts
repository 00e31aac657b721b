import { createTokenBucket, FairleadError, requireNumber } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'
import { closedByCaller, closedError } from './close-code.ts'
import { callsOf, failed, lastingParts, sendAll } from './outcomes.ts'

/** How many calls to let through, and how many to hold back. */
export interface RateLimitOptions {
  /** How many calls may be sent in a second, on average. */
  readonly perSecond: number
  /** How many may be sent at once after a quiet time. Default `perSecond`, rounded up. */
  readonly burst?: number | undefined
  /** How many calls may wait for their turn; another one fails at once. Default 1000. */
  readonly maxWaiting?: number | undefined
}

/**
 * Sends no more calls per second than the node allows; what is too much waits in the order of its coming.
 *
 * Every call of a batch counts, and so does a subscription. A batch of more than `burst` calls is sent when the bucket is
 * full, and what follows it waits for its rest. The wait does not count against a call's `timeoutMs`; its signal ends it.
 *
 * @param transport - what the calls travel by
 * @param options - `perSecond`, `burst` and `maxWaiting`, all in calls
 * @returns a transport with whatever else the given one can do; a call beyond `maxWaiting` fails with `TRANSPORT_FAILED`
 *   and `attempt` 0, as it was never sent
 * @throws FairleadError `CONFIG_INVALID` when a number cannot work
 * @example
 * ```ts
 * const polite = rateLimit(http({ url, auth }), { perSecond: 25 })
 * ```
 */
export function rateLimit(transport: Transport, options: RateLimitOptions): Transport {
  const { perSecond, maxWaiting = 1_000 } = options
  // One in a day, and more than a machine can send: within them the arithmetic is exact enough.
  requireNumber('perSecond', perSecond, 1 / 86_400, 1e9)
  const { burst = Math.ceil(perSecond) } = options
  requireNumber('burst', burst, 1, 1e9)
  requireNumber('maxWaiting', maxWaiting, 0)
  const bucket = createTokenBucket(perSecond, burst)
  const { subscribe, ...lasting } = lastingParts(transport)

  let isClosed = false

  async function turn(requests: readonly RpcRequest[], signal?: AbortSignal): Promise<void> {
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
        await turn(requests, callOptions?.signal)
      } catch (error) {
        return requests.map(() => failed(error))
      }
      return sendAll(transport, requests, callOptions)
    }),
    ...lasting,
    ...(subscribe && {
      subscribe: async (params, listener) => {
        await turn([{ method: 'eth_subscribe' }])
        return subscribe(params, listener)
      },
    }),
    close() {
      isClosed = true
      bucket.end()
      lasting.close?.()
    },
  }
}
