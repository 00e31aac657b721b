import type { ColumnType } from 'kysely'

/**
 * A point in time. Select it with `instant`: SQL formats it as text, because a JavaScript date drops the
 * microseconds. A plain select of such a column therefore has the type unknown.
 */
export type Timestamp = ColumnType<unknown, string | undefined, string>

/** A nullable point in time. */
export type NullableTimestamp = ColumnType<unknown, string | null | undefined, string | null>

/** Incremented by each change of the row. */
export type Version = ColumnType<number, number | undefined, number>
