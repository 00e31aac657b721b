import { type Kysely, sql } from 'kysely'
import { startOf } from '@fairlead/gateway-core/usage/current-usage'
import type { Limits } from '@fairlead/gateway-core/grants/limits'
import type { Database, LimitOwner } from '../store/database.ts'

/** The record that limits belong to. */
export interface LimitsOwner {
  readonly kind: LimitOwner
  readonly id: string
}

/** Limits with their version; version 0 where none were ever set. */
export interface VersionedLimits {
  readonly limits: Limits
  readonly version: number
}

/** Current use that counts towards the quotas. */
export interface LimitsUse {
  readonly requestsToday: number
  readonly unitsThisMonth: number
}

/** Sets the limits of a credential, a node or a project; undefined removes all of them. */
export async function putLimits(
  db: Kysely<Database>,
  { kind, id }: LimitsOwner,
  limits: Limits | undefined,
): Promise<void> {
  if (limits === undefined) {
    await db.deleteFrom('limits').where('owner_kind', '=', kind).where('owner_id', '=', id).execute()
    return
  }
  // Both drivers accept JSON as text, but only an explicit cast prevents them from inferring another type.
  const json = sql<Limits>`cast(${JSON.stringify(limits)}::text as jsonb)`
  await db
    .insertInto('limits')
    .values({ owner_kind: kind, owner_id: id, limits: json })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_kind', 'owner_id'])
        .doUpdateSet({ limits: json, version: sql<number>`limits.version + 1` })
        // Unchanged limits must not trigger a change notification.
        .where('limits.limits', 'is distinct from', json),
    )
    .execute()
}

/**
 * Reads the limits of a credential, a node or a project.
 *
 * @param db - before a change, the transaction that has locked the owner
 */
export async function findLimits(db: Kysely<Database>, { kind, id }: LimitsOwner): Promise<VersionedLimits> {
  const row = await db
    .selectFrom('limits')
    .select(['limits', 'version'])
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', id)
    .executeTakeFirst()
  return row ?? { limits: {}, version: 0 }
}

/** Reads the use of a credential, a node or a project that counts towards its quotas. */
export async function readLimitsUse(
  db: Kysely<Database>,
  { kind, id }: LimitsOwner,
  now: number = Date.now(),
): Promise<LimitsUse> {
  const month = new Date(startOf('month', now)).toISOString()
  const day = new Date(startOf('day', now)).toISOString()
  const nodes = {
    node: sql`used.node_id = ${id}`,
    project: sql`used.node_id in (select id from nodes where project_id = ${id})`,
    credential: sql`
      used.credential_id = ${id} and used.node_id = (select node_id from node_credentials where id = ${id})`,
  }
  const { rows } = await sql<LimitsUse>`
    select
      cast(coalesce(sum(used.requests) filter (where used.day = cast(${day} as timestamptz)), 0) as float8)
        as "requestsToday",
      cast(coalesce(sum(used.units), 0) as float8) as "unitsThisMonth"
    from usage_days used
    where ${nodes[kind]}
      and used.day >= cast(${month} as timestamptz)
      -- A clock that was ahead for a while has counted into days that are still to come.
      and used.day <= cast(${day} as timestamptz)
      and used.status_class < 4`.execute(db)
  return rows[0] ?? { requestsToday: 0, unitsThisMonth: 0 }
}
