import { type Kysely, type SqlBool, sql } from 'kysely'
import type { AuditLogTable, Database } from '../store/database.ts'
import type { Changes } from '../audit/write-audit.ts'

/** An entry of the audit log as the platform API returns it. */
export interface AuditRecord {
  readonly id: string
  readonly created_at: string
  readonly action: string
  readonly actor: {
    readonly kind: AuditLogTable['actor_kind']
    readonly id: string | null
    readonly label: string
  }
  readonly object: { readonly kind: string; readonly id: string; readonly name: string | null }
  readonly changes: Changes
  readonly ip: string | null
  readonly user_agent: string | null
  readonly request_id: string | null
}

/** Filters and page of the audit log. */
export interface AuditQuery {
  readonly organizationId: string
  readonly filters: Readonly<
    Partial<Record<'action' | 'actor_id' | 'object_kind' | 'object_id', string | undefined>>
  >
  /** Start, inclusive. */
  readonly from?: string | undefined
  /** End, exclusive. */
  readonly to?: string | undefined
  readonly limit: number
  readonly offset: number
}

/** Reads one page of the audit log, newest first, with the number of all matching entries. */
export async function listAuditLog(
  db: Kysely<Database>,
  { organizationId, filters, from, to, limit, offset }: AuditQuery,
): Promise<{ readonly count: number; readonly entries: AuditRecord[] }> {
  const conditions = [sql<SqlBool>`organization_id = ${organizationId}`]
  for (const [column, value] of Object.entries(filters)) {
    if (value !== undefined) conditions.push(sql<SqlBool>`${sql.ref(column)} = ${value}`)
  }
  if (from !== undefined) conditions.push(sql<SqlBool>`created_at >= ${from}`)
  if (to !== undefined) conditions.push(sql<SqlBool>`created_at < ${to}`)
  // The count and the skipped entries read only an index: entries are wide, and there may be millions.
  const matching = sql`from audit_log where ${sql.join(conditions, sql` and `)}`
  const { rows } = await sql<AuditRecord & { readonly total: number }>`
    with page as (select id ${matching} order by created_at desc, id desc limit ${limit} offset ${offset})
    select
      (select count(*)::int ${matching}) as total,
      id, action, changes, ip, user_agent, request_id,
      to_char(audit_log.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
      jsonb_build_object('kind', actor_kind, 'id', actor_id, 'label', actor_label) as actor,
      jsonb_build_object('kind', object_kind, 'id', object_id, 'name', object_name) as object
    from page join audit_log using (id)
    order by audit_log.created_at desc, id desc`.execute(db)
  return { count: rows[0]?.total ?? 0, entries: rows.map(({ total: _total, ...entry }) => entry) }
}
