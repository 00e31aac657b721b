import { type Kysely, sql } from 'kysely'

/**
 * Usage of nodes by hour. The rows have no foreign keys, because they outlive their node and credential. The primary
 * key supports reports on one node, the index those on an organization.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = sql`text collate "C"`
  await db.schema
    .createTable('usage_hours')
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('hour', 'timestamptz(0)', (column) => column.notNull())
    .addColumn('credential_id', text, (column) => column.notNull())
    .addColumn('protocol', text, (column) => column.notNull())
    .addColumn('method', text, (column) => column.notNull())
    .addColumn('status_class', 'smallint', (column) => column.notNull())
    .addColumn('organization_id', text, (column) => column.notNull())
    .addColumn('requests', 'bigint', (column) => column.notNull())
    .addColumn('units', 'bigint', (column) => column.notNull())
    .addColumn('bytes_in', 'bigint', (column) => column.notNull())
    .addColumn('bytes_out', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_hours_key', [
      'node_id',
      'hour',
      'credential_id',
      'protocol',
      'method',
      'status_class',
    ])
    .execute()
  await db.schema
    .createIndex('usage_hours_by_organization')
    .on('usage_hours')
    .columns(['organization_id', 'hour', 'node_id'])
    .execute()
  // Each counting process writes numbered batches in order: the last number shows which batches are stored.
  await db.schema
    .createTable('usage_writers')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('written_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(sql`clock_timestamp()`))
    .execute()
}
