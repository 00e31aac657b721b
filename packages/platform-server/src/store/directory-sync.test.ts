import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createDirectory, type Directory } from '@fairlead/gateway-core/authentication/directory'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { ensureFirstStart, type PlainSecrets } from '../first-start/first-start.ts'
import type { Store } from './open-store.ts'
import { type TemporaryDatabase, temporaryDatabase } from '../testing/temporary-store.ts'
import { syncDirectory } from './directory-sync.ts'
import { pino } from 'pino'
import { protocols } from '../testing/protocols.ts'

let database: TemporaryDatabase
let store: Store
let secrets: PlainSecrets

beforeAll(async () => {
  database = await temporaryDatabase(undefined)
  store = await database.open()
  const first = await ensureFirstStart(store, { protocols, upstreams: { evm: 'devnet' } })
  if (!first.created) throw new Error('The database was not empty.')
  secrets = first
}, 60_000)

afterAll(() => database.remove())

async function startSync(directory: Directory) {
  const lines = memory()
  const { end, states } = await syncDirectory(store, directory, pino({ level: 'debug' }, lines.stream))
  onTestFinished(end)
  return { end, states, log: lines.text }
}

async function setRevoked(isRevoked: boolean): Promise<void> {
  const revoked_at = isRevoked ? sql<string>`clock_timestamp()` : null
  await store.db.updateTable('node_credentials').set({ revoked_at }).where('kind', '=', 'token').execute()
}

it('fills the directory and applies every change', async () => {
  const directory = createDirectory()
  await startSync(directory)
  expect(directory.size).toBe(2)
  expect(directory.find('token', secrets.token)).toMatchObject({ upstreams: { evm: 'devnet' } })
  await setRevoked(true)
  await vi.waitFor(() => expect(directory.find('token', secrets.token)).toBeUndefined(), 20_000)
  expect(directory.find('basic', `${secrets.username}:${secrets.password}`)).toBeDefined()
  for (let round = 0; round < 10; round++) {
    await setRevoked(true)
    await setRevoked(false)
  }
  await vi.waitFor(() => expect(directory.find('token', secrets.token)).toBeDefined(), 20_000)
})

it('misses no change during its start', async () => {
  const directory = createDirectory()
  const [sync] = await Promise.all([startSync(directory), setRevoked(true)])
  await vi.waitFor(() => expect(directory.find('token', secrets.token)).toBeUndefined(), 20_000)
  await sync.end()
  await setRevoked(false)
})

it('retries a failed reload soon, and keeps the last snapshot until then', async () => {
  const directory = createDirectory()
  const { log, states } = await startSync(directory)
  const { loadedAt } = states()
  await sql`alter table projects rename to hidden`.execute(store.db)
  await setRevoked(true)
  await vi.waitFor(() => expect(log()).toContain('node credentials could not be reloaded'), 20_000)
  expect(directory.find('token', secrets.token)).toBeDefined()
  expect(states().loadedAt).toBe(loadedAt)
  expect(states().failures).toBeGreaterThan(0)
  await sql`alter table hidden rename to projects`.execute(store.db)
  await vi.waitFor(() => expect(directory.find('token', secrets.token)).toBeUndefined(), { timeout: 5_000 })
  await setRevoked(false)
})

it('receives no changes after it is closed', async () => {
  const directory = createDirectory()
  const { end, log } = await startSync(directory)
  await setRevoked(true)
  await end()
  const { size } = directory
  const listener = vi.fn<() => void>()
  onTestFinished(store.onCredentialsChanged(listener))
  await setRevoked(false)
  await setRevoked(true)
  await vi.waitFor(() => expect(listener).toHaveBeenCalled(), 20_000)
  // A reload would complete before this query.
  await sql`select 1`.execute(store.db)
  expect(directory.size).toBe(size)
  expect(log()).toBe('')
  await setRevoked(false)
})

it('does not start when the first load fails', async () => {
  await sql`alter table projects rename to hidden`.execute(store.db)
  await expect(startSync(createDirectory())).rejects.toThrow('projects')
  await sql`alter table hidden rename to projects`.execute(store.db)
})
