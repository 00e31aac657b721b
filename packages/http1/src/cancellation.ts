/** Hears once that a call has ended. */
export type CancellationListener = (() => void) | { handleEvent(): void }

/** What a call runs under, and what ends it. Every `AbortSignal` is one. */
export interface CancellationSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: CancellationListener, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: CancellationListener): void
}

/** Ends a call. It does what an `AbortController` does, for a fraction of the time: nearly every call has one listener. */
export class Cancellation implements CancellationSignal {
  aborted = false
  reason: unknown
  #first: CancellationListener | undefined
  #others: Set<CancellationListener> | undefined

  /** @param reason - why the call ends; that nobody wants it any more, when left out */
  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = [...(this.#first ? [this.#first] : []), ...(this.#others ?? [])]
    this.#first = this.#others = undefined
    for (const listener of listeners) {
      if (typeof listener === 'function') listener()
      else listener.handleEvent()
    }
  }

  /** Each listener hears once at most, whatever the options say. */
  addEventListener(_: 'abort', listener: CancellationListener): void {
    if (this.aborted) return
    if (this.#first === undefined) this.#first = listener
    else (this.#others ??= new Set()).add(listener)
  }

  removeEventListener(_: 'abort', listener: CancellationListener): void {
    if (this.#first === listener) this.#first = undefined
    else this.#others?.delete(listener)
  }
}
