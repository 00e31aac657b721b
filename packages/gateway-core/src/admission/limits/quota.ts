import type { Rejection } from '../types.ts'
import { type Owner, usedUp } from '../rejections.ts'
import type { Limit } from './limit.ts'
import { type Period, type Span, spanOf } from './calendar.ts'
import type { SharedLimits } from './shared-limits.ts'

/** What a quota is of. */
export interface QuotaSubject {
  readonly owner: Owner
  readonly ownerId: string
  readonly counts: 'requests' | 'units'
  readonly period: Period
}

/** Tells what an owner has used in the day or month that it is now, as far as it was written down. */
export type UsedSoFar = (subject: QuotaSubject) => number

// Adds what was used here, and makes up for a counter that was lost or knows less than the usage that is written down.
const addUse = `
local known = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), tonumber(ARGV[2]))
local used = known + tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', used), 'PXAT', ARGV[3])
return string.format('%.0f', used)`

// Counters stay for a while behind their end, for replicas with slow clocks.
const keptMs = 3_600_000

/**
 * A number of requests or units for a day or a month.
 *
 * It is counted in memory. What was used is told to the other replicas, and theirs is learned, whenever {@link settle} is
 * called: between two of these they may together pass the limit by what they let pass in the time.
 */
export class Quota implements Limit {
  readonly #subject: QuotaSubject
  readonly #shared: SharedLimits
  readonly #usedSoFar: UsedSoFar
  /** Hears when there is something to tell the others. */
  readonly #onUse: (quota: Quota) => void
  limit: number
  #span: Span
  /** Known use of all, with what was not told yet. */
  #used = 0
  #untold = 0
  #isSettling = false

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
    // What the others know has to be learned.
    parts.onUse(this)
  }

  take(units: number): Rejection | undefined {
    this.#roll()
    const count = this.#countOf(units)
    if (this.#used + count > this.limit) {
      // The others may know better, or less.
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
    // Made anew before, it would have to learn again what was used.
    return Date.now() >= this.#span.until
  }

  /** Learns what is written down of the use so far. */
  refresh(): void {
    this.#roll()
    // What was used here is not written down at once.
    this.#used = Math.max(this.#used, this.#usedSoFar(this.#subject))
  }

  /** Tells the other replicas what was used here, and learns what they have used. */
  async settle(): Promise<void> {
    const { store } = this.#shared
    if (store?.isUp !== true || this.#isSettling) return
    this.#isSettling = true
    const [span, told] = [this.#span, this.#untold]
    const { owner, ownerId, counts } = this.#subject
    const key = `fairlead:quota:${owner}:${ownerId}:${counts}:${span.name}`
    try {
      const used = await store.script(addUse, [key], [told, this.#used - told, span.until + keptMs])
      if (span !== this.#span) return
      this.#untold -= told
      this.#used = Number(used) + this.#untold
    } catch {
      // It is told the next time; without an answer it may count twice.
    } finally {
      this.#isSettling = false
    }
  }

  #add(count: number): void {
    this.#used += count
    this.#untold += count
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
    this.#untold = 0
    // A clock that was set back comes to a time of which something is written down.
    this.#used = this.#usedSoFar(this.#subject)
  }

  #rejection(): Rejection {
    const { owner, counts, period } = this.#subject
    return usedUp(owner, `${counts} for this ${period}`, this.#span.until)
  }
}
