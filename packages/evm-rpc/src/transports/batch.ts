import { type CallOptions, requireNumber } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'
import { closedByCaller, closedError } from './close-code.ts'
import { requireMilliseconds } from './configuration.ts'
import { isIdempotent } from './idempotent.ts'
import { connectionMethodsOf, type Outcome, sendAll } from './outcomes.ts'

/** Size limits and collection time of a batch. */
export interface BatchOptions {
  /** Maximum number of calls in one exchange. Default 100, which every known node accepts. */
  readonly maxItems?: number | undefined
  /** Maximum size of one exchange in bytes; a larger call is sent alone. Default 524288. */
  readonly maxBytes?: number | undefined
  /** Collection time in milliseconds. Default 0: the calls of the same event-loop tick. */
  readonly waitMs?: number | undefined
}

/** One call that waits for its exchange or for its response. */
interface Waiting {
  readonly request: RpcRequest
  readonly bytes: number
  readonly signal: AbortSignal | undefined
  /** Settles it; later outcomes are ignored. */
  settle(outcome: Outcome): void
  /** Called when its caller cancels. */
  onCancel: () => void
}

/** Calls that may share an exchange: the same timeout, and the same idempotency. */
interface Collection {
  readonly timeoutMs: number | undefined
  readonly calls: Set<Waiting>
  bytes: number
  timer: ReturnType<typeof setTimeout> | undefined
}

/**
 * Collects concurrent calls and sends them in one exchange.
 *
 * Each call has its own outcome and its own signal. Aborting one call does not affect the others; the exchange is
 * aborted when all its callers have cancelled. A single call is sent without a batch. Idempotent calls never share an
 * exchange with calls that are not idempotent, nor do calls with different timeouts.
 *
 * @param transport - sends the exchanges; without its own `batch` the calls are sent one by one
 * @param options - `maxItems` (100 calls), `maxBytes` (524288) and `waitMs` (0)
 * @returns a transport with the other capabilities of the given one
 * @throws FairleadError `CONFIG_INVALID` when a number is invalid
 * @example
 * ```ts
 * const transport = batch(http({ url, auth }))
 * const [chain, height] = await Promise.all([
 *   transport.request({ method: 'eth_chainId' }),
 *   transport.request({ method: 'eth_blockNumber' }),
 * ])
 * ```
 * @see JSON-RPC 2.0, section 6 (Batch)
 */
export function batch(transport: Transport, options: BatchOptions = {}): Transport {
  const { maxItems = 100, maxBytes = 512 * 1024, waitMs = 0 } = options
  requireNumber('maxItems', maxItems, 1)
  requireNumber('maxBytes', maxBytes, 1)
  requireMilliseconds('waitMs', waitMs)
  const collections = new Map<string, Collection>()
  const encoder = new TextEncoder()
  let isClosed = false

  function collect(waiting: Waiting, timeoutMs: number | undefined): void {
    const key = `${isIdempotent(waiting.request.method)} ${timeoutMs}`
    let collection = collections.get(key)
    if (collection && collection.bytes + waiting.bytes > maxBytes) {
      flush(key, collection)
      collection = undefined
    }
    if (!collection) {
      const created: Collection = { timeoutMs, calls: new Set(), bytes: 0, timer: undefined }
      created.timer = setTimeout(() => flush(key, created), waitMs)
      collections.set(key, created)
      collection = created
    }
    const { calls } = collection
    calls.add(waiting)
    collection.bytes += waiting.bytes
    waiting.onCancel = () => calls.delete(waiting)
    if (calls.size >= maxItems || collection.bytes >= maxBytes) flush(key, collection)
  }

  function flush(key: string, collection: Collection): void {
    clearTimeout(collection.timer)
    collections.delete(key)
    const calls = [...collection.calls]
    if (calls.length > 0) void exchange(calls, collection.timeoutMs)
  }

  async function exchange(calls: readonly Waiting[], timeoutMs: number | undefined): Promise<void> {
    const controller = new AbortController()
    let remaining = calls.length
    for (const call of calls) {
      call.onCancel = () => {
        remaining--
        if (remaining === 0) controller.abort(call.signal?.reason)
      }
    }
    const requests = calls.map(({ request }) => request)
    const outcomes = await sendAll(transport, requests, { signal: controller.signal, timeoutMs })
    for (const [index, call] of calls.entries()) call.settle(outcomes[index] as Outcome)
  }

  const connectionMethods = connectionMethodsOf(transport)
  return {
    request(request, { signal, timeoutMs }: CallOptions = {}) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(closedError(request.method, closedByCaller))
        if (signal?.aborted) return reject(signal.reason as Error)
        const cancel = (): void => {
          waiting.onCancel()
          reject(signal?.reason as Error)
        }
        const waiting: Waiting = {
          request,
          bytes: encoder.encode(JSON.stringify(request)).length + envelopeBytes,
          signal,
          settle(outcome) {
            signal?.removeEventListener('abort', cancel)
            if (outcome.status === 'fulfilled') resolve(outcome.value)
            else reject(outcome.reason as Error)
          },
          onCancel: () => {},
        }
        signal?.addEventListener('abort', cancel, { once: true })
        collect(waiting, timeoutMs)
      })
    },
    batch: (requests, callOptions) => sendAll(transport, requests, callOptions),
    ...connectionMethods,
    close() {
      isClosed = true
      for (const { timer, calls } of collections.values()) {
        clearTimeout(timer)
        for (const { request, settle } of calls) {
          settle({ status: 'rejected', reason: closedError(request.method, closedByCaller) })
        }
      }
      collections.clear()
      connectionMethods.close?.()
    },
  }
}

// Upper bound for the size of the envelope around method and params.
const envelopeBytes = 64
