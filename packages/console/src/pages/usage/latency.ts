/**
 * Mean duration of a request in milliseconds; null when no duration was recorded.
 *
 * @param timed - number of requests with a recorded duration
 * @param duration - sum of these durations, in milliseconds
 */
export function meanLatency(timed: number, duration: number): number | null {
  return timed === 0 ? null : duration / timed
}

const fine = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 })
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })

/** Formats milliseconds without insignificant digits; a dash when there is no number. */
export function latencyText(milliseconds: number | null): string {
  if (milliseconds === null) return '–'
  return `${(milliseconds < 10 ? fine : whole).format(milliseconds)} ms`
}
