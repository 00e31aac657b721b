import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { expect, it, vi } from 'vitest'
import { startParams } from './embedded-database.ts'
import { SyncedFiles } from './synced-files.ts'

it('syncs every commit to disk before it is acknowledged', { timeout: 60_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-files-'))
  const sync = vi.fn<(descriptor: number) => void>()
  const pglite = await PGlite.create({ fs: new SyncedFiles(directory, sync), startParams })
  await pglite.exec('create table t (a int)')
  for (let row = 0; row < 5; row++) {
    sync.mockClear()
    await pglite.query('insert into t values ($1)', [row])
    expect(sync).toHaveBeenCalled()
  }
  sync.mockClear()
  await pglite.query('select * from t')
  expect(sync).not.toHaveBeenCalled()
  await pglite.close()
  await rm(directory, { recursive: true })
})
