import { guardedInterval } from '@fairlead/runtime'

/** A transfer that has to make progress: a body on its way in, or a response on its way out. */
export interface Transfer {
  /** Bytes that the peer has sent or accepted so far; any change is progress. */
  moved(): number
  /** Bytes that wait for the peer; 0 while nothing is pending. */
  due(): number
  /** The memory of the client, which holds the pending bytes. */
  readonly client?: TransferClient | undefined
}

/** The client of a transfer. */
export interface TransferClient {
  /** A client that is not authenticated has a shorter timeout. */
  isAuthenticated(): boolean
  /** Reserves memory for the pending bytes; false ends the transfer. */
  hold(bytes: number): boolean
}

/** The thresholds of a stalled transfer. */
export interface ProgressLimits {
  /** Maximum time without progress while bytes are pending, in milliseconds. */
  readonly stallMs: number
  /** Minimum mean rate, enforced once bytes have been pending for longer than {@link stallMs}. */
  readonly minBytesPerSecond: number
}

// Pending bytes are often accepted in one piece, so progress is visible only at the end.
const assumedBytesPerSecond = 65_536
const checkMs = 1_000

/** Timeout for clients without a valid credential, in milliseconds: to send a request body, and to read a response. */
export const unauthenticatedMs = 10_000

/**
 * Ends transfers whose peer stalls. One timer serves all transfers, because a timer for each costs more than the
 * transfer. It is independent of servers and protocols. Time in which nothing is pending does not count.
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
   * @returns a function that stops watching
   */
  watch(transfer: Transfer, end: () => void): () => void {
    const watched = new WatchedTransfer(transfer, end, this.#now())
    this.#watched.add(watched)
    this.#timer ??= guardedInterval(() => this.check(), Math.min(checkMs, this.#limits.stallMs)).unref()
    return () => this.#remove(watched)
  }

  /** Number of watched transfers. */
  get size(): number {
    return this.#watched.size
  }

  /** Checks all transfers; the timer does so every second. */
  check(): void {
    const now = this.#now()
    for (const watched of this.#watched) {
      if (!watched.hasStalled(now, this.#limits) && watched.hold()) continue
      this.#remove(watched)
      watched.end()
    }
  }

  #remove(watched: WatchedTransfer): void {
    if (!this.#watched.delete(watched) || this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

class WatchedTransfer {
  readonly end: () => void
  readonly #transfer: Transfer
  #checkedAt: number
  /** When progress was last seen, or nothing was pending. */
  #progressAt: number
  #moved: number
  /** Duration of the current uninterrupted period with pending bytes. `#movedWhileDue` counts its transferred bytes. */
  #dueMs = 0
  #movedWhileDue = 0

  constructor(transfer: Transfer, end: () => void, now: number) {
    this.#transfer = transfer
    this.end = end
    this.#checkedAt = now
    this.#progressAt = now
    this.#moved = transfer.moved()
  }

  /** Whether the client may hold the pending bytes. */
  hold(): boolean {
    return this.#transfer.client?.hold(this.#transfer.due()) !== false
  }

  hasStalled(now: number, limits: ProgressLimits): boolean {
    const { minBytesPerSecond } = limits
    const isAuthenticated = this.#transfer.client?.isAuthenticated() !== false
    const stallMs = isAuthenticated ? limits.stallMs : Math.min(limits.stallMs, unauthenticatedMs)
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
    const maxMs = stallMs + (due / assumedBytesPerSecond) * 1_000
    if (now - this.#progressAt > maxMs) return true
    return this.#movedWhileDue < (minBytesPerSecond * (this.#dueMs - maxMs)) / 1_000
  }
}
