import { toRpcError } from '../upstream/rpc-errors.ts'
import { Cancellation, type CancellationSignal } from '@fairlead/http1'
import type { RpcResponse } from '../rpc-response.ts'
import type { UpstreamResponse } from '../upstream/upstream-response.ts'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'

/** How a call that several wait for came to its end. */
export type RequestOutcome =
  | { readonly kind: 'answered'; readonly plain: RpcResponse }
  /** The answer is too long for more than the one who asked first. */
  | { readonly kind: 'long' }
  | { readonly kind: 'failed'; readonly failure: unknown }

/** A call that is under way and that others with the same call may join. */
export class InFlightRequest {
  /** What the call runs under. */
  readonly signal: CancellationSignal
  /** What the chain was when the call began; the answer is good for whoever came no later. */
  readonly epoch: number
  readonly #own: Cancellation | undefined
  /** Made for the first who waits: mostly nobody does. */
  #landing: Promise<RequestOutcome> | undefined
  #land: ((outcome: RequestOutcome) => void) | undefined
  #waiting = 0

  /**
   * @param epoch - of the chain
   * @param signal - of the one who asks first, for a call that ends with him; without it, the call goes on as long as
   * anybody waits
   */
  constructor(epoch: number, signal?: CancellationSignal) {
    this.epoch = epoch
    if (signal === undefined) this.#own = new Cancellation()
    this.signal = signal ?? (this.#own as Cancellation)
  }

  /** To be waited for while the call is under way. */
  get landing(): Promise<RequestOutcome> {
    this.#landing ??= new Promise((resolve) => {
      this.#land = resolve
    })
    return this.#landing
  }

  /** How many wait for it beside the one who asked first. */
  waiters = 0

  settle(landing: RequestOutcome): void {
    this.#land?.(landing)
  }

  /**
   * Waits for an outcome of this call as long as the waiting one is there; the call ends with the last one.
   *
   * @param outcome - settles when the call does
   * @param signal - ends the waiting
   * @throws {@link UpstreamError} with status 502 or 504 when the signal does
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

  /** Ends what is left of a long answer when the one who reads it goes away. */
  endWith(signal: CancellationSignal, { body }: UpstreamResponse): void {
    const own = this.#own
    if (!own) return
    const end = () => own.abort(signal.reason)
    if (signal.aborted) return end()
    signal.addEventListener('abort', end, { once: true })
    body.once('close', () => signal.removeEventListener('abort', end))
  }
}

/** Whether a failure is an answer as good as any: the node's own error, or a refusal that asking again would repeat. */
export function isAnswer(failure: unknown): boolean {
  return toRpcError(failure)?.status === 200
}
