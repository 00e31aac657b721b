/** The input for detecting that an upstream is silent. */
export interface SilenceFacts {
  /** A clock in milliseconds. */
  readonly now: number
  /** When the last byte arrived from the upstream, on any clock. */
  readonly lastBytesAt: number
  /** Whether any call waits for the upstream. */
  readonly isWaiting: boolean
  /** Whether a call waits that upstreams usually respond to at once. */
  readonly isShortWaiting: boolean
  /** Maximum time that such a call may wait without a byte from the upstream. */
  readonly limitMs: number
}

/** Interval between checks. Several pools may check an upstream, each at its own times. */
export const silenceTickMs = 50
// A process that was blocked, or did not check, has not read the data that arrived meanwhile.
const maxStepMs = 2 * silenceTickMs
const probeAfterMs = 500
const probeEveryMs = 500

/**
 * Detects that an upstream is silent: a short call has waited longer than its limit, and no byte arrived on any
 * connection of the upstream meanwhile. Other calls may take any time, so a probe is sent in addition. The first byte
 * ends the silence.
 */
export class Silence {
  isSilent = false
  /** Whether a call has already waited for half of the limit. */
  isSuspected = false
  /** Whether a probe is waiting for its response. */
  isProbed = false
  #checkedAt = -Infinity
  #bytesAt = -Infinity
  #waitedMs = 0
  #shortWaitedMs = 0
  #sinceProbeMs = 0

  /** @returns whether to send a probe, which then counts as a waiting short call */
  observe({ now, lastBytesAt, isWaiting, isShortWaiting, limitMs }: SilenceFacts): boolean {
    const step = now - this.#checkedAt
    const elapsedMs = step > maxStepMs ? silenceTickMs : step
    this.#checkedAt = now
    if (lastBytesAt !== this.#bytesAt) {
      this.#bytesAt = lastBytesAt
      this.#waitedMs = this.#shortWaitedMs = this.#sinceProbeMs = 0
      this.isSilent = this.isSuspected = false
      return false
    }
    this.#waitedMs = isWaiting ? this.#waitedMs + elapsedMs : 0
    this.#shortWaitedMs = isShortWaiting ? this.#shortWaitedMs + elapsedMs : 0
    this.#sinceProbeMs += elapsedMs
    this.isSuspected = this.isSilent || 2 * this.#shortWaitedMs > limitMs
    if (this.#shortWaitedMs > limitMs) this.isSilent = true
    const isDue = this.isSilent
      ? this.#sinceProbeMs >= probeEveryMs
      : !isShortWaiting && this.#waitedMs >= probeAfterMs
    if (isDue) this.#sinceProbeMs = 0
    return isDue
  }
}
