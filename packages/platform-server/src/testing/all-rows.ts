import { type Kysely, sql } from 'kysely'
import type { Database } from '../store/database.ts'

/** Returns every row of every table as text, prefixed with the name of its table. */
export async function allRows(db: Kysely<Database>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables()
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const found = await sql<{
        text: string
      }>`select row_to_json(t)::text as text from ${sql.table(name)} as t`.execute(db)
      return found.rows.map(({ text }) => `${name} ${text}`).toSorted()
    }),
  )
  return rows.flat()
}
