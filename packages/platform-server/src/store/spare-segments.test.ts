import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryDatabase } from '../testing/temporary-store.ts'
import { maintainSpareSegments } from './spare-segments.ts'

it('the log of the embedded database recycles its spare segments', { timeout: 60_000 }, async () => {
  const database = await temporaryDatabase(undefined)
  onTestFinished(() => database.remove())
  const { db, dataDirectory } = await database.open()
  const segments = () =>
    readdirSync(join(dataDirectory, 'control/pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name))
  const currentSegment = async () => {
    const { rows } = await sql<{
      name: string
    }>`select pg_walfile_name(pg_current_wal_lsn()) as name`.execute(db)
    return rows[0]?.name ?? ''
  }
  expect(segments()).toHaveLength(1)
  const end = maintainSpareSegments({ db, dataDirectory, log: undefined, firstMs: 0, everyMs: 20 })
  onTestFinished(end)
  const spare = async () => {
    const current = await currentSegment()
    return segments().filter((name) => name > current).length
  }
  await vi.waitFor(async () => expect(await spare()).toBe(2), { timeout: 50_000 })
  const began = await currentSegment()
  for (let round = 0; round < 2; round++) {
    await sql`select pg_logical_emit_message(false, 'test', repeat('a', 15000000))`.execute(db)
    await vi.waitFor(async () => expect(await spare()).toBeGreaterThanOrEqual(2), { timeout: 50_000 })
  }
  expect((await currentSegment()) > began).toBe(true)
  expect(segments().length).toBeLessThanOrEqual(5)
})
