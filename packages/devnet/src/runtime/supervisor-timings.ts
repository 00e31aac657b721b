/** When a supervisor waits and when it gives up. All times in milliseconds. */
export interface SupervisorTimings {
  /** How long an engine may take to answer its first call. */
  readyDeadlineMs: number
  /** Mean pause before the first restart; it doubles with every failure. */
  firstPauseMs: number
  longestPauseMs: number
  /** An engine that ran for this long is restarted after the first pause again. */
  stableAfterMs: number
  /** Starts in a row that never became ready, after which the engine is given up. */
  mostFailures: number
}

/** The timings that suit a local engine. */
export const defaultTimings: SupervisorTimings = {
  readyDeadlineMs: 60_000,
  firstPauseMs: 200,
  longestPauseMs: 10_000,
  stableAfterMs: 30_000,
  mostFailures: 5,
}

/** One run of an engine, from its start to its exit. */
export interface EndedRun {
  /** Whether the engine became ready for calls. */
  readonly wasReady: boolean
  readonly durationMs: number
}

/** What follows an unexpected exit. */
export interface RestartPlan {
  /** Starts in a row that never became ready. */
  readonly failedStarts: number
  /** Exits in a row, for the length of the pause. */
  readonly failures: number
  /** Milliseconds until the next start; undefined when the engine is given up. */
  readonly delayMs: number | undefined
}

/**
 * Plans restarts with exponential backoff. Exits of an engine that was ready only lengthen the pause: a request that
 * crashes the engine must not end the chain for everyone. Starts that never become ready use up the budget.
 */
export class RestartBackoff {
  readonly #timings: SupervisorTimings
  #failures = 0
  #failedStarts = 0

  constructor(timings: SupervisorTimings) {
    this.#timings = timings
  }

  /** Forgets earlier failures. */
  reset(): void {
    this.#failures = 0
    this.#failedStarts = 0
  }

  /** Counts an exit. */
  next({ wasReady, durationMs }: EndedRun): RestartPlan {
    const { stableAfterMs, mostFailures } = this.#timings
    this.#failures = wasReady && durationMs > stableAfterMs ? 1 : this.#failures + 1
    this.#failedStarts = wasReady ? 0 : this.#failedStarts + 1
    const [failures, failedStarts] = [this.#failures, this.#failedStarts]
    const delayMs = failedStarts >= mostFailures ? undefined : pauseBefore(failures, this.#timings)
    return { failures, failedStarts, delayMs }
  }
}

/** Milliseconds to wait before a restart: between half and one and a half times the mean for so many failures. */
function pauseBefore(failures: number, timings: SupervisorTimings): number {
  const mean = Math.min(timings.longestPauseMs, timings.firstPauseMs * 2 ** (failures - 1))
  // Jitter: services that fail for the same reason must not all restart at the same moment.
  return Math.round(mean * (0.5 + Math.random()))
}
