import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../store/database.ts'
import type { Store } from '../store/open-store.ts'
import { type TemporaryDatabase, backends } from '../testing/temporary-store.ts'
import { restoreBackupFile, writeBackupFile } from './backup-file.ts'
import { tablesInOrder } from './tables.ts'

type Row = Readonly<Record<string, unknown>>

// All that PostgreSQL stores as text: every code point except U+0000 and surrogates.
const text = fc.oneof(
  fc.constantFrom(
    '',
    '\u2028',
    'a\u2029b',
    '\r\n',
    '\u0085\v\f',
    '\uFEFF',
    '\u{10FFFF}',
    '"}\\u2028',
    '{"end":',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }).map((value) => value.replaceAll('\0', '')),
)

/** Values for the types of columns; those without text have one value each. */
const valuesByType: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text,
  'text[]': fc.array(text, { maxLength: 3 }),
  jsonb: fc.dictionary(
    text.filter((name) => name !== '__proto__'),
    text,
    { maxKeys: 3 },
  ),
  integer: fc.constant(1),
  smallint: fc.constant(1),
  bigint: fc.constant(1),
  'double precision': fc.constant(0.5),
  boolean: fc.constant(true),
  date: fc.constant('2026-03-09'),
  'timestamp with time zone': fc.constant('2026-03-09T14:26:53+00:00'),
}

describe.each(backends)('a backup of the $name database', ({ create }) => {
  let [source, target]: TemporaryDatabase[] = []
  let [from, to]: Store[] = []

  beforeAll(async () => {
    source = await create()
    target = await create()
    const key = '5a'.repeat(32)
    from = await source.open(key)
    to = await target.open(key)
    for (const { db } of [from, to]) await removeConstraints(db)
  }, 60_000)
  afterAll(() => Promise.all([source?.remove(), target?.remove()]))

  it('restores any text in every text column', { timeout: 120_000 }, async () => {
    if (!source || !from || !to) throw new Error('The databases are not open.')
    const [{ db, encryptor }, restored] = [from, to]
    const file = join(source.dataDirectory, 'records.backup')
    let runs = 0
    const property = fc.asyncProperty(await arbitraryRecords(db), async (records) => {
      for (const each of [db, restored.db]) await empty(each)
      for (const [table, row] of Object.entries(records)) {
        // A restore decrypts these values to check the key.
        const sealed = table === 'sealing_checks' && encryptor.encrypt(String(row['sealed']), table)
        await insert(db, table, { ...row, ...(sealed !== false && { sealed }) })
      }
      const path = `${file}.${++runs}`
      await writeBackupFile({ db }, path)
      expect(await restoreBackupFile(restored, path)).toBe(Object.keys(records).length)
      expect(await readRecords(restored.db)).toEqual(await readRecords(db))
      const { sealing_checks: _, ...others } = records
      expect(await readRecords(restored.db)).toMatchObject(others)
    })
    await fc.assert(property, { numRuns: 25 })
  })
})

/** Generates a row for every table of a database. */
async function arbitraryRecords(db: Kysely<Database>): Promise<fc.Arbitrary<Readonly<Record<string, Row>>>> {
  const tables: Record<string, fc.Arbitrary<Row>> = {}
  for (const table of await tablesInOrder(db)) {
    const columns: Record<string, fc.Arbitrary<unknown>> = {}
    const { rows } = await sql<{ name: string; type: string }>`
      select attname as name, regexp_replace(format_type(atttypid, null), '\\(.*\\)', '') as type from pg_attribute
      where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped`.execute(db)
    for (const { name, type } of rows) {
      const values = valuesByType[type]
      if (values === undefined) throw new Error(`The column ${table}.${name} has the unknown type ${type}.`)
      columns[name] = values
    }
    tables[table] = fc.record(columns)
  }
  return fc.record(tables)
}

// Constraints forbid most texts in many columns, and the audit log forbids to delete its entries.
async function removeConstraints(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ table: string; name: string }>`
    select conrelid::regclass::text as table, conname as name from pg_constraint
    where contype in ('c', 'f') and connamespace = current_schema()::regnamespace and conrelid <> 0
    order by contype desc`.execute(db)
  for (const { table, name } of rows) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db)
  }
  for (const table of await tablesInOrder(db)) {
    await sql`alter table ${sql.table(table)} disable trigger user`.execute(db)
  }
}

async function empty(db: Kysely<Database>): Promise<void> {
  for (const table of await tablesInOrder(db)) await sql`delete from ${sql.table(table)}`.execute(db)
}

async function insert(db: Kysely<Database>, table: string, row: Row): Promise<void> {
  await sql`
    insert into ${sql.table(table)}
    select * from json_populate_record(null::${sql.table(table)}, ${JSON.stringify(row)}::text::json)`.execute(
    db,
  )
}

async function readRecords(db: Kysely<Database>): Promise<Readonly<Record<string, unknown>>> {
  const records: Record<string, unknown> = {}
  for (const table of await tablesInOrder(db)) {
    const { rows } = await sql<{ row: unknown }>`
      select to_json(record) as row from ${sql.table(table)} as record`.execute(db)
    records[table] = rows[0]?.row
  }
  return records
}
