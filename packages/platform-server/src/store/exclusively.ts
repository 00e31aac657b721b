import { type Kysely, type Transaction, sql } from 'kysely'
import type { Database } from './database.ts'

// Any number works, as long as all gateway processes use the same one at start-up.
const startLock = 0x6661_6972

/** Runs the database changes of a start in one transaction; concurrent starts of replicas run one after the other. */
export async function exclusively<result>(
  { db }: { readonly db: Kysely<Database> },
  action: (transaction: Transaction<Database>) => Promise<result>,
): Promise<result> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(startLock)})`.execute(transaction)
    return action(transaction)
  })
}
