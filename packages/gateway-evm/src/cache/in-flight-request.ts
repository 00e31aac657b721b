import { toRpcError } from '../response/rpc-errors.ts'
import { Cancellation, type CancellationSignal } from '@fairlead/runtime'
import type { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import type { ClientCall } from '../client-call.ts'
import type { BlockOfCall } from './block-of-call.ts'
import type { CacheRule } from './cache-rule.ts'
import type { RpcResponse } from '../response/rpc-response.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'

/** Outcome of an in-flight request. */
export type RequestOutcome =
  | { readonly kind: 'response'; readonly response: RpcResponse }
  /** The response is too large to share. Only the first caller receives it. */
  | { readonly kind: 'large' }
  | { readonly kind: 'failed'; readonly failure: unknown }

/** What identifies a request to an upstream, and determines how long its response may be cached. */
interface CacheKey {
  /** Key prefix of the chain when the call arrived. */
  readonly prefix: string
  /** The method, and everything else that makes a difference except the params. There are few groups. */
  readonly group: string
  /** The params in canonical form. */
  readonly params: string
  /** Key in the shared store. Undefined when the response is not stored there. */
  readonly sharedKey: string | undefined
  readonly rule: CacheRule
  readonly block: BlockOfCall
}

/** Callers that wait for the outcome together. */
interface Waiters {
  readonly outcome: Promise<RequestOutcome>
  readonly resolve: (outcome: RequestOutcome) => void
}

const waitersPerTurn = 16

/** The request of one call. Once it has begun, identical calls may join it. */
export class InFlightRequest<call extends ClientCall = ClientCall> implements CacheKey {
  readonly call: call
  readonly prefix: string
  readonly group: string
  readonly params: string
  readonly sharedKey: string | undefined
  readonly rule: CacheRule
  readonly block: BlockOfCall
  /** Cancellation signal of the request. */
  signal: CancellationSignal
  /** Epoch of the chain at the start of the request. The response is valid for callers that arrived in this epoch. */
  epoch = -1
  /** An older request for the same call, of another organization or an earlier epoch. */
  next: InFlightRequest | undefined = undefined
  #cancellation: Cancellation | undefined = undefined
  /** The callers that joined, in the order of their calls. */
  readonly #waiters: Waiters[] = []
  #waiting = 0

  /** @param call - the first caller. Further callers are of the same organization. */
  constructor(call: call, { prefix, group, params, sharedKey, rule, block }: CacheKey) {
    this.call = call
    this.prefix = prefix
    this.group = group
    this.params = params
    this.sharedKey = sharedKey
    this.rule = rule
    this.block = block
    this.signal = call.signal
  }

  /** A request waits for the turn of its organization, so no call of another organization joins it. */
  get organizationId(): string {
    return this.call.grant.organizationId
  }

  /**
   * Begins the request.
   *
   * @param epoch - current epoch of the chain
   * @param isDetached - whether the request continues while any caller waits; otherwise it ends with the first caller
   */
  begin(epoch: number, isDetached: boolean): void {
    this.epoch = epoch
    if (isDetached) this.signal = this.#cancellation = new Cancellation()
  }

  /** Number of callers that joined this request. */
  joined = 0

  /** Returns a promise of the outcome for one more caller. */
  join(): Promise<RequestOutcome> {
    if (this.joined % waitersPerTurn === 0) this.#waiters.push(newWaiters())
    this.joined += 1
    return (this.#waiters.at(-1) as Waiters).outcome
  }

  /**
   * Resolves the promises of the outcome, in the turns of the organization.
   *
   * @param budget - spreads the responses to the callers over event-loop ticks
   */
  settle(outcome: RequestOutcome, budget: TickBudget): void {
    for (const { resolve } of this.#waiters)
      budget.run(this.call.grant, waitersPerTurn, () => resolve(outcome))
  }

  /**
   * Waits for an outcome of this request until the signal aborts. The request is cancelled when the last waiter aborts.
   *
   * @param outcome - settles when the request does
   * @param signal - ends the wait
   * @throws {@link UpstreamError} with status 502 or 504 when the signal aborts
   */
  async wait<outcome>(outcome: Promise<outcome>, signal: CancellationSignal): Promise<outcome> {
    this.#waiting += 1
    let onAbort: (() => void) | undefined
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(unavailable(signal.reason, signal))
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
    })
    try {
      return await Promise.race([outcome, aborted])
    } finally {
      if (onAbort) signal.removeEventListener('abort', onAbort)
      this.#waiting -= 1
      if (this.#waiting === 0 && signal.aborted) this.#cancellation?.abort(signal.reason)
    }
  }

  /** Cancels the rest of a large response when its reader aborts. */
  cancelWith(signal: CancellationSignal, response: UpstreamResponse): void {
    const cancellation = this.#cancellation
    if (!cancellation) return
    const cancel = () => cancellation.abort(signal.reason)
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel, { once: true })
    response.onceClosed(() => signal.removeEventListener('abort', cancel))
  }
}

function newWaiters(): Waiters {
  let resolve: Waiters['resolve'] | undefined
  const outcome = new Promise<RequestOutcome>((resolver) => (resolve = resolver))
  return { outcome, resolve: (value) => resolve?.(value) }
}

/** Whether a failure is a valid response: an error of the upstream, or a rejection that would repeat on retry. */
export function isFinalFailure(failure: unknown): boolean {
  return toRpcError(failure)?.status === 200
}
