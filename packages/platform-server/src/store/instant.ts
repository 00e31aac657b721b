import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Reads a column of time as the platform API shows it: UTC, six digits after the second, a Z. SQL writes the text, because
 * a JavaScript date drops the microseconds.
 *
 * @param column - name of the column, of its table too if need be; name `string | null` for one that may be null
 */
export function instant<text extends string | null = string>(column: string): RawBuilder<text> {
  return written<text>(sql.ref(column))
}

/** Reads the clock of the database, written as {@link instant} writes times. */
export async function databaseNow(db: Kysely<Database>): Promise<string> {
  const now = written<string>(sql`clock_timestamp()`).as('now')
  return (await db.selectNoFrom(now).executeTakeFirstOrThrow()).now
}

function written<text extends string | null>(time: RawBuilder<unknown>): RawBuilder<text> {
  return sql<text>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
