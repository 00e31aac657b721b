import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { insertOrganization, insertOwner } from '../records/organizations.ts'
import { type TemporaryDatabase, temporaryDatabase } from '../testing/temporary-store.ts'

const writer = fileURLToPath(new URL('../testing/project-writer.ts', import.meta.url))
const rounds = 3
/** Number of writes that a round waits for, even on a slow machine, unless it kills during the recovery. */
const minAcknowledged = 20

describe('embedded database', () => {
  let database: TemporaryDatabase
  beforeAll(async () => {
    database = await temporaryDatabase(undefined)
  })
  afterAll(() => database.remove())

  it('keeps every acknowledged write when the process is killed', { timeout: 120_000 }, async () => {
    const store = await database.open()
    const organizationId = await insertOrganization(store.db, 'Durable')
    const owner = { email: 'owner@example.org', firstName: 'O', lastName: 'W' }
    const creatorId = await insertOwner(store.db, organizationId, owner)
    await store.close()

    const acknowledged: string[] = []
    for (let round = 0; round < rounds; round++) {
      const argv = [
        '--conditions=@fairlead/source',
        writer,
        database.dataDirectory,
        organizationId,
        creatorId,
      ]
      // The kill happens at different times: immediately after the recovery from the last kill, and after some writes.
      const writes = round % 3 === 0 ? 0 : minAcknowledged * round
      acknowledged.push(...(await writeUntilKilled(argv, writes)))
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual((rounds - 1) * minAcknowledged)

    const reopened = await database.open()
    const rows = await reopened.db.selectFrom('projects').select('id').execute()
    const present = new Set(rows.map((row) => row.id))
    expect(acknowledged.filter((id) => !present.has(id))).toEqual([])
  })

  it('starts over when it was killed during its creation', { timeout: 120_000 }, async () => {
    const emptyDatabase = await temporaryDatabase(undefined)
    await rm(join(emptyDatabase.dataDirectory, 'control'), { recursive: true })
    // At the start, while the files are written, and while the database runs on them.
    for (const file of ['', 'global/pg_control', 'postmaster.pid']) {
      const child = spawn(
        process.execPath,
        ['--conditions=@fairlead/source', writer, emptyDatabase.dataDirectory, '', ''],
        {
          stdio: 'ignore',
        },
      )
      const paths = [join('control.initializing', file), 'control']
      const isCreated = () => paths.some((path) => existsSync(join(emptyDatabase.dataDirectory, path)))
      await vi.waitFor(() => expect(isCreated()).toBe(true), { timeout: 40_000, interval: 1 })
      expect(child.exitCode).toBeNull()
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const store = await emptyDatabase.open()
    expect(await store.db.selectFrom('organizations').selectAll().execute()).toEqual([])
    await emptyDatabase.remove()
  })
})

async function writeUntilKilled(argv: readonly string[], writes: number): Promise<string[]> {
  const child = spawn(process.execPath, argv, {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    // The first line reports that the process is ready.
    if (lines.length > writes) child.kill('SIGKILL')
  }
  return lines.filter((line) => line.startsWith('PR-'))
}
