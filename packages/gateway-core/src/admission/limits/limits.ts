import type { Limits, Rate } from '../../grants/limits.ts'
import type { Grant } from '../../grants/grant.ts'
import { methodTest } from '../access-rules.ts'
import type { Owner } from '../rejections.ts'
import type { Limit } from './limit.ts'
import { Quota, type UsedSoFar } from './quota.ts'
import { RateLimit } from './rate-limit.ts'
import type { SharedLimits } from './shared-limits.ts'
import { guardedInterval } from '@fairlead/runtime'

/** All limits that apply to a grant, the narrowest owner first. */
export interface LimitsOfGrant {
  /** The limits that a call of a method charges. */
  of(method: string): readonly Limit[]
  /** The limits that count server-sent messages. */
  readonly pushed: readonly Limit[]
}

/** Dependencies of the limits. */
export interface LimitDependencies {
  readonly shared: SharedLimits
  readonly usedSoFar: UsedSoFar
  /** Rate limit of credentials without their own; 0 = unlimited. It may change. */
  readonly limits: { readonly requestsPerSecond: number }
}

// Callers may invent method names.
const maxCachedMethods = 256
const maxCachedMethodLength = 128
const syncMs = 250
const refreshMs = 5_000

/** The limits of all owners: one instance per limit, shared by all grants. */
export class LimitTable {
  readonly #dependencies: LimitDependencies
  readonly #rates = new Map<string, RateLimit>()
  readonly #quotas = new Map<string, Quota>()
  /** Quotas with usage that is not yet reported to the other replicas. */
  readonly #unreported = new Set<Quota>()
  readonly #timers: readonly NodeJS.Timeout[]

  constructor(dependencies: LimitDependencies) {
    this.#dependencies = dependencies
    const syncTimer = guardedInterval(() => this.#syncAll(), syncMs).unref()
    const refreshing = guardedInterval(() => {
      for (const quota of this.#quotas.values()) quota.refresh()
    }, refreshMs).unref()
    this.#timers = [syncTimer, refreshing]
  }

  /** Finds or creates the limits of a grant; undefined when it has none. */
  of({ credentialId, nodeId, projectId, limits = {} }: Grant, now: number): LimitsOfGrant | undefined {
    const { requestsPerSecond } = this.#dependencies.limits
    const credentialLimits: Limits = {
      ...(requestsPerSecond > 0 && { rate: { requestsPerSecond } }),
      ...limits.credential,
    }
    const owners = [
      ['credential', credentialId, credentialLimits],
      ['node', nodeId, limits.node ?? {}],
      ['project', projectId, limits.project ?? {}],
    ] as const
    const always: Limit[] = []
    const ofMethods: { readonly matches: (method: string) => boolean; readonly limit: Limit }[] = []
    for (const [owner, id, ofOwner] of owners) {
      const { rate, methodRates = {} } = ofOwner
      if (rate) always.push(this.#rate(owner, id, rate, now))
      always.push(...this.#quotasOf(owner, id, ofOwner))
      for (const [pattern, methodRate] of Object.entries(methodRates)) {
        const limit = this.#rate(owner, id, methodRate, now, pattern)
        ofMethods.push({ matches: methodTest([pattern]), limit })
      }
    }
    if (always.length + ofMethods.length === 0) return undefined
    const pushed = always.filter(({ push }) => push !== undefined)
    if (ofMethods.length === 0) return { of: () => always, pushed }
    const byMethod = new Map<string, readonly Limit[]>()
    return {
      of: (method) => {
        const cached = byMethod.get(method)
        if (cached) return cached
        const matching = ofMethods.filter(({ matches }) => matches(method)).map(({ limit }) => limit)
        const all = [...matching, ...always]
        if (byMethod.size < maxCachedMethods && method.length <= maxCachedMethodLength)
          byMethod.set(method, all)
        return all
      },
      pushed,
    }
  }

  /** Removes limits that equal new ones. A caller that caches limits must get them again. */
  removeIdle(now: number): void {
    for (const [key, rate] of this.#rates) if (rate.isIdle(now)) this.#rates.delete(key)
    for (const [key, quota] of this.#quotas) if (quota.isIdle()) this.#quotas.delete(key)
  }

  get size(): number {
    return this.#rates.size + this.#quotas.size
  }

  /** Syncs unreported usage with the other replicas, and ends. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all([...this.#unreported].map((quota) => quota.sync()))
  }

  #rate(owner: Owner, id: string, rate: Rate, now: number, method?: string): RateLimit {
    const key = `fairlead:rate:${owner}:${id}:${method ?? ''}`
    const existing = this.#rates.get(key)
    if (existing) {
      existing.change(rate, now)
      return existing
    }
    const created = new RateLimit({ owner, key, method }, rate, this.#dependencies.shared, now)
    this.#rates.set(key, created)
    return created
  }

  #quotasOf(owner: Owner, ownerId: string, { requestsPerDay, unitsPerMonth }: Limits): Quota[] {
    const subjects = [
      [{ owner, ownerId, counts: 'requests', period: 'day' }, requestsPerDay],
      [{ owner, ownerId, counts: 'units', period: 'month' }, unitsPerMonth],
    ] as const
    return subjects.flatMap(([subject, limit]) => {
      if (limit === undefined) return []
      const key = `${owner}:${ownerId}:${subject.counts}`
      const { shared, usedSoFar } = this.#dependencies
      const onUse = (used: Quota) => {
        if (shared.store) this.#unreported.add(used)
      }
      const quota = this.#quotas.get(key) ?? new Quota(subject, limit, { shared, usedSoFar, onUse })
      quota.limit = limit
      this.#quotas.set(key, quota)
      return [quota]
    })
  }

  #syncAll(): void {
    if (this.#dependencies.shared.store?.isUp !== true) return
    const unreported = [...this.#unreported]
    this.#unreported.clear()
    for (const quota of unreported) void quota.sync()
  }
}
