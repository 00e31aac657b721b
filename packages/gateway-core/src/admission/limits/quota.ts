import type { Rejection } from '../types.ts'
import { type Owner, quotaExceeded } from '../rejections.ts'
import type { Limit } from './limit.ts'
import { type Period, type Span, spanOf } from './calendar.ts'
import type { SharedLimits } from './shared-limits.ts'

/** The subject of a quota. */
export interface QuotaSubject {
  readonly owner: Owner
  readonly ownerId: string
  readonly counts: 'requests' | 'units'
  readonly period: Period
}

/** Returns the recorded usage of an owner in the current day or month. */
export type UsedSoFar = (subject: QuotaSubject) => number

// Adds local usage. Corrects a counter that was lost or that is lower than the recorded usage.
const addUse = `
local known = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), tonumber(ARGV[2]))
local used = known + tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', used), 'PXAT', ARGV[3])
return string.format('%.0f', used)`

// Counters expire some time after the end of their period, for replicas with slow clocks.
const retentionMs = 3_600_000

/**
 * A quota of requests or units per day or month.
 *
 * It counts in memory. Each call of {@link sync} reports the local usage to the other replicas and reads theirs.
 * Between two such calls, the replicas together may exceed the quota by the usage of that time.
 */
export class Quota implements Limit {
  readonly #subject: QuotaSubject
  readonly #shared: SharedLimits
  readonly #usedSoFar: UsedSoFar
  /** Called when there is usage to report to the other replicas. */
  readonly #onUse: (quota: Quota) => void
  limit: number
  #span: Span
  /** Known usage of all replicas, including the unreported usage. */
  #used = 0
  #unreported = 0
  #isSyncing = false

  constructor(
    subject: QuotaSubject,
    limit: number,
    parts: {
      readonly shared: SharedLimits
      readonly usedSoFar: UsedSoFar
      readonly onUse: (quota: Quota) => void
    },
  ) {
    this.#subject = subject
    this.limit = limit
    this.#shared = parts.shared
    this.#usedSoFar = parts.usedSoFar
    this.#onUse = parts.onUse
    this.#span = spanOf(subject.period, Date.now())
    this.refresh()
    // Reads the usage of the other replicas.
    parts.onUse(this)
  }

  take(units: number): Rejection | undefined {
    this.#roll()
    const count = this.#countOf(units)
    if (this.#used + count > this.limit) {
      // The value of the shared store may be different.
      this.#onUse(this)
      return this.#rejection()
    }
    this.#add(count)
    return undefined
  }

  refund(units: number): void {
    this.#add(-this.#countOf(units))
  }

  push(units: number): Rejection | undefined {
    if (this.#subject.counts === 'requests') return undefined
    this.#roll()
    this.#add(units)
    return this.#used > this.limit ? this.#rejection() : undefined
  }

  isIdle(): boolean {
    // A quota that is created again earlier would have to load its usage again.
    return Date.now() >= this.#span.until
  }

  /** Loads the recorded usage. */
  refresh(): void {
    this.#roll()
    // Local usage is recorded with a delay.
    this.#used = Math.max(this.#used, this.#usedSoFar(this.#subject))
  }

  /** Reports the local usage to the other replicas, and reads theirs. */
  async sync(): Promise<void> {
    const { store } = this.#shared
    if (store?.isUp !== true || this.#isSyncing) return
    this.#isSyncing = true
    const [span, reported] = [this.#span, this.#unreported]
    const { owner, ownerId, counts } = this.#subject
    const key = `fairlead:quota:${owner}:${ownerId}:${counts}:${span.name}`
    try {
      const used = await store.script(
        addUse,
        [key],
        [reported, this.#used - reported, span.until + retentionMs],
      )
      if (span !== this.#span) return
      this.#unreported -= reported
      this.#used = Number(used) + this.#unreported
    } catch {
      // The next sync reports it again. If the store has counted it without a response, it counts twice.
    } finally {
      this.#isSyncing = false
    }
  }

  #add(count: number): void {
    this.#used += count
    this.#unreported += count
    this.#onUse(this)
  }

  #countOf(units: number): number {
    return this.#subject.counts === 'units' ? units : 1
  }

  #roll(): void {
    const now = Date.now()
    if (now >= this.#span.from && now < this.#span.until) return
    this.#span = spanOf(this.#subject.period, now)
    this.#used = 0
    this.#unreported = 0
    // When the clock was set back, the period may have recorded usage.
    this.#used = this.#usedSoFar(this.#subject)
  }

  #rejection(): Rejection {
    const { owner, counts, period } = this.#subject
    return quotaExceeded(owner, `${counts} for this ${period}`, this.#span.until)
  }
}
