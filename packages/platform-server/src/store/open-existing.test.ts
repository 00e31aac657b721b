import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backends, type TemporaryDatabase } from '../testing/temporary-store.ts'
import { migrate } from './migrate.ts'
import { allMigrations } from './migrations/all-migrations.ts'
import { openExisting } from './open-existing.ts'

describe.each(backends)('an existing database on $name', ({ create }) => {
  let database: TemporaryDatabase

  beforeEach(async () => {
    database = await create()
  })
  afterEach(() => database.remove())

  it('is rejected without tables or with those of an older version, and is not changed', async () => {
    const { db, encryptor } = await database.empty()
    await sql`select 1`.execute(db)
    await db.destroy()
    await expect(openExisting(database)).rejects.toMatchObject({ code: 'STORE_INVALID' })
    const emptyDatabase = await database.empty()
    await migrate(emptyDatabase.db, Object.fromEntries(Object.entries(allMigrations(encryptor)).slice(0, 9)))
    await emptyDatabase.db.destroy()
    const older = {
      code: 'STORE_OLDER',
      message: expect.stringContaining('0012-authentication-time') as string,
    }
    await expect(openExisting(database)).rejects.toMatchObject(older)
    // If the first attempt had migrated the database, this one would succeed.
    await expect(openExisting(database)).rejects.toMatchObject(older)
  })

  it('is read when it has this version, and rejected when it has a newer one', async () => {
    await (await database.open()).close()
    const { db, close } = await openExisting(database)
    expect(await db.selectFrom('organizations').selectAll().execute()).toEqual([])
    await sql`insert into kysely_migration values ('9999-later', '2099-01-01T00:00:00.000Z')`.execute(db)
    await close()
    await expect(openExisting(database)).rejects.toThrow(/STORE_NEWER.*9999-later/)
  })
})

it('a data directory without a database is rejected, and nothing is written to it', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-store-'))
  const opening = openExisting({ databaseUrl: undefined, dataDirectory })
  await expect(opening).rejects.toThrow('[STORE_INVALID] There is no database in')
  expect(await readdir(dataDirectory)).toEqual([])
  await rm(dataDirectory, { recursive: true })
})
