import { guardedInterval } from '@fairlead/http1'

/** A transfer that has to make progress: a body on its way in, or a response on its way out. */
export interface Transfer {
  /** Bytes that the peer has sent or accepted so far; any change is progress. */
  moved(): number
  /** Bytes that wait for the peer; 0 while nothing is due. */
  due(): number
}

/** When a transfer counts as stalled. */
export interface ProgressLimits {
  /** Longest time without progress while something is due, in milliseconds. */
  readonly stallMs: number
  /** Lowest mean rate while something is due, once that has been for longer than {@link stallMs}. */
  readonly minBytesPerSecond: number
}

// What waits is often accepted in one piece, so that its progress shows at its end only.
const assumedBytesPerSecond = 65_536
const checkMs = 1_000

/**
 * Ends transfers whose peer stalls: one clock for all of them, as a timer for each costs more than the transfer. It knows
 * neither servers nor protocols. Time in which nothing is due does not count.
 */
export class ProgressDeadlines {
  readonly #limits: ProgressLimits
  readonly #now: () => number
  readonly #watched = new Set<WatchedTransfer>()
  #timer: NodeJS.Timeout | undefined

  /** @param now - clock in milliseconds */
  constructor(limits: ProgressLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  /**
   * Watches a transfer.
   *
   * @param end - called once, when the transfer has stalled
   * @returns ends the watch
   */
  watch(transfer: Transfer, end: () => void): () => void {
    const watched = new WatchedTransfer(transfer, end, this.#now())
    this.#watched.add(watched)
    this.#timer ??= guardedInterval(() => this.check(), Math.min(checkMs, this.#limits.stallMs)).unref()
    return () => this.#forget(watched)
  }

  /** Transfers that are watched. */
  get size(): number {
    return this.#watched.size
  }

  /** Looks at all transfers; the timer does so every second. */
  check(): void {
    const now = this.#now()
    for (const watched of this.#watched) {
      if (!watched.hasStalled(now, this.#limits)) continue
      this.#forget(watched)
      watched.end()
    }
  }

  #forget(watched: WatchedTransfer): void {
    if (!this.#watched.delete(watched) || this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

class WatchedTransfer {
  readonly end: () => void
  readonly #transfer: Transfer
  #checkedAt: number
  /** When progress was seen last, or nothing was due. */
  #progressAt: number
  #moved: number
  /** Since something has been due without a break: the time, and the bytes that moved. */
  #dueMs = 0
  #movedWhileDue = 0

  constructor(transfer: Transfer, end: () => void, now: number) {
    this.#transfer = transfer
    this.end = end
    this.#checkedAt = now
    this.#progressAt = now
    this.#moved = transfer.moved()
  }

  hasStalled(now: number, { stallMs, minBytesPerSecond }: ProgressLimits): boolean {
    const moved = this.#transfer.moved()
    const due = this.#transfer.due()
    const progress = moved - this.#moved
    const elapsed = now - this.#checkedAt
    this.#moved = moved
    this.#checkedAt = now
    if (progress !== 0 || due === 0) this.#progressAt = now
    if (due === 0) {
      this.#dueMs = 0
      this.#movedWhileDue = 0
      return false
    }
    this.#dueMs += elapsed
    this.#movedWhileDue += Math.max(0, progress)
    const longestMs = stallMs + (due / assumedBytesPerSecond) * 1_000
    if (now - this.#progressAt > longestMs) return true
    return this.#movedWhileDue < (minBytesPerSecond * (this.#dueMs - longestMs)) / 1_000
  }
}
