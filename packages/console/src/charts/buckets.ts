/** Length of time of one point of a chart. */
export type Granularity = 'hour' | 'day' | 'month'

/** The fields of a usage report row that charts need. */
export interface UsageRow {
  /** Start of the row's time, UTC. */
  readonly datetime: string
  readonly requests: number
  readonly failed_requests: number
  readonly request_units: number
  readonly timed_requests: number
  readonly duration_ms: number
}

/** Sums of the rows of one time. */
export interface Bucket {
  /** Start of the time, in milliseconds of Unix time. */
  readonly at: number
  readonly requests: number
  readonly failed: number
  readonly units: number
  /** Number of requests with a recorded duration. */
  readonly timed: number
  /** Sum of their durations, in milliseconds. */
  readonly duration: number
}

/**
 * Sums up rows by time. Times without rows are included with zeros.
 *
 * @param rows - in any order
 * @param granularity - of the rows
 * @param from - start of the first time, in milliseconds of Unix time
 * @param to - end of the last time, in milliseconds of Unix time
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
  for (let at = startOf(from, granularity); at < to; at = nextOf(at, granularity)) {
    buckets.push(byTime.get(at) ?? emptyAt(at))
  }
  return buckets
}

function emptyAt(at: number): Bucket {
  return { at, requests: 0, failed: 0, units: 0, timed: 0, duration: 0 }
}

function startOf(time: number, granularity: Granularity): number {
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
