import { type Kysely, sql } from 'kysely'

const text = sql`text collate "C"`
const textArray = sql`text[] collate "C"`
const now = sql`clock_timestamp()`

// The permissions of keys before keys had scopes.
const scopesOfOldKeys =
  '{org:read,org:write,members:read,members:write,keys:read,keys:write,projects:read,projects:write,nodes:read,' +
  'nodes:write,credentials:read,credentials:write,usage:read,audit:read,webhooks:read,webhooks:write}'

/** Members who sign in, scopes of keys, the audit log, and versions of all changeable records. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await countVersions(db)
  await db.schema
    .alterTable('users')
    .addColumn('password_hash', text)
    .addColumn('password_origin', text)
    .addColumn('must_change_password', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('last_sign_in_at', 'timestamptz(6)')
    .execute()
  await createSessions(db)
  await createInvitations(db)
  await separateKeysFromSecrets(db)
  await createAuditLog(db)
}

async function countVersions(db: Kysely<unknown>): Promise<void> {
  for (const table of [
    'organizations',
    'memberships',
    'projects',
    'nodes',
    'node_credentials',
    'access_rules',
    'limits',
    'api_keys',
  ]) {
    await db.schema
      .alterTable(table)
      .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
      .execute()
  }
  await db.schema
    .createIndex('memberships_by_time')
    .on('memberships')
    .columns(['organization_id', 'created_at', 'user_id'])
    .execute()
  await db.schema
    .createIndex('memberships_one_owner')
    .on('memberships')
    .column('organization_id')
    .unique()
    .where(sql.ref('role'), '=', sql.lit('owner'))
    .execute()
  await db.schema.createIndex('memberships_by_user').on('memberships').column('user_id').execute()
}

async function createSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('sha256', text, (column) => column.notNull().unique())
    .addColumn('user_id', text, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('organization_id', text, (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('ip', text, (column) => column.notNull())
    .addColumn('user_agent', text, (column) => column.notNull())
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addColumn('last_used_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addColumn('expires_at', 'timestamptz(6)', (column) => column.notNull())
    .addCheckConstraint('sessions_sha256', sql`sha256 ~ '^[0-9a-f]{64}$'`)
    .execute()
  await db.schema
    .createIndex('sessions_by_user')
    .on('sessions')
    .columns(['user_id', 'created_at', 'id'])
    .execute()
  await db.schema.createIndex('sessions_by_end').on('sessions').column('expires_at').execute()
}

async function createInvitations(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('invitations')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('organization_id', text, (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('inviter_id', text, (column) => column.notNull().references('users.id'))
    .addColumn('email', text, (column) => column.notNull())
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('sha256', text, (column) => column.notNull().unique())
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addColumn('expires_at', 'timestamptz(6)', (column) => column.notNull())
    .addUniqueConstraint('invitations_email', ['organization_id', 'email'])
    .addCheckConstraint('invitations_role', sql`role in ('admin', 'editor', 'viewer')`)
    .addCheckConstraint('invitations_sha256', sql`sha256 ~ '^[0-9a-f]{64}$'`)
    .execute()
  await db.schema
    .createIndex('invitations_by_time')
    .on('invitations')
    .columns(['organization_id', 'created_at', 'id'])
    .execute()
}

/** A key has several secrets during a rotation. */
async function separateKeysFromSecrets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('api_keys')
    .addColumn('scopes', textArray, (column) => column.notNull().defaultTo(sql.lit(scopesOfOldKeys)))
    .addColumn('last_used_ip', text)
    .execute()
  await db.schema
    .alterTable('api_keys')
    .alterColumn('scopes', (column) => column.dropDefault())
    .execute()
  await db.schema
    .createTable('api_key_secrets')
    .addColumn('prefix', text, (column) => column.primaryKey())
    .addColumn('key_id', text, (column) => column.notNull().references('api_keys.id').onDelete('cascade'))
    .addColumn('sha256', text, (column) => column.notNull())
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addColumn('expires_at', 'timestamptz(6)')
    .addColumn('last_used_at', 'timestamptz(6)')
    .addCheckConstraint('api_key_secrets_sha256', sql`sha256 ~ '^[0-9a-f]{64}$'`)
    .execute()
  await sql`
    insert into api_key_secrets (prefix, key_id, sha256, created_at, last_used_at)
    select prefix, id, sha256, created_at, last_used_at from api_keys`.execute(db)
  await db.schema.alterTable('api_keys').dropColumn('prefix').execute()
  await db.schema.alterTable('api_keys').dropColumn('sha256').execute()
  await db.schema
    .createIndex('api_key_secrets_by_key')
    .on('api_key_secrets')
    .columns(['key_id', 'created_at'])
    .execute()
  await db.schema
    .createIndex('api_keys_by_time')
    .on('api_keys')
    .columns(['organization_id', 'created_at', 'id'])
    .execute()
  await db.schema.createIndex('api_keys_by_creator').on('api_keys').column('creator_id').execute()
}

/** The audit log has no foreign keys, because it outlives the records that it describes. */
async function createAuditLog(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_log')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('organization_id', text, (column) => column.notNull())
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('actor_kind', text, (column) => column.notNull())
    .addColumn('actor_id', text)
    .addColumn('actor_label', text, (column) => column.notNull())
    .addColumn('object_kind', text, (column) => column.notNull())
    .addColumn('object_id', text, (column) => column.notNull())
    .addColumn('object_name', text)
    .addColumn('changes', 'jsonb', (column) => column.notNull())
    .addColumn('ip', text)
    .addColumn('user_agent', text)
    .addColumn('request_id', text)
    .addCheckConstraint('audit_log_actor_kind', sql`actor_kind in ('user', 'key', 'system')`)
    .addCheckConstraint('audit_log_changes', sql`jsonb_typeof(changes) = 'object'`)
    .execute()
  for (const column of [undefined, 'action', 'actor_id', 'object_kind', 'object_id']) {
    await db.schema
      .createIndex(`audit_log_by_${column ?? 'time'}`)
      .on('audit_log')
      .columns(['organization_id', ...(column === undefined ? [] : [column]), 'created_at', 'id'])
      .execute()
  }
  await sql`
    create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit log is only added to';
    end
    $$`.execute(db)
  await sql`
    create trigger audit_log_is_kept before update or delete or truncate on audit_log
    for each statement execute function refuse_audit_change()`.execute(db)
}
