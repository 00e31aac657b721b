/**
 * How long a request took on average, in milliseconds; null where none says how long it took.
 *
 * @param timed - how many requests say how long they took
 * @param duration - how long those took together, in milliseconds
 */
export function meanLatency(timed: number, duration: number): number | null {
  return timed === 0 ? null : duration / timed
}

const fine = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 })
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })

/** Milliseconds in words, without digits that mean nothing; a dash where there is no number. */
export function latencyText(milliseconds: number | null): string {
  if (milliseconds === null) return '–'
  return `${(milliseconds < 10 ? fine : whole).format(milliseconds)} ms`
}
