import type { Kysely } from 'kysely'

/**
 * How long requests took. Sums add up exactly over hours and days, where a quantile would not. A version that does not know
 * the columns writes rows that say of no request how long it took.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['usage_hours', 'usage_days']) {
    await db.schema
      .alterTable(table)
      .addColumn('timed_requests', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('duration_us', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  }
}
