import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Selects a time column in the format of the platform API: UTC, six fractional digits, `Z`. SQL formats the text,
 * because a JavaScript date drops the microseconds.
 *
 * @param column - name of the column, qualified by its table if necessary; pass `string | null` for a nullable column
 */
export function instant<text extends string | null = string>(column: string): RawBuilder<text> {
  return written<text>(sql.ref(column))
}

/** Reads the clock of the database in the format of {@link instant}. */
export async function databaseNow(db: Kysely<Database>): Promise<string> {
  const now = written<string>(sql`clock_timestamp()`).as('now')
  return (await db.selectNoFrom(now).executeTakeFirstOrThrow()).now
}

function written<text extends string | null>(time: RawBuilder<unknown>): RawBuilder<text> {
  return sql<text>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
