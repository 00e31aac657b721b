import { type Kysely, sql } from 'kysely'
import type { Database } from '../store/database.ts'

// The header of a backup lists the migrations that have run; its rows do not.
const migrationTables = ['kysely_migration', 'kysely_migration_lock']

/** Returns the names of all tables with records, each after the tables that it refers to. */
export async function tablesInOrder(db: Kysely<Database>): Promise<readonly string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' order by relname`.execute(db)
  const { rows: references } = await sql<{ from: string; to: string }>`
    select own.relname as from, other.relname as to from pg_constraint
    join pg_class own on own.oid = conrelid
    join pg_class other on other.oid = confrelid
    where contype = 'f' and own.relnamespace = current_schema()::regnamespace`.execute(db)
  const names = tables.map(({ name }) => name).filter((name) => !migrationTables.includes(name))
  const ordered = new Set<string>()
  const add = (name: string) => {
    for (const { from, to } of references) {
      if (from === name && to !== name && !ordered.has(to)) add(to)
    }
    ordered.add(name)
  }
  for (const name of names) add(name)
  return [...ordered]
}

/** Returns the names of the migrations that have run, oldest first. */
export async function migrationsOf(db: Kysely<Database>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}
