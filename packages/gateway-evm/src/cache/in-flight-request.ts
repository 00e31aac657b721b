import { toRpcError } from '../upstream/rpc-errors.ts'
import { Cancellation, type CancellationSignal } from '@fairlead/http1'
import type { RpcResponse } from '../rpc-response.ts'
import type { UpstreamResponse } from '../upstream/upstream-response.ts'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'

/** Outcome of an in-flight request. */
export type RequestOutcome =
  | { readonly kind: 'answered'; readonly plain: RpcResponse }
  /** The response is too large to share. Only the first caller receives it. */
  | { readonly kind: 'long' }
  | { readonly kind: 'failed'; readonly failure: unknown }

/** An in-flight request that identical calls may join. */
export class InFlightRequest {
  /** Cancellation signal of the request. */
  readonly signal: CancellationSignal
  /** Epoch of the chain at the start of the request. The response is valid for callers that arrived in this epoch. */
  readonly epoch: number
  readonly #own: Cancellation | undefined
  /** Created for the first waiter, because most requests have none. */
  #landing: Promise<RequestOutcome> | undefined
  #land: ((outcome: RequestOutcome) => void) | undefined
  #waiting = 0

  /**
   * @param epoch - epoch of the chain
   * @param signal - signal of the first caller, for a request that ends with this caller; without it, the request
   * continues while any caller waits
   */
  constructor(epoch: number, signal?: CancellationSignal) {
    this.epoch = epoch
    if (signal === undefined) this.#own = new Cancellation()
    this.signal = signal ?? (this.#own as Cancellation)
  }

  /** Promise of the outcome, for use while the request is in flight. */
  get landing(): Promise<RequestOutcome> {
    this.#landing ??= new Promise((resolve) => {
      this.#land = resolve
    })
    return this.#landing
  }

  /** Number of waiters in addition to the first caller. */
  waiters = 0

  settle(landing: RequestOutcome): void {
    this.#land?.(landing)
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
    let leave: (() => void) | undefined
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(unavailable(signal.reason, signal))
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    })
    try {
      return await Promise.race([outcome, left])
    } finally {
      if (leave) signal.removeEventListener('abort', leave)
      this.#waiting -= 1
      if (this.#waiting === 0 && signal.aborted) this.#own?.abort(signal.reason)
    }
  }

  /** Cancels the rest of a large response when its reader aborts. */
  endWith(signal: CancellationSignal, { body }: UpstreamResponse): void {
    const own = this.#own
    if (!own) return
    const end = () => own.abort(signal.reason)
    if (signal.aborted) return end()
    signal.addEventListener('abort', end, { once: true })
    body.once('close', () => signal.removeEventListener('abort', end))
  }
}

/** Whether a failure is a valid response: an error of the upstream, or a rejection that would repeat on retry. */
export function isAnswer(failure: unknown): boolean {
  return toRpcError(failure)?.status === 200
}
