import type { ColumnType } from 'kysely'

/**
 * A point in time. It is read as text that SQL writes, because a JavaScript date drops the microseconds; so a plain select of
 * such a column is typed as unknown.
 */
export type Timestamp = ColumnType<unknown, string | undefined, string>

/** A point in time that may be missing. */
export type NullableTimestamp = ColumnType<unknown, string | null | undefined, string | null>

/** Raised by each change of the row. */
export type Version = ColumnType<number, number | undefined, number>
