import { type Kysely, sql } from 'kysely'

/** Access rules and limits of nodes, and notifications that name what has changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = sql`text collate "C"`
  const now = sql`clock_timestamp()`
  await db.schema
    .createTable('access_rules')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('node_id', text, (column) => column.notNull().references('nodes.id').onDelete('cascade'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('value', text, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('active', 'boolean', (column) => column.notNull().defaultTo(true))
    .addColumn('created_at', 'timestamptz(6)', (column) => column.notNull().defaultTo(now))
    .addUniqueConstraint('access_rules_value', ['node_id', 'kind', 'value'])
    .addCheckConstraint('access_rules_kind', sql`kind in ('origin', 'ip', 'method')`)
    .addCheckConstraint('access_rules_action', sql`action in ('allow', 'deny')`)
    .execute()
  await db.schema
    .createTable('limits')
    .addColumn('owner_kind', text, (column) => column.notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('limits', 'jsonb', (column) => column.notNull())
    .addPrimaryKeyConstraint('limits_key', ['owner_kind', 'owner_id'])
    .addCheckConstraint('limits_owner_kind', sql`owner_kind in ('credential', 'node', 'project')`)
    .addCheckConstraint('limits_limits', sql`jsonb_typeof(limits) = 'object'`)
    .execute()
  await notifyWhatChanged(db)
}

/**
 * A listener loads the records that `node <id>` or `credential <id>` names, and all records after an empty
 * notification. An empty notification replaces more than a hundred others.
 */
async function notifyWhatChanged(db: Kysely<unknown>): Promise<void> {
  await sql`drop function notify_credentials_changed() cascade`.execute(db)
  await sql`
    create function notify_all_credentials_changed(kind text, ids text[]) returns void language plpgsql as $$
    begin
      if cardinality(ids) > 100 then
        perform pg_notify('credentials_changed', '');
      else
        perform pg_notify('credentials_changed', kind || ' ' || id) from unnest(ids) as id;
      end if;
    end
    $$`.execute(db)
  await sql`
    create function notify_credentials_changed() returns trigger language plpgsql as $$
    declare
      ids text[];
    begin
      execute format('select array_agg(id) from (select distinct %I as id from changed limit 101) as few', tg_argv[1])
        into ids;
      perform notify_all_credentials_changed(tg_argv[0], ids);
      return null;
    end
    $$`.execute(db)
  await sql`
    create function notify_limits_changed() returns trigger language plpgsql as $$
    declare
      ids text[];
    begin
      select array_agg(owner_id) into ids
        from (select owner_id from changed where owner_kind = 'credential' limit 101) as few;
      perform notify_all_credentials_changed('credential', ids);
      select array_agg(id) into ids from (
        select owner_id as id from changed where owner_kind = 'node'
        union
        select nodes.id from nodes join changed on owner_kind = 'project' and owner_id = project_id
        limit 101
      ) as few;
      perform notify_all_credentials_changed('node', ids);
      return null;
    end
    $$`.execute(db)
  for (const [table, kind, column] of [
    ['nodes', 'node', 'id'],
    ['node_credentials', 'credential', 'id'],
    ['node_methods', 'node', 'node_id'],
    ['access_rules', 'node', 'node_id'],
  ] as const) {
    const action = sql`notify_credentials_changed(${sql.lit(kind)}, ${sql.lit(column)})`
    await notifyByStatement(db, table, action)
  }
  await notifyByStatement(db, 'limits', sql`notify_limits_changed()`)
}

// A trigger with a transition table can handle only one event.
async function notifyByStatement(db: Kysely<unknown>, table: string, action: ReturnType<typeof sql>) {
  for (const [event, rows] of [
    ['insert', 'new'],
    ['update', 'new'],
    ['delete', 'old'],
  ] as const) {
    await sql`
      create trigger ${sql.ref(`${table}_${event}`)}
      after ${sql.raw(event)} on ${sql.table(table)} referencing ${sql.raw(rows)} table as changed
      for each statement execute function ${action}`.execute(db)
  }
}
