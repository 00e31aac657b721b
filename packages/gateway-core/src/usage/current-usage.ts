import type { UsageRow } from './usage-counts.ts'

/** Who may have a quota. */
export type QuotaOwner = 'credential' | 'node' | 'project'

/** A time that quotas are counted in: the day or the month that it is now, UTC. */
export type QuotaPeriod = 'day' | 'month'

/** Calls that were answered with success, and the units that they cost. */
export interface Used {
  readonly requests: number
  readonly units: number
}

/** What the database says that an owner has used. */
export interface UsedRow {
  readonly owner: QuotaOwner
  readonly id: string
  readonly day: Used
  readonly month: Used
}

/**
 * How much was used of quotas, in memory. It knows those who have one: of what they do here about a second late, and of
 * what they do at other processes, or did before their quota was set, about ten.
 */
export interface CurrentUsage {
  of(owner: QuotaOwner, id: string, period: QuotaPeriod): Used
  /** Adds what was counted here since the last reading. */
  add(rows: readonly UsageRow[]): void
  /** Puts what was read from the database in force, for everybody who has a quota. */
  replace(rows: readonly UsedRow[]): void
}

const nothing: Used = { requests: 0, units: 0 }

/** Makes a read-out in which nobody has a quota. */
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

  // A new period begins with nothing; what is left of the hour before it counts for neither.
  #added(period: QuotaPeriod, row: UsageRow, began: Readonly<Record<QuotaPeriod, number>>): Used {
    const before = this.began[period] === began[period] ? this[period] : nothing
    if (row.hour < began[period]) return before
    return { requests: before.requests + row.requests, units: before.units + row.units }
  }
}

/** When the day or the month of a time began, UTC, in milliseconds since 1970. */
export function beginningOf(period: QuotaPeriod, time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), period === 'day' ? date.getUTCDate() : 1)
}

function key(owner: QuotaOwner, id: string): string {
  return `${owner} ${id}`
}
