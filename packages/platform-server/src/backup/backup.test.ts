import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureFirstStart } from '../first-start/first-start.ts'
import type { Store } from '../store/open-store.ts'
import { allBackends, temporaryDatabase, type TemporaryDatabase } from '../testing/temporary-store.ts'
import { restoreBackup } from './restore-backup.ts'
import { tablesInOrder } from './tables.ts'
import { writeBackup } from './write-backup.ts'
import { protocols } from '../testing/protocols.ts'

async function* linesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

async function backupOf({ db }: Pick<Store, 'db'>): Promise<string[]> {
  const lines: string[] = []
  for await (const line of writeBackup(db)) lines.push(line)
  return lines
}

/** Opens a database with the key of another one. */
async function openWithKeyOf(database: TemporaryDatabase, keySource: TemporaryDatabase): Promise<Store> {
  return database.open((await readFile(`${keySource.dataDirectory}/secret.key`, 'utf8')).trim())
}

describe.each(allBackends)('a backup of the $name database', ({ create }) => {
  let source: TemporaryDatabase
  let store: Store
  let lines: string[]

  beforeAll(async () => {
    source = await create()
    store = await source.open()
    await ensureFirstStart(store, { protocols, upstreams: { evm: 'http://node.example/c4n4ry' } })
    // More rows than one batch reads or writes, with numbers above Number.MAX_SAFE_INTEGER.
    await sql`
      insert into usage_hours (node_id, hour, credential_id, protocol, method, status_class, organization_id, requests,
        units, bytes_in, bytes_out, timed_requests, duration_us)
      select 'ND-1', timestamptz '2026-01-01 00:00Z' + n * interval '1 hour', 'CR-1', 'evm', 'eth_call', 2, 'RG-1',
        9007199254740993 + n, 1, 1, 1, n, 9007199254740993 + n from generate_series(1, 2500) as n`.execute(
      store.db,
    )
    lines = await backupOf(store)
  })
  afterAll(() => source.remove())

  it.each(allBackends)('is identical after it was restored into the $name database', async (target) => {
    const database = await target.create()
    try {
      const restored = await openWithKeyOf(database, source)
      const rows = await restoreBackup(restored, linesOf(lines))
      expect(rows).toBe(lines.length - 2 - (await tablesInOrder(restored.db)).length)
      const secondBackup = await backupOf(restored)
      expect(new Set(secondBackup.slice(1))).toEqual(new Set(lines.slice(1)))
      // The upstreams of a node can still be decrypted.
      const node = await restored.db.selectFrom('nodes').select(['id', 'upstreams']).executeTakeFirstOrThrow()
      expect(restored.encryptor.decrypt(node.upstreams, node.id)).toContain('c4n4ry')
    } finally {
      await database.remove()
    }
  })

  it('contains no upstream URL in plain text', () => {
    expect(lines.join('\n')).not.toContain('c4n4ry')
  })

  it('is rejected by a database that has records', async () => {
    await expect(restoreBackup(store, linesOf(lines))).rejects.toMatchObject({ code: 'STORE_INVALID' })
    expect(await backupOf(store)).toHaveLength(lines.length)
  })
})

describe('a backup that cannot be restored', () => {
  let source: TemporaryDatabase
  let target: TemporaryDatabase
  let lines: string[]
  let empty: Store

  beforeAll(async () => {
    source = await temporaryDatabase(undefined)
    const store = await source.open()
    await ensureFirstStart(store, { protocols, upstreams: { evm: 'devnet' } })
    lines = await backupOf(store)
    target = await temporaryDatabase(undefined)
    empty = await target.open('5a'.repeat(32))
  })
  afterAll(() => Promise.all([source.remove(), target.remove()]))

  it.each([
    ['is cut off', () => lines.slice(0, -1), 'incomplete'],
    [
      'lacks a row',
      () =>
        lines.toSpliced(
          lines.findIndex((line) => line.startsWith('{"id"')),
          1,
        ),
      'incomplete',
    ],
    ['names a table that is none', () => lines.with(1, '{"table":"pg_authid"}'), 'incomplete'],
    ['is something else', () => ['{"name":"x"}'], 'not a Fairlead backup'],
    ['is no JSON', () => ['c4n4ry'], 'incomplete'],
    ['is empty', () => [], 'incomplete'],
    [
      'was made by another version',
      () => lines.with(0, lines[0]?.replace(/"[^"]+"\]/, '"9999-later"]') ?? ''),
      'another version',
    ],
  ])('because it %s changes nothing', async (_, broken, message) => {
    await expect(restoreBackup(empty, linesOf(broken()))).rejects.toThrow(message)
    expect(await empty.db.selectFrom('organizations').select('id').execute()).toEqual([])
  })

  it('because it was encrypted with another key changes nothing', async () => {
    await expect(restoreBackup(empty, linesOf(lines))).rejects.toMatchObject({ code: 'STORE_KEY' })
    expect(await empty.db.selectFrom('organizations').select('id').execute()).toEqual([])
  })
})
