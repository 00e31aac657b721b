import { performance } from 'node:perf_hooks'
import { TokenBucket } from '../admission/token-bucket.ts'

const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** How many calls an upstream takes in a second, as the configuration says or as the upstream itself does. */
export class RateBudget {
  /** A second's calls may go together. */
  readonly #bucket: TokenBucket | undefined
  readonly #now: () => number
  #pausedUntil = -Infinity
  #pauseMs = firstPauseMs

  /**
   * @param perSecond - any number when undefined
   * @param now - a clock in milliseconds
   */
  constructor(perSecond: number | undefined, now: () => number = () => performance.now()) {
    this.#bucket =
      perSecond === undefined ? undefined : new TokenBucket(perSecond, Math.max(1, perSecond), now())
    this.#now = now
  }

  /** Whether the upstream has said that it takes no calls for now. */
  get isPaused(): boolean {
    return this.#now() < this.#pausedUntil
  }

  /** How long the next call has to wait, in milliseconds; 0 when it may go at once. */
  get waitMs(): number {
    if (this.#bucket === undefined && this.#pausedUntil === -Infinity) return 0
    const now = this.#now()
    return Math.max(0, this.#bucket?.waitMs(now) ?? 0, this.#pausedUntil - now)
  }

  /** Takes the place of one call, which waits for {@link waitMs} as it was before. */
  take(): void {
    this.#bucket?.takeAhead(this.#now())
  }

  /** The upstream took no call for its number. */
  refused(retryAfterMs: number | undefined): void {
    const now = this.#now()
    if (now < this.#pausedUntil) return
    const pauseMs = Math.min(retryAfterMs ?? this.#pauseMs, longestPauseMs)
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
    this.#pausedUntil = now + pauseMs
  }

  /** The upstream took a call. */
  taken(): void {
    this.#pauseMs = firstPauseMs
  }
}
