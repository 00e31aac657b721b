import { Kysely, PGliteDialect, PostgresDialect } from 'kysely'
import type { Database } from './database.ts'
import { hasEmbeddedDatabase, openEmbeddedDatabase } from './embedded-database.ts'
import { assertMigrated } from './migrate.ts'
import { assertReachable, newPool, postgresConfig } from './postgres-pool.ts'
import type { Store, StoreOptions } from './open-store.ts'
import { StoreError } from './store-error.ts'

/** An existing database, opened for reading. */
export type ExistingDatabase = Pick<Store, 'db' | 'close'>

// Long, because it is used to read whole tables.
const queryTimeoutMs = 600_000

/**
 * Opens the control plane's existing database without its secret key. Creates and migrates nothing.
 *
 * @throws {@link StoreError} `STORE_INVALID` when there is none, `STORE_OLDER` or `STORE_NEWER` when another version
 *   has written it, `STORE_IN_USE` when the embedded database is in use by another process
 */
export async function openExisting({
  databaseUrl,
  dataDirectory,
}: Pick<StoreOptions, 'databaseUrl' | 'dataDirectory'>): Promise<ExistingDatabase> {
  const database =
    databaseUrl === undefined ? await openEmbedded(dataDirectory) : await openPostgres(databaseUrl)
  try {
    await assertMigrated(database.db)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function openEmbedded(dataDirectory: string): Promise<ExistingDatabase> {
  if (!(await hasEmbeddedDatabase(dataDirectory))) {
    throw new StoreError('STORE_INVALID', `There is no database in ${dataDirectory}.`)
  }
  const { pglite, lock } = await openEmbeddedDatabase(dataDirectory)
  const db = new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) })
  const close = async () => {
    await db.destroy()
    if (!pglite.closed) await pglite.close()
    lock.release()
  }
  return { db, close }
}

async function openPostgres(databaseUrl: string): Promise<ExistingDatabase> {
  const pool = newPool({ ...postgresConfig(databaseUrl), max: 1, query_timeout: queryTimeoutMs })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const close = async () => {
    await db.destroy()
    if (!pool.ended) await pool.end()
  }
  try {
    await assertReachable(db)
  } catch (error) {
    await close()
    throw error
  }
  return { db, close }
}
