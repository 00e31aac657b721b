import { performance } from 'node:perf_hooks'
import type { UpstreamError, UpstreamErrorKind } from './upstream-error.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { RateBudget } from './rate-budget.ts'
import { type BudgetRules, RetryBudget } from './retry-budget.ts'
import { Latency, type LatencyClass } from './latency.ts'
import { RunningAttempts } from './running-attempts.ts'
import { Silence } from './silence.ts'

/** A caller that disconnects is not a failure of the upstream. */
export type CountedFailure = Exclude<UpstreamErrorKind, 'aborted'>

// After this time the method is tried again, because another server may have taken over the URL.
const missingMethodMs = 10 * 60_000
// The limit depends on the plan and the software behind the URL, which may change.
const rangeLimitMs = 10 * 60_000
// The minimum interval between two rounds of a pool.
const sameFailureMs = 1_000

/**
 * Rules for trials of an upstream that is out of service. A call that waits for a silent upstream can wait for the trial of
 * another call; a call that would fail cannot.
 */
export const trialRules: Readonly<Record<'waiting' | 'failing', BudgetRules>> = {
  waiting: { share: 0, perSecond: 10, max: 1 },
  failing: { share: 0, perSecond: 10, max: 32 },
}

/** The connections to an upstream. */
export interface Connection {
  /** When the last byte arrived, as a time of `performance.now()`; -Infinity before the first. */
  readonly lastBytesAt: number
  /** Number of responses that belonged to no call, or to another one. Each of them ended its connection. */
  readonly mismatchedResponses: number
  /** Whether the upstream receives no batches for a while, because one has failed. Undefined without batches. */
  readonly areBatchesDisabled?: boolean
}

/** An upstream with the results of its calls and health checks. All nodes that use it share it. */
export class Upstream<connection extends Connection = Connection> {
  /** The same in every process and replica; it does not reveal the upstream's URL. */
  readonly id: string
  readonly connection: connection
  readonly breaker = new CircuitBreaker()
  readonly rate: RateBudget
  /** Response times by the class of the call. */
  readonly latency: Readonly<Record<LatencyClass, Latency>> = { short: new Latency(), long: new Latency() }
  readonly silence = new Silence()
  readonly attempts = new RunningAttempts()
  readonly #trials = {
    waiting: new RetryBudget(trialRules.waiting),
    failing: new RetryBudget(trialRules.failing),
  }
  readonly #missingMethods = new Map<string, number>()
  readonly #rangeLimits = new Map<string, { readonly blocks: number; readonly at: number }>()
  #lastFailedCheck: { readonly pool: object; readonly at: number } | undefined
  /** Number of its latest block. */
  head: number | undefined = undefined
  finalized: number | undefined = undefined
  /** Id of the chain that it last reported, and when, as a time of `performance.now()`. */
  chain: { readonly id: string; readonly at: number } | undefined = undefined
  /** Whether it has reported its chain or its health. */
  hasReported = false
  /** Whether it reports that it is syncing. */
  isSyncing = false
  /** Whether it reports that it follows a chain head which it cannot verify. */
  isUnverified = false
  /** Whether a response has begun and stalled recently. */
  hasStalled = false
  callsInFlight = 0
  calls = 0
  failures = 0
  retries = 0
  hedges = 0
  readonly failuresByKind: Record<CountedFailure, number> = {
    connect_failed: 0,
    reset: 0,
    timeout: 0,
    malformed: 0,
    mismatched: 0,
    http_error: 0,
  }

  /** @param requestsPerSecond - rate limit; unlimited when undefined */
  constructor(id: string, connection: connection, requestsPerSecond: number | undefined) {
    this.id = id
    this.connection = connection
    this.rate = new RateBudget(requestsPerSecond)
  }

  /** Whether it receives calls as usual: its circuit breaker is closed, and it is not silent. */
  get isResponsive(): boolean {
    return this.breaker.state === 'closed' && !this.silence.isSilent
  }

  /** Whether a call can be sent to it now, and is expected to get a response. */
  get isAvailable(): boolean {
    return this.isResponsive && !this.silence.isSuspected && this.rate.waitMs === 0
  }

  /**
   * Whether a call that no other upstream serves may be sent to it as a trial, although its circuit breaker is open or it
   * pauses after HTTP 429: it may have recovered. The number of trials is limited.
   *
   * @param state - of the call. Only a waiting one ignores a pause that the upstream has requested by `Retry-After`.
   */
  mayTry(state: keyof typeof trialRules): boolean {
    const { rate, silence } = this
    if (silence.isSuspected || !rate.hasSlot || (state === 'failing' && rate.isPausedOnRequest)) return false
    return this.#trials[state].spend()
  }

  /** Records that the upstream does not implement a method. */
  recordMissingMethod(method: string): void {
    this.#missingMethods.set(method, performance.now())
  }

  isMethodMissing(method: string): boolean {
    if (this.#missingMethods.size === 0) return false
    return performance.now() - (this.#missingMethods.get(method) ?? -Infinity) < missingMethodMs
  }

  /** Records that the upstream rejects queries of a method over more blocks than this. */
  recordRangeLimit(method: string, blocks: number): void {
    const lowest = Math.min(blocks, this.rangeLimitOf(method) ?? blocks)
    this.#rangeLimits.set(method, { blocks: lowest, at: performance.now() })
  }

  /** Returns the maximum number of blocks in a query of a method; undefined when no limit is known. */
  rangeLimitOf(method: string): number | undefined {
    const limit = this.#rangeLimits.get(method)
    return limit && performance.now() - limit.at < rangeLimitMs ? limit.blocks : undefined
  }

  /** The known values of {@link rangeLimitOf}, by method. */
  get rangeLimits(): ReadonlyMap<string, number> {
    const known = new Map<string, number>()
    for (const method of this.#rangeLimits.keys()) {
      const blocks = this.rangeLimitOf(method)
      if (blocks !== undefined) known.set(method, blocks)
    }
    return known
  }

  /**
   * Records a failed health check. Each pool checks the upstream, so a failure that another pool has just recorded
   * counts once.
   *
   * @param failure - undefined when the upstream sent another response
   * @param pool - identifies the pool that made the check
   */
  recordFailedCheck(failure: UpstreamError | undefined, pool: object): void {
    // An error response, also 429, shows that the upstream responds. Without `succeed`, the breaker would stay
    // half-open.
    if (!failure) this.breaker.succeed()
    else if (failure.httpStatus === 429) {
      this.rate.recordRejection(failure.retryAfterMs)
      this.breaker.succeed()
    }
    // Silence ends with the next byte, but an open circuit breaker would wait longer.
    else if (this.silence.isSilent && this.breaker.state === 'closed') return
    // Every upstream has the data of a health check available, so one that times out is hanging.
    else if (failure.kind !== 'aborted' && !this.#isSameFailure(pool)) {
      this.breaker.fail(failure.kind === 'connect_failed' || failure.kind === 'timeout')
    }
  }

  /** Whether another pool has just recorded a failure. The outcome of a probe is never the same. */
  #isSameFailure(pool: object): boolean {
    const last = this.#lastFailedCheck
    const at = performance.now()
    if (this.breaker.state === 'closed' && last && last.pool !== pool && at - last.at < sameFailureMs)
      return true
    this.#lastFailedCheck = { pool, at }
    return false
  }

  /**
   * Counts a call that is sent now. {@link end} has to follow.
   *
   * @returns the time, for {@link recordDuration}
   */
  begin(): number {
    this.calls += 1
    this.callsInFlight += 1
    return performance.now()
  }

  /** Records how long a call has waited for its response or failure. */
  recordDuration(latencyClass: LatencyClass, beganAt: number): void {
    this.latency[latencyClass].add(performance.now() - beganAt)
  }

  /** Counts the end of a call. */
  end(): void {
    this.callsInFlight -= 1
  }

  /** Counts a call with a response, whatever its content. */
  recordResponse(): void {
    this.breaker.succeed()
    this.rate.recordAcceptance()
  }

  /** Counts a failed call, unless the caller cancelled it or may have caused the failure. */
  recordFailure(failure: UpstreamError, latencyClass: LatencyClass): void {
    const { kind, httpStatus, retryAfterMs, isCausedByCaller } = failure
    if (kind === 'aborted' || isCausedByCaller) return this.breaker.cancelProbe()
    this.failures += 1
    this.failuresByKind[kind] += 1
    if (httpStatus === 429) this.rate.recordRejection(retryAfterMs)
    // Silence ends with the next byte, but an open circuit breaker would wait longer. Some calls take too long at any
    // upstream, and must not block it for other callers.
    const isCounted =
      httpStatus !== 429 && !this.silence.isSilent && (kind !== 'timeout' || latencyClass === 'short')
    if (isCounted) this.breaker.fail(kind === 'connect_failed')
    else this.breaker.cancelProbe()
  }
}
