import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ensureFirstStart } from '../first-start/first-start.ts'
import { protocols } from '../testing/protocols.ts'
import { allBackends, temporaryDatabase } from '../testing/temporary-store.ts'
import { restoreBackupFile, writeBackupFile } from './backup-file.ts'

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
