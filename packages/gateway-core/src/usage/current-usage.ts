import type { UsageRow } from './usage-counts.ts'

/** The kinds of quota owners. */
export type QuotaOwner = 'credential' | 'node' | 'project'

/** The current period of a quota: a day or a month in UTC. */
export type QuotaPeriod = 'day' | 'month'

/** Successful calls and the units that they cost. */
export interface Used {
  readonly requests: number
  readonly units: number
}

/** The usage of an owner according to the database. */
export interface UsedRow {
  readonly owner: QuotaOwner
  readonly id: string
  readonly day: Used
  readonly month: Used
}

/**
 * The used amounts of quotas, in memory, for owners that have a quota. Usage in this process is included with a delay
 * of about one second. Usage in other processes, and usage before the quota was set, is included after about ten
 * seconds.
 */
export interface CurrentUsage {
  of(owner: QuotaOwner, id: string, period: QuotaPeriod): Used
  /** Adds the usage counted in this process since the last call. */
  add(rows: readonly UsageRow[]): void
  /** Replaces all values with those from the database, for all owners with a quota. */
  replace(rows: readonly UsedRow[]): void
}

const noUsage: Used = { requests: 0, units: 0 }

/** Creates an empty current usage, without quota owners. */
export function createCurrentUsage(now: () => number = Date.now): CurrentUsage {
  let sums: ReadonlyMap<string, Sum> = new Map()
  return {
    of(owner, id, period) {
      const sum = sums.get(key(owner, id))
      if (sum === undefined) return noUsage
      return sum.periodStarts[period] === startOf(period, now()) ? sum[period] : noUsage
    },
    add(rows) {
      if (sums.size === 0) return
      const periodStarts = { day: startOf('day', now()), month: startOf('month', now()) }
      for (const row of rows) {
        if (row.statusClass >= firstFailedClass) continue
        sums.get(key('credential', row.credentialId))?.add(row, periodStarts)
        sums.get(key('node', row.nodeId))?.add(row, periodStarts)
        sums.get(key('project', row.projectId))?.add(row, periodStarts)
      }
    },
    replace(rows) {
      const periodStarts = { day: startOf('day', now()), month: startOf('month', now()) }
      sums = new Map(rows.map((row) => [key(row.owner, row.id), new Sum(row, periodStarts)]))
    },
  }
}

const firstFailedClass = 4

class Sum {
  periodStarts: Readonly<Record<QuotaPeriod, number>>
  day: Used
  month: Used

  constructor({ day, month }: UsedRow, periodStarts: Readonly<Record<QuotaPeriod, number>>) {
    this.periodStarts = periodStarts
    this.day = day
    this.month = month
  }

  add(row: UsageRow, periodStarts: Readonly<Record<QuotaPeriod, number>>): void {
    this.day = this.#added('day', row, periodStarts)
    this.month = this.#added('month', row, periodStarts)
    this.periodStarts = periodStarts
  }

  // A new period begins at zero. Remaining usage of the hour before it counts for neither period.
  #added(period: QuotaPeriod, row: UsageRow, periodStarts: Readonly<Record<QuotaPeriod, number>>): Used {
    const before = this.periodStarts[period] === periodStarts[period] ? this[period] : noUsage
    if (row.hour < periodStarts[period]) return before
    return { requests: before.requests + row.requests, units: before.units + row.units }
  }
}

/** The start of the day or month of a time in UTC, in milliseconds since 1970. */
export function startOf(period: QuotaPeriod, time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), period === 'day' ? date.getUTCDate() : 1)
}

function key(owner: QuotaOwner, id: string): string {
  return `${owner} ${id}`
}
