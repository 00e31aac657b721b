/** What ends when its time is up. */
export interface Timed {
  end(): void
}

const checkMs = 250

/**
 * The deadlines of things that all have the same time, to a quarter of a second: a set is far cheaper than a timer for
 * each. The process may end while some are open.
 */
export class Deadlines {
  readonly #ms: number
  // In the order of their deadlines, as all have the same time.
  readonly #open = new Map<Timed, number>()
  #timer: NodeJS.Timeout | undefined

  /** @param milliseconds - that each of them has */
  constructor(milliseconds: number) {
    this.#ms = milliseconds
  }

  begin(timed: Timed, now: number): void {
    this.#open.set(timed, now + this.#ms)
    this.#timer ??= setInterval(() => this.#check(), Math.min(checkMs, this.#ms)).unref()
  }

  done(timed: Timed): void {
    this.#open.delete(timed)
  }

  #check(): void {
    const now = performance.now()
    for (const [timed, deadline] of this.#open) {
      if (deadline > now) return
      this.#open.delete(timed)
      timed.end()
    }
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
