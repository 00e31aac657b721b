import { type Kysely, sql } from 'kysely'
import type { Database } from '../store/database.ts'
import { migrationsOf, tablesInOrder } from './tables.ts'

/** First line of a backup. */
export interface BackupHead {
  readonly format: 'fairlead-backup'
  readonly version: 1
  /** Migrations that had run in the database. */
  readonly migrations: readonly string[]
  readonly created_at: string
}

const batchRows = 1_000

/**
 * Reads every record of the database from one snapshot, as lines of JSON: a header, the name and the rows of each
 * table, and a last line with the number of rows. The database serializes the rows and they are not parsed here, so
 * that no number loses precision.
 *
 * @param db - a migrated database, embedded or PostgreSQL; it may be in use
 * @returns the lines in order, without line ends
 */
export async function* writeBackup(db: Kysely<Database>): AsyncGenerator<string, void, undefined> {
  const transaction = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  let rows = 0
  try {
    const migrations = await migrationsOf(transaction)
    const head: BackupHead = {
      format: 'fairlead-backup',
      version: 1,
      migrations,
      created_at: new Date().toISOString(),
    }
    yield JSON.stringify(head)
    for (const table of await tablesInOrder(transaction)) {
      yield JSON.stringify({ table })
      for await (const line of rowsOf(transaction, table)) {
        rows += 1
        yield line
      }
    }
    yield JSON.stringify({ end: true, rows })
  } finally {
    await transaction.rollback().execute()
  }
}

// Uses a cursor, because a table may be larger than memory.
async function* rowsOf(db: Kysely<Database>, table: string): AsyncGenerator<string, void, undefined> {
  await sql`
    declare backup no scroll cursor for select row_to_json(record)::text as line from ${sql.table(table)} as record`.execute(
    db,
  )
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(batchRows)} from backup`.execute(db)
    for (const { line } of rows) yield line
    if (rows.length < batchRows) break
  }
  await sql`close backup`.execute(db)
}
