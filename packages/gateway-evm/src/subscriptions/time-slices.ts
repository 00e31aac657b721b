import { performance } from 'node:perf_hooks'

// Maximum delay for other work of the event loop.
const defaultSliceMs = 4

/**
 * Divides long work into slices, so that other work of the event loop can run in between. All users of one object share
 * one slice per event-loop tick, and alternate.
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
  /** End of this tick's slice. 0 while there is none. */
  #end = 0

  /** @param now - clock in milliseconds */
  constructor(sliceMs = defaultSliceMs, now: () => number = () => performance.now()) {
    this.#sliceMs = sliceMs
    this.#now = now
  }

  /** Whether the work must wait for another slice. The first call in a tick begins its slice. */
  isExhausted(): boolean {
    const now = this.#now()
    if (this.#end === 0) this.#start(now)
    return now >= this.#end
  }

  /** Resolves in a later tick, after those that waited before have had a slice. */
  next(): Promise<void> {
    if (this.#end === 0) this.#start(this.#now())
    return new Promise((resolve) => void this.#waiting.push(resolve))
  }

  #start(now: number): void {
    this.#end = now + this.#sliceMs
    setImmediate(this.#tick)
  }

  readonly #tick = (): void => {
    this.#end = 0
    const resolve = this.#waiting.shift()
    if (resolve === undefined) return
    // The next slice begins for the remaining waiters, even if this one does not use its own.
    this.#start(this.#now())
    resolve()
  }
}
