/** A token bucket that refills at a constant rate and starts full. It has no timer: callers pass the time. */
export class TokenBucket {
  #perSecond: number
  #size: number
  #tokens: number
  #filledAt: number

  /** @param now - in milliseconds, of a monotonic clock */
  constructor(perSecond: number, size: number, now: number) {
    this.#perSecond = perSecond
    this.#size = size
    this.#tokens = size
    this.#filledAt = now
  }

  /** Takes a token and returns 0, or returns the number of milliseconds until one is available. */
  take(now: number): number {
    const waitMs = this.waitMs(now)
    if (waitMs === 0) this.#tokens -= 1
    return waitMs
  }

  /** The number of milliseconds until an unreserved token is available; 0 when one is available now. */
  waitMs(now: number): number {
    this.#fill(now)
    // Allows a rounding error of 1e-9.
    return this.#tokens > 1 - 1e-9 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1_000
  }

  /** Takes a token even if none is available. The caller then waits for the previous value of {@link waitMs}. */
  takeInAdvance(now: number): void {
    this.#fill(now)
    this.#tokens -= 1
  }

  /** Returns an unused token. */
  refund(): void {
    this.#tokens = Math.min(this.#size, this.#tokens + 1)
  }

  /** Changes the rate and size from now on. */
  change(perSecond: number, size: number, now: number): void {
    this.#fill(now)
    this.#perSecond = perSecond
    this.#tokens = Math.min(size, this.#tokens + Math.max(0, size - this.#size))
    this.#size = size
  }

  /** Whether the bucket equals a new one. */
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
