/** How long a time one point of a chart is about. */
export type Granularity = 'hour' | 'day' | 'month'

/** A row of the usage report, as far as charts need it. */
export interface UsageRow {
  /** When the time of the row began, UTC. */
  readonly datetime: string
  readonly requests: number
  readonly failed_requests: number
  readonly request_units: number
  readonly timed_requests: number
  readonly duration_ms: number
}

/** Sums of the rows of one time. */
export interface Bucket {
  /** When the time began, in milliseconds of Unix time. */
  readonly at: number
  readonly requests: number
  readonly failed: number
  readonly units: number
  /** How many of the requests say how long they took, */
  readonly timed: number
  /** and how long those took together, in milliseconds. */
  readonly duration: number
}

/**
 * Sums up rows by time. Times of which there are no rows are there with zeros.
 *
 * @param rows - in any order
 * @param granularity - of the rows
 * @param from - the first time, in milliseconds of Unix time
 * @param to - where the last one ends, the same
 */
export function bucketsOf(
  rows: readonly UsageRow[],
  granularity: Granularity,
  from: number,
  to: number,
): readonly Bucket[] {
  const byTime = new Map<number, Bucket>()
  for (const row of rows) {
    const at = Date.parse(row.datetime)
    const sum = byTime.get(at) ?? emptyAt(at)
    byTime.set(at, {
      at,
      requests: sum.requests + row.requests,
      failed: sum.failed + row.failed_requests,
      units: sum.units + row.request_units,
      timed: sum.timed + row.timed_requests,
      duration: sum.duration + row.duration_ms,
    })
  }
  const buckets: Bucket[] = []
  for (let at = beginOf(from, granularity); at < to; at = nextOf(at, granularity)) {
    buckets.push(byTime.get(at) ?? emptyAt(at))
  }
  return buckets
}

function emptyAt(at: number): Bucket {
  return { at, requests: 0, failed: 0, units: 0, timed: 0, duration: 0 }
}

function beginOf(time: number, granularity: Granularity): number {
  const date = new Date(time)
  if (granularity === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
  if (granularity === 'day') return date.setUTCHours(0, 0, 0, 0)
  return date.setUTCMinutes(0, 0, 0)
}

function nextOf(time: number, granularity: Granularity): number {
  const date = new Date(time)
  if (granularity === 'month') return date.setUTCMonth(date.getUTCMonth() + 1)
  return time + (granularity === 'day' ? 86_400_000 : 3_600_000)
}
