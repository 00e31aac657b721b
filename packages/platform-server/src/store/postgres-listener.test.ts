import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, type Mock, vi } from 'vitest'
import { insertNode } from '../records/nodes.ts'
import { insertOrganization, insertOwner } from '../records/organizations.ts'
import { insertProject } from '../records/projects.ts'
import { type TemporaryDatabase, backends } from '../testing/temporary-store.ts'
import type { Store } from './open-store.ts'

// Fewer than an idle machine makes in a second.
const roundTripsOfSecond = 4_000

const postgres = backends.filter((backend) => backend.name === 'postgresql')

// The last test closes the store that the others read from.
describe.skipIf(postgres.length === 0)('change notifications over PostgreSQL', { shuffle: false }, () => {
  let database: TemporaryDatabase
  let writer: Store
  let reader: Store
  beforeAll(async () => {
    const [backend] = postgres
    if (backend === undefined) throw new Error('There is no PostgreSQL server.')
    database = await backend.create()
    writer = await database.open()
    reader = await database.open()
  }, 60_000)
  afterAll(() => database.remove())

  async function addNode(): Promise<void> {
    const organizationId = await insertOrganization(writer.db, 'Example')
    const email = `${organizationId}@example.test`
    const creatorId = await insertOwner(writer.db, organizationId, { email, firstName: 'O', lastName: 'W' })
    const project = { organizationId, creatorId, name: 'P', description: '', type: 'public' } as const
    const projectId = await insertProject(writer.db, project)
    const node = { projectId, name: 'N', chain: 'evm', network: 'one', protocols: ['evm'], upstreams: {} }
    await insertNode(writer.db, writer.encryptor, node)
  }

  const cutConnections = () =>
    sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(writer.db)

  /** Waits for calls, for at most some round trips to the database, which are also slow on a busy machine. */
  async function waitForCalls(listener: Mock, calls: number, roundTrips: number): Promise<void> {
    for (let count = 0; count < roundTrips && listener.mock.calls.length < calls; count++) {
      await sql`select 1`.execute(writer.db)
    }
  }

  it('reach every process within a second', async () => {
    const listener = vi.fn<() => void>()
    const stop = reader.onCredentialsChanged(listener)
    await addNode()
    await waitForCalls(listener, 1, roundTripsOfSecond)
    expect(listener).toHaveBeenCalled()
    stop()
  })

  it('resume after the connection is lost, and report that some may have been missed', async () => {
    const listener = vi.fn<() => void>()
    const stop = reader.onCredentialsChanged(listener)
    await cutConnections()
    await waitForCalls(listener, 1, 3 * roundTripsOfSecond)
    expect(listener).toHaveBeenCalledTimes(1)
    await addNode()
    await waitForCalls(listener, 2, roundTripsOfSecond)
    expect(listener).toHaveBeenCalledTimes(2)
    stop()
  })

  it('keep no connection after the store is closed', async () => {
    await reader.close()
    await reader.close()
    const listener = vi.fn<() => void>()
    const stop = writer.onCredentialsChanged(listener)
    // The writer's own listener reconnects, twice; that of the reader would reconnect as well.
    for (const times of [1, 2]) {
      await cutConnections()
      await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(times), { timeout: 50_000, interval: 5 })
    }
    stop()
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(writer.db)
    // Only the writer's own listener is left.
    expect(rows[0]?.count).toBeLessThanOrEqual(1)
  })
})
