/** Intervals and timeouts of a supervisor. All times in milliseconds. */
export interface SupervisorTimings {
  /** Maximum time until an engine responds for the first time. */
  readyDeadlineMs: number
  /** Mean pause before the first restart; it doubles with every failure. */
  initialPauseMs: number
  maxPauseMs: number
  /** After a run of at least this length, the pause starts from the first pause again. */
  stableAfterMs: number
  /** Number of consecutive starts without readiness after which the supervisor gives up. */
  maxFailures: number
}

/** The timings for a local engine. */
export const defaultTimings: SupervisorTimings = {
  readyDeadlineMs: 60_000,
  initialPauseMs: 200,
  maxPauseMs: 10_000,
  stableAfterMs: 30_000,
  maxFailures: 5,
}

/** One run of an engine, from its start to its exit. */
export interface EndedRun {
  /** Whether the engine became ready for calls. */
  readonly wasReady: boolean
  readonly durationMs: number
}

/** The reaction to an unexpected exit. */
export interface RestartPlan {
  /** Consecutive starts that never became ready. */
  readonly failedStarts: number
  /** Consecutive exits, which determine the length of the pause. */
  readonly failures: number
  /** Milliseconds until the next start; undefined when the supervisor gives up. */
  readonly delayMs: number | undefined
}

/**
 * Plans restarts with exponential backoff.
 *
 * Exits of an engine that was ready only lengthen the pause: a request that crashes the engine must not end the chain
 * for all clients. Starts that never become ready count towards the limit.
 */
export class RestartBackoff {
  readonly #timings: SupervisorTimings
  #failures = 0
  #failedStarts = 0

  constructor(timings: SupervisorTimings) {
    this.#timings = timings
  }

  /** Resets the count of earlier failures. */
  reset(): void {
    this.#failures = 0
    this.#failedStarts = 0
  }

  /** Counts an exit. */
  next({ wasReady, durationMs }: EndedRun): RestartPlan {
    const { stableAfterMs, maxFailures } = this.#timings
    this.#failures = wasReady && durationMs > stableAfterMs ? 1 : this.#failures + 1
    this.#failedStarts = wasReady ? 0 : this.#failedStarts + 1
    const [failures, failedStarts] = [this.#failures, this.#failedStarts]
    const delayMs = failedStarts >= maxFailures ? undefined : pauseBefore(failures, this.#timings)
    return { failures, failedStarts, delayMs }
  }
}

/** Milliseconds to wait before a restart: between 0.5 and 1.5 times the mean for the number of failures. */
function pauseBefore(failures: number, timings: SupervisorTimings): number {
  const mean = Math.min(timings.maxPauseMs, timings.initialPauseMs * 2 ** (failures - 1))
  // Jitter: processes that fail for the same reason must not all restart at the same time.
  return Math.round(mean * (0.5 + Math.random()))
}
