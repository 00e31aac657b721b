import { type Kysely, type Transaction, sql } from 'kysely'
import type { Database } from './database.ts'

// Any number will do, as long as every process of this service uses the same one for its start.
const startLock = 0x6661_6972

/** Runs what a start does to the records in one transaction; of replicas that start together, one after the other. */
export async function exclusively<result>(
  { db }: { readonly db: Kysely<Database> },
  action: (transaction: Transaction<Database>) => Promise<result>,
): Promise<result> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(startLock)})`.execute(transaction)
    return action(transaction)
  })
}
