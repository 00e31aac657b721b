import { type Kysely, sql } from 'kysely'

/** The time at which the user of a session proved their identity; unknown for existing sessions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('sessions')
    .addColumn('authenticated_at', sql`timestamptz`)
    .execute()
}
