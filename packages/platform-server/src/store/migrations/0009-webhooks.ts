import { type Kysely, sql } from 'kysely'

const text = sql`text collate "C"`
const textArray = sql`text[] collate "C"`
const now = sql`clock_timestamp()`

/** Webhooks with their events, and the usage of nodes by day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createWebhooks(db)
  await createSeenStates(db)
  await sumUsageByDay(db)
}

/** URLs and secrets are encrypted: both may grant access to the receiver. */
async function createWebhooks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhooks')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('organization_id', text, (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('secret', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('events', textArray, (column) => column.notNull())
    .addColumn('active', 'boolean', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .execute()
  await db.schema
    .createIndex('webhooks_by_time')
    .on('webhooks')
    .columns(['organization_id', 'created_at', 'id'])
    .execute()
  // The body is stored exactly as sent, so that each attempt has the same bytes.
  await db.schema
    .createTable('webhook_events')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('organization_id', text, (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .addColumn('dedupe_key', text, (column) => column.unique())
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .execute()
  await db.schema.createIndex('webhook_events_by_time').on('webhook_events').column('created_at').execute()
  await db.schema
    .createIndex('webhook_events_by_organization')
    .on('webhook_events')
    .column('organization_id')
    .execute()
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('webhook_id', text, (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
    .addColumn('event_id', text, (column) =>
      column.notNull().references('webhook_events.id').onDelete('cascade'),
    )
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('status', 'integer')
    .addColumn('error', text)
    .addColumn('duration_ms', 'integer')
    .addColumn('next_attempt_at', 'timestamptz(6)')
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addCheckConstraint('webhook_deliveries_state', sql`state in ('pending', 'delivered', 'failed')`)
    .addCheckConstraint('webhook_deliveries_next', sql`(state = 'pending') = (next_attempt_at is not null)`)
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_by_time')
    .on('webhook_deliveries')
    .columns(['webhook_id', 'created_at', 'id'])
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_by_event')
    .on('webhook_deliveries')
    .column('event_id')
    .execute()
  await sql`
    create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where state = 'pending'`.execute(
    db,
  )
}

/** Last seen states, so that only a change is an event, whichever process detects it. */
async function createSeenStates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('upstream_states')
    .addColumn('node_id', text, (column) => column.notNull().references('nodes.id').onDelete('cascade'))
    .addColumn('upstream', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('changed_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addPrimaryKeyConstraint('upstream_states_key', ['node_id', 'upstream'])
    .addCheckConstraint('upstream_states_state', sql`state in ('up', 'down')`)
    .execute()
  // IP addresses of clients are stored only as keyed hashes.
  await db.schema
    .createTable('credential_addresses')
    .addColumn('credential_id', text, (column) =>
      column.notNull().references('node_credentials.id').onDelete('cascade'),
    )
    .addColumn('address_hash', text, (column) => column.notNull())
    .addColumn('seen_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addPrimaryKeyConstraint('credential_addresses_key', ['credential_id', 'address_hash'])
    .execute()
}

/** Daily sums of `usage_hours`: reports on days and months, and quotas, read far fewer rows. */
async function sumUsageByDay(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_days')
    .addColumn('node_id', text, (column) => column.notNull())
    .addColumn('day', 'timestamptz(0)', (column) => column.notNull())
    .addColumn('credential_id', text, (column) => column.notNull())
    .addColumn('protocol', text, (column) => column.notNull())
    .addColumn('method', text, (column) => column.notNull())
    .addColumn('status_class', 'smallint', (column) => column.notNull())
    .addColumn('organization_id', text, (column) => column.notNull())
    .addColumn('requests', 'bigint', (column) => column.notNull())
    .addColumn('units', 'bigint', (column) => column.notNull())
    .addColumn('bytes_in', 'bigint', (column) => column.notNull())
    .addColumn('bytes_out', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_days_key', [
      'node_id',
      'day',
      'credential_id',
      'protocol',
      'method',
      'status_class',
    ])
    .execute()
  await sql`
    insert into usage_days (
      node_id, day, credential_id, protocol, method, status_class, organization_id, requests, units, bytes_in,
      bytes_out)
    select
      node_id, date_trunc('day', hour at time zone 'UTC') at time zone 'UTC', credential_id, protocol, method,
      status_class, max(organization_id), sum(requests), sum(units), sum(bytes_in), sum(bytes_out)
    from usage_hours
    group by 1, 2, 3, 4, 5, 6`.execute(db)
  await db.schema
    .createIndex('usage_days_by_organization')
    .on('usage_days')
    .columns(['organization_id', 'day', 'node_id'])
    .execute()
}
