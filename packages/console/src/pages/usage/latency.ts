/**
 * Mean duration of a request in milliseconds; null when no duration was recorded.
 *
 * @param timed - number of requests with a recorded duration
 * @param duration - sum of these durations, in milliseconds
 */
export function meanLatency(timed: number, duration: number): number | null {
  return timed === 0 ? null : duration / timed
}

const fractionFormat = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 })
const integerFormat = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })

/** Formats milliseconds without insignificant digits; a dash when there is no number. */
export function latencyText(milliseconds: number | null): string {
  if (milliseconds === null) return '–'
  return `${(milliseconds < 10 ? fractionFormat : integerFormat).format(milliseconds)} ms`
}
