import type { Kysely } from 'kysely'

/** Whether a node offers the debug endpoints of the beacon node API. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('nodes')
    .addColumn('beacon_debug', 'boolean', (column) => column.notNull().defaultTo(true))
    .execute()
}
