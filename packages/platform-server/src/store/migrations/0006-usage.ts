import { type Kysely, sql } from 'kysely'

/**
 * What nodes were used for, by hour. The rows outlive the node and the credential that they tell of, so they refer to
 * nothing. The key serves reports on one node, the index those on an organization.
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
  // Each process that counts writes numbered batches, one after the other: the last number tells which ones are in.
  await db.schema
    .createTable('usage_writers')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('written_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(sql`clock_timestamp()`))
    .execute()
}
