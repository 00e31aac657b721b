import { performance } from 'node:perf_hooks'
import { RehashingMap } from '@fairlead/runtime'
import { RetryBudget, retryRules } from '@fairlead/gateway-core/upstream/retry-budget'
import type { Call } from '../call.ts'
import { BatchedCall, type BatcherOptions, type BatchObserver, NodeBatch } from './node-batch.ts'
import type { Upstream } from './types.ts'

// The upstream may be replaced by another one at the same URL.
const disabledMs = 10 * 60_000

/**
 * Combines the calls of a client's batch that go to one upstream in the same event-loop tick into a batch, if the
 * upstream accepts batches. Only short calls are combined, because any other call would delay the rest. When a call
 * succeeds that failed in a batch, the upstream receives no batches for a while.
 */
export class Batcher implements BatchObserver {
  readonly retries = new RetryBudget(retryRules)
  readonly #options: BatcherOptions
  /** Batches of the current event-loop tick, by the client's batch. */
  readonly #batches = new RehashingMap<object, NodeBatch>()
  #disabledUntil = -Infinity

  constructor(options: BatcherOptions) {
    this.#options = options
  }

  /** As {@link Upstream.send}. A call that cannot be batched is sent separately. */
  readonly send: Upstream['send'] = (call, signal, completion) => {
    const { sendSingle, maxCalls } = this.#options
    const canBatch = maxCalls > 1 && !signal.aborted && !this.isDisabled
    if (!canBatch || !isBatchable(call)) return sendSingle(call, signal, completion)
    const { batch } = call
    const current = this.#batches.get(batch)
    const open = current && current.size < maxCalls ? current : this.#begin(batch)
    this.retries.earn()
    open.add(new BatchedCall(call, signal, completion))
  }

  /** Whether the upstream receives no batches for a while. */
  get isDisabled(): boolean {
    return performance.now() < this.#disabledUntil
  }

  onSentSingly(): void {
    this.#disabledUntil = performance.now() + disabledMs
  }

  #begin(batch: object): NodeBatch {
    const current = new NodeBatch(this.#options, this)
    this.#batches.set(batch, current)
    // All calls of a client's batch begin synchronously.
    process.nextTick(() => {
      if (this.#batches.get(batch) === current) this.#batches.delete(batch)
      current.send()
    })
    return current
  }
}

type BatchableCall = Call & { readonly batch: object }

/**
 * Whether upstreams can respond immediately and with a short response. A block with all its transactions is not short.
 */
function isBatchable(call: Call): call is BatchableCall {
  const { policy, params } = call
  if (!call.batch) return false
  return policy.latencyClass === 'short' && policy.resending === 'always' && params[1] !== true
}
