import { toRpcError } from '../response/rpc-errors.ts'
import { Cancellation, type CancellationSignal, type Tenant } from '@fairlead/runtime'
import type { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import type { RpcResponse } from '../response/rpc-response.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'

/** Outcome of an in-flight request. */
export type RequestOutcome =
  | { readonly kind: 'response'; readonly response: RpcResponse }
  /** The response is too large to share. Only the first caller receives it. */
  | { readonly kind: 'large' }
  | { readonly kind: 'failed'; readonly failure: unknown }

/** Options of {@link InFlightRequest}. */
export interface InFlightRequestOptions {
  /** Epoch of the chain. */
  readonly epoch: number
  /** The first caller. Further callers are of the same organization. */
  readonly tenant: Tenant
  /**
   * Signal of the first caller, for a request that ends with this caller; without it, the request continues while any
   * caller waits.
   */
  readonly signal: CancellationSignal | undefined
  /** Spreads the responses to the callers over event-loop ticks. */
  readonly budget: TickBudget
}

/** Callers that wait for the outcome together. */
interface Waiters {
  readonly outcome: Promise<RequestOutcome>
  readonly resolve: (outcome: RequestOutcome) => void
}

const waitersPerTurn = 16

/** An in-flight request that identical calls may join. */
export class InFlightRequest {
  /** Cancellation signal of the request. */
  readonly signal: CancellationSignal
  /** Epoch of the chain at the start of the request. The response is valid for callers that arrived in this epoch. */
  readonly epoch: number
  readonly #tenant: Tenant
  readonly #budget: TickBudget
  /** An older request for the same call, of another organization or an earlier epoch. */
  next: InFlightRequest | undefined = undefined
  readonly #cancellation: Cancellation | undefined
  /** The callers that joined, in the order of their calls. */
  readonly #waiters: Waiters[] = []
  #waiting = 0

  constructor({ epoch, tenant, signal, budget }: InFlightRequestOptions) {
    this.epoch = epoch
    this.#tenant = tenant
    this.#budget = budget
    if (signal === undefined) this.#cancellation = new Cancellation()
    this.signal = signal ?? (this.#cancellation as Cancellation)
  }

  get organizationId(): string {
    return this.#tenant.organizationId
  }

  /** Number of callers that joined this request. */
  joined = 0

  /** Returns a promise of the outcome for one more caller. */
  join(): Promise<RequestOutcome> {
    if (this.joined % waitersPerTurn === 0) this.#waiters.push(newWaiters())
    this.joined += 1
    return (this.#waiters.at(-1) as Waiters).outcome
  }

  /** Resolves the promises of the outcome, in the turns of the organization. */
  settle(outcome: RequestOutcome): void {
    for (const { resolve } of this.#waiters)
      this.#budget.run(this.#tenant, waitersPerTurn, () => resolve(outcome))
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
