import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { ensureFirstStart } from '../first-start/first-start.ts'
import { protocols } from '../testing/protocols.ts'
import { allBackends, anyDatabase, temporaryDatabase } from '../testing/temporary-store.ts'
import { restoreBackupFile, writeBackupFile } from './backup-file.ts'
import { maxLineBytes } from './lines.ts'

it.each(allBackends)('a backup file is restored into the $name database', async ({ create }) => {
  const [source, target] = [await temporaryDatabase(undefined), await create()]
  onTestFinished(async () => void (await Promise.all([source.remove(), target.remove()])))
  const store = await source.open()
  await ensureFirstStart(store, { protocols, upstreams: { evm: 'devnet' } })
  const file = join(source.dataDirectory, 'backup.gz')
  await writeBackupFile(store, file)
  const restored = await target.open((await readFile(`${source.dataDirectory}/secret.key`, 'utf8')).trim())
  expect(await restoreBackupFile(restored, file)).toBeGreaterThan(0)
  const nodes = (from: typeof store) => from.db.selectFrom('nodes').select('id').execute()
  expect(await nodes(restored)).toEqual(await nodes(store))
})

it.each([
  ['is missing', undefined, 'ENOENT'],
  ['is empty', Buffer.of(), 'incomplete'],
  ['is not compressed', Buffer.from('{"format":"fairlead-backup"}'), 'incomplete'],
  ['is cut off', gzipSync('{"format":"fairlead-backup"}').subarray(0, -9), 'incomplete'],
])('a file that %s is rejected', async (_, bytes, message) => {
  const target = await anyDatabase()
  onTestFinished(() => target.remove())
  const file = join(target.dataDirectory, 'backup.gz')
  if (bytes !== undefined) await writeFile(file, bytes)
  const restoring = restoreBackupFile(await target.open(), file)
  await expect(restoring).rejects.toMatchObject({
    code: 'STORE_INVALID',
    message: expect.stringContaining(message),
  })
})

it('a backup that could not be restored fails and leaves no file', { timeout: 60_000 }, async () => {
  const source = await anyDatabase()
  onTestFinished(() => source.remove())
  const store = await source.open()
  await ensureFirstStart(store, { protocols, upstreams: { evm: 'devnet' } })
  await sql`update organizations set name = repeat('x', ${sql.lit(maxLineBytes)})`.execute(store.db)
  const before = await readdir(source.dataDirectory)
  const writing = writeBackupFile(store, join(source.dataDirectory, 'backup.gz'))
  await expect(writing).rejects.toMatchObject({ code: 'STORE_INVALID' })
  expect(await readdir(source.dataDirectory)).toEqual(before)
})
