import { performance } from 'node:perf_hooks'

// Other work of the event loop waits no longer than this.
const defaultSliceMs = 4

/**
 * Divides long work into slices, so that other work of the event loop comes between. All users of one object share one
 * slice for each event-loop tick, and take turns.
 *
 * @example
 * for (const item of items) {
 *   work(item)
 *   if (slices.isOver()) await slices.next()
 * }
 */
export class TimeSlices {
  readonly #sliceMs: number
  readonly #now: () => number
  readonly #waiting: (() => void)[] = []
  /** When the slice of this tick ends; 0 while there is none. */
  #end = 0

  /** @param now - clock in milliseconds */
  constructor(sliceMs = defaultSliceMs, now: () => number = () => performance.now()) {
    this.#sliceMs = sliceMs
    this.#now = now
  }

  /** Whether the work has to wait for another slice. The first call in a tick begins its slice. */
  isOver(): boolean {
    const now = this.#now()
    if (this.#end === 0) this.#begin(now)
    return now >= this.#end
  }

  /** Resolves in a later tick, when those that waited before have had a slice. */
  next(): Promise<void> {
    if (this.#end === 0) this.#begin(this.#now())
    return new Promise((resolve) => void this.#waiting.push(resolve))
  }

  #begin(now: number): void {
    this.#end = now + this.#sliceMs
    setImmediate(this.#tick)
  }

  readonly #tick = (): void => {
    this.#end = 0
    const resolve = this.#waiting.shift()
    if (resolve === undefined) return
    // The next slice begins for those that still wait, even if this one does not use its own.
    this.#begin(this.#now())
    resolve()
  }
}
