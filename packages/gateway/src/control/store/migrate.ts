import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Migration } from 'kysely/migration'
import type { Database } from './database.ts'
import { StoreError } from './store-error.ts'

/**
 * Brings the schema up to date: all missing migrations in one transaction, under the migration lock, so that replicas
 * which start together do not run the same one twice.
 * @throws {@link StoreError} `STORE_NEWER` for a database with a migration this version does not know,
 *   `STORE_MIGRATION_FAILED` when one of them fails; the database is then as it was.
 */
export async function migrate(
  db: Kysely<Database>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
    // The names are numbered, and a plain comparison orders them alike on every machine.
    nameComparator: (left, right) => (left < right ? -1 : Number(left > right)),
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error === undefined) return

  const unknown = await unknownMigrations(db, migrations)
  if (unknown.length > 0) {
    throw new StoreError(
      'STORE_NEWER',
      `The database was written by a newer version of this service: migration ${unknown.join(', ')} is not known ` +
        'here. Start that version, or restore a backup made before the upgrade.',
    )
  }
  const failed = results?.find((result) => result.status === 'Error')
  if (failed === undefined) throw error
  throw new StoreError('STORE_MIGRATION_FAILED', `Migration ${failed.migrationName} failed and was undone.`, {
    cause: error,
  })
}

async function unknownMigrations(
  db: Kysely<Database>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
    return rows.map((row) => row.name).filter((name) => !Object.hasOwn(migrations, name))
  } catch {
    // The first error is the one to report; it may be the reason why this query fails too.
    return []
  }
}
