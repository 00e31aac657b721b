import { type Kysely, sql } from 'kysely'
import { checkSecretKey } from '../store/check-secret-key.ts'
import type { Database } from '../store/database.ts'
import type { Store } from '../store/open-store.ts'
import { StoreError } from '../store/store-error.ts'
import { incompleteBackup, readBackup } from './read-backup.ts'
import { migrationsOf, tablesInOrder } from './tables.ts'
import type { BackupHead } from './write-backup.ts'

const batchRows = 500

/**
 * Restores the records of a backup into an empty database, in one transaction.
 *
 * @param store - an open store of the same schema without records, embedded or PostgreSQL
 * @param lines - lines of a backup
 * @returns number of restored rows
 * @throws StoreError `STORE_INVALID` when the backup is incomplete, was created by another version, or the database
 *   already contains records; `STORE_KEY` when the backup was encrypted with another key. The database is then
 *   unchanged.
 */
export async function restoreBackup(
  { db, encryptor }: Pick<Store, 'db' | 'encryptor'>,
  lines: AsyncIterable<string>,
): Promise<number> {
  const restoring = db.transaction().execute(async (transaction) => {
    await assertEmpty(transaction)
    // The checks that this store wrote when it was opened use its own key, not that of the backup.
    await transaction.deleteFrom('sealing_checks').execute()
    const tables = new Set(await tablesInOrder(transaction))
    const migrations = await migrationsOf(transaction)
    let table = ''
    let buffered: string[] = []
    let count = 0
    const flush = async () => {
      if (buffered.length > 0) await insert(transaction, table, buffered)
      buffered = []
    }
    for await (const part of readBackup(lines)) {
      if ('head' in part) {
        assertSameVersion(part.head, migrations)
      } else if ('table' in part) {
        await flush()
        if (!tables.has(part.table)) throw incompleteBackup()
        table = part.table
      } else {
        buffered.push(part.row)
        count += 1
        if (buffered.length === batchRows) await flush()
      }
    }
    await flush()
    await checkSecretKey(transaction, encryptor)
    return count
  })
  return restoring.catch((error: unknown) => {
    // A row with a missing reference, or one that does not fit its table: SQLSTATE classes 22 and 23.
    const state = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw /^2[23][0-9A-Z]{3}$/.test(state) ? incompleteBackup() : error
  })
}

async function insert(db: Kysely<Database>, table: string, rows: readonly string[]): Promise<void> {
  await sql`
    insert into ${sql.table(table)}
    select * from json_populate_recordset(null::${sql.table(table)}, ${`[${rows.join()}]`}::text::json)`.execute(
    db,
  )
}

async function assertEmpty(db: Kysely<Database>): Promise<void> {
  const found = await db.selectFrom('organizations').select('id').executeTakeFirst()
  if (found) throw invalid('The database already contains records. Restore into an empty database.')
}

function assertSameVersion({ migrations: had }: BackupHead, migrations: readonly string[]): void {
  if (had.join() === migrations.join()) return
  throw invalid(
    `The backup was made by another version: its last migration is ${String(had.at(-1))}, here it is ` +
      `${migrations.at(-1) ?? 'none'}. Restore it with that version and upgrade afterwards.`,
  )
}

function invalid(message: string): StoreError {
  return new StoreError('STORE_INVALID', message)
}
