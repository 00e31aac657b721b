import { toRpcError } from '../upstream/rpc-errors.ts'
import { Cancellation, type CancellationSignal } from '@fairlead/runtime'
import type { RpcResponse } from '../rpc-response.ts'
import type { UpstreamResponse } from '../upstream/upstream-response.ts'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'

/** Outcome of an in-flight request. */
export type RequestOutcome =
  | { readonly kind: 'response'; readonly response: RpcResponse }
  /** The response is too large to share. Only the first caller receives it. */
  | { readonly kind: 'large' }
  | { readonly kind: 'failed'; readonly failure: unknown }

/** An in-flight request that identical calls may join. */
export class InFlightRequest {
  /** Cancellation signal of the request. */
  readonly signal: CancellationSignal
  /** Epoch of the chain at the start of the request. The response is valid for callers that arrived in this epoch. */
  readonly epoch: number
  readonly organizationId: string
  /** An older request for the same call, of another organization or an earlier epoch. */
  next: InFlightRequest | undefined = undefined
  readonly #cancellation: Cancellation | undefined
  /** Created for the first waiter, because most requests have none. */
  #outcome: Promise<RequestOutcome> | undefined
  #resolve: ((outcome: RequestOutcome) => void) | undefined
  #waiting = 0

  /**
   * @param epoch - epoch of the chain
   * @param organizationId - organization of the callers
   * @param signal - signal of the first caller, for a request that ends with this caller; without it, the request
   * continues while any caller waits
   */
  constructor(epoch: number, organizationId: string, signal?: CancellationSignal) {
    this.epoch = epoch
    this.organizationId = organizationId
    if (signal === undefined) this.#cancellation = new Cancellation()
    this.signal = signal ?? (this.#cancellation as Cancellation)
  }

  /** Promise of the outcome, for use while the request is in flight. */
  get outcome(): Promise<RequestOutcome> {
    this.#outcome ??= new Promise((resolve) => {
      this.#resolve = resolve
    })
    return this.#outcome
  }

  /** Number of waiters in addition to the first caller. */
  waiters = 0

  settle(outcome: RequestOutcome): void {
    this.#resolve?.(outcome)
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
  cancelWith(signal: CancellationSignal, { body }: UpstreamResponse): void {
    const cancellation = this.#cancellation
    if (!cancellation) return
    const cancel = () => cancellation.abort(signal.reason)
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel, { once: true })
    body.once('close', () => signal.removeEventListener('abort', cancel))
  }
}

/** Whether a failure is a valid response: an error of the upstream, or a rejection that would repeat on retry. */
export function isFinalFailure(failure: unknown): boolean {
  return toRpcError(failure)?.status === 200
}
