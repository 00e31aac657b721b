import { PlatformError } from './platform-error.ts'
import { latestTime, readTime } from './read-time.ts'

const dayMs = 86_400_000

/** The period of a list: from its start, inclusive, to its end, exclusive. */
export interface Period {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/**
 * Parses the parameters of a period: each a day, UTC, or a time. If the end is a day, the period includes that day.
 *
 * @throws {@link PlatformError} `invalid` for a day or a time that does not exist, or an end before the start
 */
export function readPeriod(query: {
  readonly date_from?: string | undefined
  readonly date_to?: string | undefined
}): Period {
  const times = { date_from: startOf(query.date_from), date_to: end(query.date_to) }
  const invalid = Object.entries(times).filter(([, time]) => Number.isNaN(time))
  if (invalid.length > 0) {
    const fields = Object.fromEntries(invalid.map(([name]) => [name, ['Must be a valid date or time.']]))
    throw new PlatformError('invalid', { fields })
  }
  const { date_from: from, date_to: to } = times
  if (from !== undefined && to !== undefined && to < from) {
    throw new PlatformError('invalid', { fields: { date_to: ['Must not be before date_from.'] } })
  }
  return { from: textOf(from), to: textOf(to) }
}

function startOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : readTime(text)
}

function end(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  // The midnight after the last representable day is out of range.
  return text.includes('T') ? readTime(text) : Math.min(readTime(text) + dayMs, latestTime)
}

function textOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}
