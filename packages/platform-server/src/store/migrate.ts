import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Migration } from 'kysely/migration'
import type { Database } from './database.ts'
import { migrationNames } from './migrations/all-migrations.ts'
import { StoreError } from './store-error.ts'

/**
 * Migrates the schema to the current version: all missing migrations in one transaction, under the migration lock, so
 * that replicas that start together do not run a migration twice.
 * @throws {@link StoreError} `STORE_NEWER` for a database with a migration that this version does not contain,
 *   `STORE_MIGRATION_FAILED` when a migration fails; the database is then unchanged.
 */
export async function migrate(
  db: Kysely<Database>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
    // The names are numbered; a plain comparison gives the same order on every machine.
    nameComparator: (a, b) => (a < b ? -1 : Number(a > b)),
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error === undefined) return

  const unknown = await unknownMigrations(db, migrations)
  if (unknown.length > 0) throw newer(unknown)
  const failed = results?.find((result) => result.status === 'Error')
  if (failed === undefined) throw error
  throw new StoreError(
    'STORE_MIGRATION_FAILED',
    `Migration ${failed.migrationName} failed and was rolled back.`,
    {
      cause: error,
    },
  )
}

/**
 * Asserts that the schema is that of this version. Changes nothing.
 * @throws {@link StoreError} `STORE_NEWER` or `STORE_OLDER` for the schema of another version, `STORE_INVALID` for a
 *   database without a schema
 */
export async function assertMigrated(db: Kysely<Database>): Promise<void> {
  const { rows: tables } = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there`.execute(db)
  if (tables[0]?.there !== true) {
    throw new StoreError('STORE_INVALID', 'The database contains no records of the gateway.')
  }
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const had = rows.map(({ name }) => name)
  const unknown = had.filter((name) => !migrationNames.includes(name))
  if (unknown.length > 0) throw newer(unknown)
  const missing = migrationNames.filter((name) => !had.includes(name))
  if (missing.length === 0) return
  throw new StoreError(
    'STORE_OLDER',
    `The database was written by an older version of the gateway: migration ${missing.join(', ')} has not run, and ` +
      'nothing was changed. Use that version, or start this version of the gateway first to migrate the database.',
  )
}

function newer(unknown: readonly string[]): StoreError {
  return new StoreError(
    'STORE_NEWER',
    `The database was written by a newer version of the gateway: migration ${unknown.join(', ')} is unknown ` +
      'to this version. Use the newer version, or restore a backup made before the upgrade.',
  )
}

async function unknownMigrations(
  db: Kysely<Database>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
    return rows.map((row) => row.name).filter((name) => !Object.hasOwn(migrations, name))
  } catch {
    // The first error is the one to report; it may also be the reason why this query fails.
    return []
  }
}
