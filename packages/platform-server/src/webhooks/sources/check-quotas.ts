import { type Kysely, sql } from 'kysely'
import { startOf, type QuotaPeriod, type UsedRow } from '@fairlead/gateway-core/usage/current-usage'
import type { Limits } from '@fairlead/gateway-core/grants/limits'
import { type NewEvent, insertEvent, subscribedEventTypes } from '../../records/webhook-events.ts'
import { readUsed } from '../../records/usage.ts'
import type { Database, LimitOwner } from '../../store/database.ts'

/** A quota in the limits. */
interface Quota {
  readonly name: string
  readonly limit: 'requestsPerDay' | 'unitsPerMonth'
  readonly period: QuotaPeriod
  readonly counts: 'requests' | 'units'
}

const quotas: readonly Quota[] = [
  { name: 'requests_per_day', limit: 'requestsPerDay', period: 'day', counts: 'requests' },
  { name: 'units_per_month', limit: 'unitsPerMonth', period: 'month', counts: 'units' },
]

// The first match applies.
const shares = [
  { percent: 100, type: 'quota.exhausted' },
  { percent: 80, type: 'quota.warning' },
] as const

/** A quota that has reached a share that requires an event. */
interface ReachedQuota {
  readonly owner: LimitOwner
  readonly id: string
  readonly quota: Quota
  readonly limit: number
  readonly used: number
  readonly share: (typeof shares)[number]
  readonly key: string
}

/**
 * Creates a check that creates events for quotas of which 80 % or 100 % are used, each once per day or month. It
 * returns the number of events.
 */
export function createQuotaCheck(db: Kysely<Database>): (now: number) => Promise<number> {
  // Cached to skip repeated inserts; the store also detects duplicates.
  const reported = new Set<string>()
  let day = 0
  return async (now) => {
    const subscribed = await subscribedEventTypes(db)
    if (!shares.some(({ type }) => subscribed.has(type))) return 0
    if (day !== startOf('day', now)) reported.clear()
    day = startOf('day', now)
    let events = 0
    for (const reached of await readReached(db, now)) {
      if (reported.has(reached.key)) continue
      const outcome = await insertQuotaEvent(db, reached, now)
      if (outcome !== 'unsubscribed') reported.add(reached.key)
      if (outcome === 'written') events += 1
    }
    return events
  }
}

async function readReached(db: Kysely<Database>, now: number): Promise<readonly ReachedQuota[]> {
  const { rows } = await sql<{ owner: LimitOwner; id: string; limits: Limits }>`
    select owner_kind as owner, owner_id as id, limits from limits
    where limits ?| array['requestsPerDay', 'unitsPerMonth']`.execute(db)
  const limitsOf = new Map(rows.map(({ owner, id, limits }) => [`${owner} ${id}`, limits]))
  const used = await readUsed(db, now)
  return used.flatMap((row) => reachedBy(row, limitsOf.get(`${row.owner} ${row.id}`) ?? {}, now))
}

function reachedBy(row: UsedRow, limits: Limits, now: number): readonly ReachedQuota[] {
  const { owner, id } = row
  return quotas.flatMap((quota) => {
    const limit = limits[quota.limit]
    const used = row[quota.period][quota.counts]
    if (limit === undefined) return []
    const share = shares.find(({ percent }) => used * 100 >= limit * percent)
    if (share === undefined) return []
    const key = `quota ${owner} ${id} ${quota.name} ${share.percent} ${startOf(quota.period, now)}`
    return [{ owner, id, quota, limit, used, share, key }]
  })
}

async function insertQuotaEvent(db: Kysely<Database>, reached: ReachedQuota, now: number) {
  const { owner, id, quota, limit, used, share, key } = reached
  const ownerRecord = await findOwner(db, owner, id)
  if (ownerRecord === undefined) return 'unsubscribed'
  const event: NewEvent = {
    organizationId: ownerRecord.organizationId,
    type: share.type,
    at: now,
    dedupeKey: key,
    data: {
      owner: { kind: owner, id, name: ownerRecord.name },
      quota: quota.name,
      percent: share.percent,
      limit,
      used,
      resets_at: new Date(endOf(quota.period, now)).toISOString(),
    },
  }
  return db.transaction().execute((transaction) => insertEvent(transaction, event))
}

/** Reads the organization and name of a limit's owner. */
async function findOwner(db: Kysely<Database>, owner: LimitOwner, id: string) {
  if (owner === 'project') {
    return db
      .selectFrom('projects')
      .select(['name', 'organization_id as organizationId'])
      .where('id', '=', id)
      .executeTakeFirst()
  }
  if (owner === 'node') {
    return db
      .selectFrom('nodes')
      .select(['name', 'organization_id as organizationId'])
      .where('id', '=', id)
      .executeTakeFirst()
  }
  return db
    .selectFrom('node_credentials')
    .innerJoin('nodes', 'nodes.id', 'node_credentials.node_id')
    .select(['node_credentials.label as name', 'nodes.organization_id as organizationId'])
    .where('node_credentials.id', '=', id)
    .executeTakeFirst()
}

function endOf(period: QuotaPeriod, now: number): number {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return period === 'day' ? Date.UTC(year, month, date.getUTCDate() + 1) : Date.UTC(year, month + 1, 1)
}
