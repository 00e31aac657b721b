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

const nothing: Used = { requests: 0, units: 0 }

/** Creates an empty current usage, without quota owners. */
export function createCurrentUsage(now: () => number = Date.now): CurrentUsage {
  let known: ReadonlyMap<string, Sum> = new Map()
  return {
    of(owner, id, period) {
      const sum = known.get(key(owner, id))
      if (sum === undefined) return nothing
      return sum.began[period] === beginningOf(period, now()) ? sum[period] : nothing
    },
    add(rows) {
      if (known.size === 0) return
      const began = { day: beginningOf('day', now()), month: beginningOf('month', now()) }
      for (const row of rows) {
        if (row.statusClass >= firstFailedClass) continue
        known.get(key('credential', row.credentialId))?.add(row, began)
        known.get(key('node', row.nodeId))?.add(row, began)
        known.get(key('project', row.projectId))?.add(row, began)
      }
    },
    replace(rows) {
      const began = { day: beginningOf('day', now()), month: beginningOf('month', now()) }
      known = new Map(rows.map((row) => [key(row.owner, row.id), new Sum(row, began)]))
    },
  }
}

const firstFailedClass = 4

class Sum {
  began: Readonly<Record<QuotaPeriod, number>>
  day: Used
  month: Used

  constructor({ day, month }: UsedRow, began: Readonly<Record<QuotaPeriod, number>>) {
    this.began = began
    this.day = day
    this.month = month
  }

  add(row: UsageRow, began: Readonly<Record<QuotaPeriod, number>>): void {
    this.day = this.#added('day', row, began)
    this.month = this.#added('month', row, began)
    this.began = began
  }

  // A new period begins at zero. Remaining usage of the hour before it counts for neither period.
  #added(period: QuotaPeriod, row: UsageRow, began: Readonly<Record<QuotaPeriod, number>>): Used {
    const before = this.began[period] === began[period] ? this[period] : nothing
    if (row.hour < began[period]) return before
    return { requests: before.requests + row.requests, units: before.units + row.units }
  }
}

/** The start of the day or month of a time in UTC, in milliseconds since 1970. */
export function beginningOf(period: QuotaPeriod, time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), period === 'day' ? date.getUTCDate() : 1)
}

function key(owner: QuotaOwner, id: string): string {
  return `${owner} ${id}`
}
