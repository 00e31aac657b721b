import { type Kysely, sql } from 'kysely'

const now = sql`clock_timestamp()`

/**
 * The first tables. Every text column has the collation "C": it sorts by code points, independently of the locale of
 * the database, and the indexes below support that order.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = sql`text collate "C"`
  const textArray = sql`text[] collate "C"`

  await db.schema
    .createTable('organizations')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .execute()

  await db.schema
    .createTable('users')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('email', text, (column) => column.notNull().unique())
    .addColumn('first_name', text, (column) => column.notNull())
    .addColumn('last_name', text, (column) => column.notNull())
    .addColumn('disabled_at', 'timestamptz(6)')
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .execute()

  await db.schema
    .createTable('memberships')
    .addColumn('user_id', text, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('organization_id', text, (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addPrimaryKeyConstraint('memberships_key', ['organization_id', 'user_id'])
    .addCheckConstraint('memberships_role', sql`role in ('owner', 'admin', 'editor', 'viewer')`)
    .execute()

  await db.schema
    .createTable('projects')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('organization_id', text, (column) => column.notNull().references('organizations.id'))
    .addColumn('creator_id', text, (column) => column.notNull().references('users.id'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('name_folded', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull().defaultTo(''))
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .execute()
  await db.schema
    .createIndex('projects_by_name')
    .on('projects')
    .columns(['organization_id', 'name_folded', 'name', 'id'])
    .execute()
  await db.schema
    .createIndex('projects_by_time')
    .on('projects')
    .columns(['organization_id', 'created_at', 'id'])
    .execute()

  await db.schema
    .createTable('nodes')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('chain', text, (column) => column.notNull())
    .addColumn('network', text, (column) => column.notNull())
    .addColumn('protocols', textArray, (column) => column.notNull())
    .addColumn('upstreams', 'jsonb', (column) => column.notNull())
    .addColumn('managed_by', text)
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addCheckConstraint('nodes_upstreams', sql`jsonb_typeof(upstreams) = 'object'`)
    .execute()
  await db.schema.createIndex('nodes_by_project').on('nodes').column('project_id').execute()

  await db.schema
    .createTable('node_credentials')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('node_id', text, (column) => column.notNull().references('nodes.id').onDelete('cascade'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('sha256', text, (column) => column.notNull().unique())
    .addColumn('username', text)
    .addColumn('origin', text, (column) => column.notNull())
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addColumn('expires_at', 'timestamptz(6)')
    .addColumn('revoked_at', 'timestamptz(6)')
    .addCheckConstraint('node_credentials_kind', sql`kind in ('token', 'basic', 'x-token')`)
    .addCheckConstraint('node_credentials_sha256', sql`sha256 ~ '^[0-9a-f]{64}$'`)
    .execute()
  await db.schema.createIndex('node_credentials_by_node').on('node_credentials').column('node_id').execute()

  await db.schema
    .createTable('api_keys')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('organization_id', text, (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('creator_id', text, (column) => column.notNull().references('users.id'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('prefix', text, (column) => column.notNull().unique())
    .addColumn('sha256', text, (column) => column.notNull())
    .addColumn('origin', text, (column) => column.notNull())
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addColumn('expires_at', 'timestamptz(6)')
    .addColumn('last_used_at', 'timestamptz(6)')
    .addColumn('revoked_at', 'timestamptz(6)')
    .addCheckConstraint('api_keys_sha256', sql`sha256 ~ '^[0-9a-f]{64}$'`)
    .execute()

  await notifyCredentialChanges(db)
}

// One empty notification per transaction is enough: each listener reloads all credentials.
async function notifyCredentialChanges(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function notify_credentials_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('credentials_changed', '');
      return null;
    end
    $$`.execute(db)
  for (const table of ['nodes', 'node_credentials']) {
    // Row-level triggers, so that a statement that changes nothing sends no notification.
    await sql`
      create trigger ${sql.ref(`${table}_changed`)}
      after insert or update or delete on ${sql.table(table)}
      for each row execute function notify_credentials_changed()`.execute(db)
  }
}
