/** Whether an upstream receives calls: `closed` = all calls, `open` = none, `half-open` = one probe. */
export type CircuitBreakerState = 'closed' | 'open' | 'half-open'

const maxConsecutiveFailures = 5
const maxErrorRate = 0.5
const minCalls = 20
const weightOfLatest = 0.05
const minPauseMs = 1_000
const maxPauseMs = 30_000
// A breaker that opens again within this time was closed too early.
const relapseMs = 30_000

/** Stops calls to an upstream that fails, and probes from time to time whether it has recovered. */
export class CircuitBreaker {
  readonly #now: () => number
  #state: CircuitBreakerState = 'closed'
  #consecutiveFailures = 0
  #calls = 0
  #errorRate = 0
  #pauseMs = minPauseMs
  #changedAt = -Infinity

  /** @param now - a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get state(): CircuitBreakerState {
    return this.#state
  }

  /** Share of recent calls that failed, from 0 to 1. */
  get errorRate(): number {
    return this.#errorRate
  }

  /**
   * Requests permission for a call. An open breaker permits one probe after its pause.
   *
   * @param isUrgent - whether no other upstream responds, so that the probe does not wait for the end of the pause
   * @returns whether a call may be sent now; its outcome must then be reported
   */
  probe(isUrgent = false): boolean {
    if (this.#state === 'closed') return true
    if (this.#state === 'half-open' || (!isUrgent && this.#isPausing())) return false
    this.#state = 'half-open'
    return true
  }

  /** Withdraws an inconclusive probe. Another one is permitted at once. */
  cancelProbe(): void {
    if (this.#state === 'half-open') this.#state = 'open'
  }

  succeed(): void {
    this.#consecutiveFailures = 0
    this.#calls += 1
    this.#errorRate -= this.#errorRate * weightOfLatest
    if (this.#state === 'half-open') this.#close()
  }

  /** @param isDown - whether the next call is certain to fail as well */
  fail(isDown = false): void {
    this.#consecutiveFailures += 1
    this.#calls += 1
    this.#errorRate += (1 - this.#errorRate) * weightOfLatest
    // Only a probe after the pause shows that the pause was too short.
    if (this.#state === 'half-open' && this.#isPausing()) this.#state = 'open'
    else if (this.#state === 'half-open') this.#open(Math.min(2 * this.#pauseMs, maxPauseMs))
    else if (this.#state === 'closed' && (isDown || this.#isFailing())) this.#open(this.#pauseAfterClosed())
  }

  #isPausing(): boolean {
    return this.#now() - this.#changedAt < this.#pauseMs
  }

  #isFailing(): boolean {
    return (
      this.#consecutiveFailures >= maxConsecutiveFailures ||
      (this.#calls >= minCalls && this.#errorRate > maxErrorRate)
    )
  }

  #pauseAfterClosed(): number {
    const isRelapse = this.#now() - this.#changedAt < relapseMs
    return isRelapse ? Math.min(2 * this.#pauseMs, maxPauseMs) : minPauseMs
  }

  #open(pauseMs: number): void {
    this.#state = 'open'
    this.#pauseMs = pauseMs
    this.#changedAt = this.#now()
  }

  #close(): void {
    this.#state = 'closed'
    this.#changedAt = this.#now()
    this.#consecutiveFailures = this.#calls = this.#errorRate = 0
  }
}
