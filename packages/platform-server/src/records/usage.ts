import { type Kysely, sql } from 'kysely'
import type { UsageStore } from '@fairlead/gateway-core/usage/metering'
import { startOf, type UsedRow } from '@fairlead/gateway-core/usage/current-usage'
import type { UsageRow } from '@fairlead/gateway-core/usage/usage-counts'
import type { UsageBatch } from '@fairlead/gateway-core/usage/usage-journal'
import type { Database } from '../store/database.ts'

// Small enough that the embedded database is not blocked for long.
const batchRows = 500

/** Creates a store that writes usage counts to the database. */
export function createUsageStore(db: Kysely<Database>): UsageStore {
  return {
    write: (batch) => writeUsage(db, batch),
    readUsed: () => readUsed(db),
    removeStaleWriters: () => removeStaleWriters(db),
  }
}

/**
 * Adds a batch to the counts exactly once. A batch whose sequence number its writer has already passed changes nothing,
 * so that a batch whose commit was not acknowledged can be written again.
 */
export async function writeUsage(db: Kysely<Database>, batch: UsageBatch): Promise<void> {
  // All replicas write their rows in the same order; otherwise two of them could deadlock.
  const rows = batch.rows.toSorted((a, b) => compare(keyOf(a), keyOf(b)))
  const days = byDay(rows).toSorted((a, b) => compare(keyOf(a), keyOf(b)))
  await db.transaction().execute(async (transaction) => {
    if (!(await passWriter(transaction, batch))) return
    for (const part of partsOf(rows)) await addRows(transaction, 'usage_hours', 'hour', part)
    for (const part of partsOf(days)) await addRows(transaction, 'usage_days', 'day', part)
  })
}

function byDay(rows: readonly UsageRow[]): readonly UsageRow[] {
  const sums = new Map<string, UsageRow>()
  for (const row of rows) {
    const ofDay = { ...row, hour: startOf('day', row.hour) }
    const existing = sums.get(keyOf(ofDay))
    sums.set(keyOf(ofDay), existing ? sumOf(existing, ofDay) : ofDay)
  }
  return [...sums.values()]
}

function sumOf(a: UsageRow, b: UsageRow): UsageRow {
  return {
    ...a,
    requests: a.requests + b.requests,
    units: a.units + b.units,
    bytesIn: a.bytesIn + b.bytesIn,
    bytesOut: a.bytesOut + b.bytesOut,
    timedRequests: a.timedRequests + b.timedRequests,
    durationMicroseconds: a.durationMicroseconds + b.durationMicroseconds,
  }
}

function* partsOf(rows: readonly UsageRow[]): Generator<readonly UsageRow[]> {
  for (let at = 0; at < rows.length; at += batchRows) yield rows.slice(at, at + batchRows)
}

/** Deletes writers that have written nothing for so long that no journal of theirs is expected anymore. */
async function removeStaleWriters(db: Kysely<Database>): Promise<void> {
  await sql`delete from usage_writers where written_at < clock_timestamp() - interval '400 days'`.execute(db)
}

/** Reads the current use of every quota. */
export async function readUsed(db: Kysely<Database>, now = Date.now()): Promise<readonly UsedRow[]> {
  const month = new Date(startOf('month', now)).toISOString()
  const day = new Date(startOf('day', now)).toISOString()
  const ofDay = sql`filter (where used.day = cast(${day} as timestamptz))`
  const { rows } = await sql<{
    owner: UsedRow['owner']
    id: string
    day_requests: number
    day_units: number
    month_requests: number
    month_units: number
  }>`
    with quota as (
      select owner_kind, owner_id from limits where limits ?| array['requestsPerDay', 'unitsPerMonth']
    ), owner as (
      select owner_kind, owner_id, node_id, credential.id as credential_id
        from quota join node_credentials credential on owner_kind = 'credential' and credential.id = owner_id
      union all
      select owner_kind, owner_id, owner_id, null from quota where owner_kind = 'node'
      union all
      select owner_kind, owner_id, node.id, null
        from quota join nodes node on owner_kind = 'project' and node.project_id = owner_id
    )
    select
      owner_kind as owner,
      owner_id as id,
      cast(coalesce(sum(used.requests) ${ofDay}, 0) as float8) as day_requests,
      cast(coalesce(sum(used.units) ${ofDay}, 0) as float8) as day_units,
      cast(coalesce(sum(used.requests), 0) as float8) as month_requests,
      cast(coalesce(sum(used.units), 0) as float8) as month_units
    from owner left join usage_days used
      on used.node_id = owner.node_id
      and used.day >= cast(${month} as timestamptz)
      -- A clock that was ahead for a while has counted into days that are still to come.
      and used.day <= cast(${day} as timestamptz)
      and used.status_class < 4
      and (owner.credential_id is null or used.credential_id = owner.credential_id)
    group by owner_kind, owner_id`.execute(db)
  return rows.map((row) => ({
    owner: row.owner,
    id: row.id,
    day: { requests: row.day_requests, units: row.day_units },
    month: { requests: row.month_requests, units: row.month_units },
  }))
}

async function passWriter(db: Kysely<Database>, { writer, sequence }: UsageBatch): Promise<boolean> {
  const { rows } = await sql`
    insert into usage_writers (id, sequence) values (${writer}, ${sequence})
    on conflict (id) do update set sequence = excluded.sequence, written_at = clock_timestamp()
      where usage_writers.sequence < excluded.sequence
    returning id`.execute(db)
  return rows.length > 0
}

async function addRows(
  db: Kysely<Database>,
  table: 'usage_hours' | 'usage_days',
  time: 'hour' | 'day',
  rows: readonly UsageRow[],
): Promise<void> {
  const column = <value>(read: (row: UsageRow) => value) => rows.map(read)
  const times = column(({ hour }) => new Date(hour).toISOString())
  await sql`
    insert into ${sql.table(table)} as known (
      node_id, ${sql.ref(time)}, credential_id, protocol, method, status_class, organization_id, requests, units, bytes_in,
      bytes_out, timed_requests, duration_us)
    select * from unnest(
      ${column((row) => row.nodeId)}::text[],
      ${times}::timestamptz[],
      ${column((row) => row.credentialId)}::text[],
      ${column((row) => row.protocol)}::text[],
      ${column((row) => row.method)}::text[],
      ${column((row) => row.statusClass)}::smallint[],
      ${column((row) => row.organizationId)}::text[],
      ${column((row) => row.requests)}::bigint[],
      ${column((row) => row.units)}::bigint[],
      ${column((row) => row.bytesIn)}::bigint[],
      ${column((row) => row.bytesOut)}::bigint[],
      ${column((row) => row.timedRequests)}::bigint[],
      ${column((row) => row.durationMicroseconds)}::bigint[])
    on conflict (node_id, ${sql.ref(time)}, credential_id, protocol, method, status_class) do update set
      requests = known.requests + excluded.requests,
      units = known.units + excluded.units,
      bytes_in = known.bytes_in + excluded.bytes_in,
      bytes_out = known.bytes_out + excluded.bytes_out,
      timed_requests = known.timed_requests + excluded.timed_requests,
      duration_us = known.duration_us + excluded.duration_us`.execute(db)
}

function keyOf({ nodeId, hour, credentialId, protocol, method, statusClass }: UsageRow): string {
  return [nodeId, hour, credentialId, protocol, method, statusClass].join(' ')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
