/** A bucket of tokens that fills at a steady rate, and starts full. It has no timer: it is asked with the time. */
export class TokenBucket {
  #perSecond: number
  #size: number
  #tokens: number
  #filledAt: number

  /** @param now - in milliseconds, of a clock that never goes back */
  constructor(perSecond: number, size: number, now: number) {
    this.#perSecond = perSecond
    this.#size = size
    this.#tokens = size
    this.#filledAt = now
  }

  /** Takes a token and returns 0, or returns after how many milliseconds there is one. */
  take(now: number): number {
    const waitMs = this.waitMs(now)
    if (waitMs === 0) this.#tokens -= 1
    return waitMs
  }

  /** After how many milliseconds there is a token that nobody took ahead; 0 when there is one now. */
  waitMs(now: number): number {
    this.#fill(now)
    // A billionth is what adding fractions may lose.
    return this.#tokens > 1 - 1e-9 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1_000
  }

  /** Takes a token whether or not there is one: whoever does waits for {@link waitMs} as it was before. */
  takeAhead(now: number): void {
    this.#fill(now)
    this.#tokens -= 1
  }

  /** Puts a token back that was taken for nothing. */
  giveBack(): void {
    this.#tokens = Math.min(this.#size, this.#tokens + 1)
  }

  /** Changes the rate from now on. */
  change(perSecond: number, size: number, now: number): void {
    this.#fill(now)
    this.#perSecond = perSecond
    this.#tokens = Math.min(size, this.#tokens + Math.max(0, size - this.#size))
    this.#size = size
  }

  /** Whether a new bucket would be the same as this one. */
  isFull(now: number): boolean {
    this.#fill(now)
    return this.#tokens >= this.#size
  }

  #fill(now: number): void {
    const passed = Math.max(0, now - this.#filledAt) / 1_000
    this.#tokens = Math.min(this.#size, this.#tokens + passed * this.#perSecond)
    this.#filledAt = now
  }
}
