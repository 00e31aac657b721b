import { type RawBuilder, sql } from 'kysely'

/**
 * Reads a column of time as the platform API shows it: UTC, six digits after the second, a Z. SQL writes the text, because
 * a JavaScript date drops the microseconds.
 *
 * @param column - name of the column, of its table too if need be; name `string | null` for one that may be null
 */
export function instant<text extends string | null = string>(column: string): RawBuilder<text> {
  return sql<text>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
