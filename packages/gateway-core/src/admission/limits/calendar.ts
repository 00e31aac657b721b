/** The period of a quota. */
export type Period = 'day' | 'month'

/** One day or month, in milliseconds since 1970 in UTC. */
export interface Span {
  /** `2026-11-21` or `2026-11`. */
  readonly name: string
  readonly from: number
  /** The start of the next period. */
  readonly until: number
}

/** The day or month that contains a time. */
export function spanOf(period: Period, moment: number): Span {
  const date = new Date(moment)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  const name = date.toISOString().slice(0, period === 'day' ? 10 : 7)
  return period === 'day'
    ? { name, from: Date.UTC(year, month, day), until: Date.UTC(year, month, day + 1) }
    : { name, from: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 1) }
}
