import type { Kysely } from 'kysely'

/**
 * Durations of requests. Sums can be added exactly over hours and days; quantiles cannot. An older version that does
 * not know the columns writes rows without durations.
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
