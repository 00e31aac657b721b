import { type Kysely, sql } from 'kysely'

/** Probe results of a node's methods: for each method, the last call over each transport. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = sql`text collate "C"`
  await db.schema
    .createTable('node_methods')
    .addColumn('node_id', text, (column) => column.notNull().references('nodes.id').onDelete('cascade'))
    .addColumn('method', text, (column) => column.notNull())
    .addColumn('transport', text, (column) => column.notNull())
    .addColumn('available', 'boolean', (column) => column.notNull())
    .addColumn('withheld', 'boolean', (column) => column.notNull())
    .addColumn('code', 'integer')
    .addColumn('note', text, (column) => column.notNull().defaultTo(''))
    .addColumn('latency_ms', 'double precision')
    .addColumn('probed_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(sql`clock_timestamp()`))
    .addPrimaryKeyConstraint('node_methods_key', ['node_id', 'method', 'transport'])
    .addCheckConstraint('node_methods_transport', sql`transport in ('http', 'websocket')`)
    .addCheckConstraint('node_methods_withheld', sql`not (available and withheld)`)
    .execute()
  // The in-memory credentials contain the methods that a node does not offer.
  await sql`
    create trigger node_methods_changed
    after insert or update or delete on node_methods
    for each row execute function notify_credentials_changed()`.execute(db)
}
