import { performance } from 'node:perf_hooks'
import { FairQueue, FairShares } from '@fairlead/runtime'
import { TokenBucket } from '../admission/token-bucket.ts'

const firstPauseMs = 1_000
const maxPauseMs = 60_000

/** A call that would have to wait longer is rejected with a time for a retry. */
export const maxWaitMs = 1_000

/** The rate limit of an upstream, from the configuration or from the upstream's own rejections. */
export class RateBudget {
  /** Allows a burst of one second's calls. */
  readonly #bucket: TokenBucket | undefined
  /** Calls that wait for a slot. */
  readonly queue = new FairQueue<() => void>()
  /** The places in the queue; undefined when the rate is unlimited. */
  readonly places: FairShares | undefined
  readonly #now: () => number
  #pausedUntil = -Infinity
  #pauseMs = firstPauseMs
  #isRequested = false

  /**
   * @param perSecond - calls per second; unlimited when undefined
   * @param now - a clock in milliseconds
   */
  constructor(perSecond: number | undefined, now: () => number = () => performance.now()) {
    this.#bucket =
      perSecond === undefined ? undefined : new TokenBucket(perSecond, Math.max(1, perSecond), now())
    if (perSecond !== undefined) {
      const capacity = Math.max(1, (perSecond * maxWaitMs) / 1_000)
      this.places = new FairShares({ capacity, alwaysGranted: Math.max(1, capacity / 16) })
    }
    this.#now = now
  }

  /** Whether the upstream has rejected calls for now. */
  get isPaused(): boolean {
    return this.#pausedUntil !== -Infinity && this.#now() < this.#pausedUntil
  }

  /** Whether the upstream has requested the current pause by its `Retry-After`. */
  get isPausedOnRequest(): boolean {
    return this.#isRequested && this.isPaused
  }

  /** Whether a call would be rejected, or wait for the end of a pause. */
  get isBlocked(): boolean {
    return this.isPaused || this.waitMs > maxWaitMs
  }

  /** Whether a call that does not wait for the end of a pause is within the configured rate. */
  get hasSlot(): boolean {
    return this.#bucket === undefined || this.#bucket.waitMs(this.#now()) === 0
  }

  /** Time that the next call has to wait, in milliseconds; 0 when it can be sent at once. */
  get waitMs(): number {
    if (this.#bucket === undefined && this.#pausedUntil === -Infinity) return 0
    const now = this.#now()
    return Math.max(0, this.#bucket?.waitMs(now) ?? 0, this.#pausedUntil - now)
  }

  /** Reserves the slot of one call. The caller then waits for the previous value of {@link waitMs}. */
  take(): void {
    this.#bucket?.takeInAdvance(this.#now())
  }

  /** Records that the upstream has rejected a call because of its rate limit. */
  recordRejection(retryAfterMs: number | undefined): void {
    const now = this.#now()
    if (now < this.#pausedUntil) return
    const pauseMs = Math.min(retryAfterMs ?? this.#pauseMs, maxPauseMs)
    this.#pauseMs = Math.min(2 * this.#pauseMs, maxPauseMs)
    this.#pausedUntil = now + pauseMs
    this.#isRequested = retryAfterMs !== undefined
  }

  /** Ends the pause, because the upstream has responded to a call during it. */
  resume(): void {
    this.#pausedUntil = -Infinity
  }

  /** Records that the upstream has accepted a call. */
  recordAcceptance(): void {
    this.#pauseMs = firstPauseMs
  }
}
