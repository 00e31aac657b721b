/** When a supervisor waits and when it gives up. All times in milliseconds. */
export interface SupervisorTimings {
  /** How long an engine may take to answer its first call. */
  readyDeadlineMs: number
  /** Mean pause before the first restart; it doubles with every failure. */
  firstPauseMs: number
  longestPauseMs: number
  /** An engine that ran for this long starts the count of failures anew. */
  stableAfterMs: number
  /** Failures in a row after which the engine is given up. */
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

/**
 * How long to wait before a restart.
 *
 * @param failures Failures in a row, at least 1.
 * @param timings The pauses to choose between.
 * @returns Milliseconds, between half and one and a half times the mean.
 */
export function pauseBefore(failures: number, timings: SupervisorTimings): number {
  const mean = Math.min(timings.longestPauseMs, timings.firstPauseMs * 2 ** (failures - 1))
  // Several services that fail for the same reason shall not all come back at the same moment.
  return Math.round(mean * (0.5 + Math.random()))
}
