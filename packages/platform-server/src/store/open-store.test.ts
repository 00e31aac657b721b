import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { issueNodeCredential, revokeNodeCredential } from '../records/node-credentials.ts'
import { insertNode } from '../records/nodes.ts'
import { insertOrganization, insertOwner } from '../records/organizations.ts'
import { insertProject } from '../records/projects.ts'
import { type TemporaryDatabase, backends } from '../testing/temporary-store.ts'
import { lockDirectory } from '@fairlead/runtime/directory-lock'
import { loadNodeCredentials } from './load-node-credentials.ts'
import { migrate } from './migrate.ts'
import { allMigrations } from './migrations/all-migrations.ts'
import { type Store, openStore } from './open-store.ts'
import { insertWithId, randomRecordId } from './record-id.ts'

describe.each(backends)('store on $name', ({ name, create }) => {
  let database: TemporaryDatabase
  let store: Store
  let nodeId: string
  let ids: { organizationId: string; projectId: string }

  beforeAll(async () => {
    database = await create()
    store = await database.open()
    const organizationId = await insertOrganization(store.db, 'Example')
    const creatorId = await insertOwner(store.db, organizationId, {
      email: 'Owner@Example.org',
      firstName: 'O',
      lastName: 'W',
    })
    const project = { organizationId, creatorId, name: 'P', description: '', type: 'public' } as const
    const projectId = await insertProject(store.db, project)
    ids = { organizationId, projectId }
    nodeId = await insertNode(store.db, store.encryptor, {
      projectId,
      name: 'N',
      chain: 'evm',
      network: 'one',
      protocols: ['evm', 'beacon'],
      upstreams: { evm: 'http://127.0.0.1:1', beacon: 'devnet' },
    })
  }, 60_000)
  afterAll(() => database.remove())

  it('generates ids in the documented format', async () => {
    expect(nodeId).toMatch(/^ND-\d{3}-\d{3}-\d{3}$/)
    expect(ids.organizationId).toMatch(/^RG-\d{3}-\d{3}-\d{3}$/)
    expect(ids.projectId).toMatch(/^PR-\d{3}-\d{3}-\d{3}$/)
    expect(randomRecordId('user')).toMatch(/^UR-\d{3}-\d{3}-\d{3}$/)
    const { id } = await issueNodeCredential(store.db, { nodeId, kind: 'x-token', origin: 'user' })
    expect(id).toMatch(/^CR-\d{3}-\d{3}-\d{3}$/)
  })

  it('generates another id after a collision', async () => {
    const candidates = [ids.organizationId, ids.organizationId, 'RG-000-000-000']
    const id = await insertWithId(
      'organization',
      async (candidate) => {
        const insert = store.db.insertInto('organizations').values({ id: candidate, name: 'Second' })
        const row = await insert
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst()
        return row?.id
      },
      () => candidates.shift() ?? '',
    )
    expect(id).toBe('RG-000-000-000')
  })

  it('stores email addresses in lower case', async () => {
    const { email } = await store.db.selectFrom('users').select('email').executeTakeFirstOrThrow()
    expect(email).toBe('owner@example.org')
  })

  it('loads valid node credentials with their grants, without revoked and expired ones', async () => {
    await store.db.deleteFrom('node_credentials').execute()
    const token = await issueNodeCredential(store.db, { nodeId, kind: 'token', origin: 'user' })
    const revoked = await issueNodeCredential(store.db, { nodeId, kind: 'token', origin: 'user' })
    const expired = await issueNodeCredential(store.db, { nodeId, kind: 'basic', origin: 'user' })
    await revokeNodeCredential(store.db, revoked.id)
    await store.db
      .updateTable('node_credentials')
      .set({ expires_at: sql<string>`clock_timestamp() - interval '1 second'` })
      .where('id', '=', expired.id)
      .execute()
    expect(await loadNodeCredentials(store.db, store.encryptor)).toEqual([
      {
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        grant: {
          ...ids,
          credentialId: token.id,
          kind: 'token',
          nodeId,
          chain: 'evm',
          network: 'one',
          protocols: ['evm', 'beacon'],
          upstreams: { evm: 'http://127.0.0.1:1', beacon: 'devnet' },
          settings: { beaconDebug: true },
        },
      },
    ])
  })

  it('stores no secret in plain text', async () => {
    const { token } = await issueNodeCredential(store.db, { nodeId, kind: 'token', origin: 'user' })
    const basic = await issueNodeCredential(store.db, { nodeId, kind: 'basic', origin: 'user' })
    const rows = JSON.stringify(await store.db.selectFrom('node_credentials').selectAll().execute())
    expect(rows).toContain(basic.username)
    expect(rows).not.toContain(token)
    expect(rows).not.toContain(basic.password)
  })

  it('continues after a listener throws', async () => {
    const listener = vi.fn<() => void>()
    const stops = [
      store.onCredentialsChanged(() => {
        throw new Error('listener')
      }),
      store.onCredentialsChanged(listener),
    ]
    await issueNodeCredential(store.db, { nodeId, kind: 'token', origin: 'user' })
    await vi.waitFor(() => expect(listener).toHaveBeenCalled(), 20_000)
    for (const stop of stops) stop()
  })

  it('rolls back a failed migration entirely', async () => {
    const broken = {
      ...allMigrations(store.encryptor),
      '9998-half': {
        up: async (db: Store['db']) => void (await sql`create table half (id int)`.execute(db)),
      },
      '9999-broken': {
        up: async (db: Store['db']) => void (await sql`select nothing from nowhere`.execute(db)),
      },
    }
    await expect(migrate(store.db, broken)).rejects.toMatchObject({ code: 'STORE_MIGRATION_FAILED' })
    const tables = await store.db.introspection.getTables()
    expect(tables.map((table) => table.name)).not.toContain('half')
    await migrate(store.db, allMigrations(store.encryptor))
  })

  it('rejects a database with an unknown migration', async () => {
    const newer = await create()
    onTestFinished(() => newer.remove())
    const opened = await newer.open()
    await sql`insert into kysely_migration values ('9999-later', '2099-01-01T00:00:00.000Z')`.execute(
      opened.db,
    )
    if (name === 'embedded') await opened.close()
    const { dataDirectory, databaseUrl } = newer
    await expect(openStore({ dataDirectory, databaseUrl })).rejects.toThrow(/STORE_NEWER.*9999-later/)
    // A rejected opening releases the data directory, so that the second attempt fails for the same reason.
    await expect(openStore({ dataDirectory, databaseUrl })).rejects.toThrow(/STORE_NEWER.*9999-later/)
  })
})

describe('openStore', () => {
  it('rejects a database URL without repeating it', async () => {
    for (const databaseUrl of ['mysql://user:canary-9d1@host/db', 'canary-9d1', 'http://canary-9d1@host']) {
      const error: unknown = await openStore({ dataDirectory: tmpdir(), databaseUrl }).catch(
        (reason: unknown) => reason,
      )
      expect(error).toMatchObject({ code: 'STORE_INVALID' })
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary-9d1')
    }
  })

  it('rejects a folder with other files', async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-store-'))
    await mkdir(join(dataDirectory, 'control'))
    await writeFile(join(dataDirectory, 'control', 'notes.txt'), 'mine')
    await expect(openStore({ dataDirectory })).rejects.toMatchObject({ code: 'STORE_INVALID' })
    await rm(dataDirectory, { recursive: true })
  })

  it('rejects a folder that is locked by a process or has an invalid lock file', async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-store-'))
    onTestFinished(() => rm(dataDirectory, { recursive: true }))
    const file = join(dataDirectory, 'control.lock')
    const lock = lockDirectory(file)
    await expect(openStore({ dataDirectory })).rejects.toThrow(
      `[STORE_IN_USE] The data directory is in use by process ${process.pid} (lock file ${file}). The embedded database serves one`,
    )
    lock.release()
    await writeFile(file, 'a text of another program, longer than a header of SQLite has to be')
    await expect(openStore({ dataDirectory })).rejects.toThrow(
      `[STORE_INVALID] ${file} is not a lock file of the gateway.`,
    )
  })
})
