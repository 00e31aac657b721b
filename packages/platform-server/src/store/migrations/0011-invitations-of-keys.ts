import { type Kysely, sql } from 'kysely'

/** The API key that created an invitation; the audit log has it for existing invitations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('invitations')
    .addColumn('api_key_id', sql`text collate "C"`, (column) =>
      column.references('api_keys.id').onDelete('cascade'),
    )
    .execute()
  await sql`
    update invitations set api_key_id = entry.actor_id from audit_log as entry
    join api_keys as key on key.id = entry.actor_id
    where entry.object_id = invitations.id and entry.organization_id = invitations.organization_id
      and entry.action = 'invitation.create' and entry.actor_kind = 'key'`.execute(db)
}
