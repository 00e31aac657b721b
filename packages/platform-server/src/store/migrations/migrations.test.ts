import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { type Encryptor, createEncryptor } from '@fairlead/gateway-core/credentials/encryption'
import { allScopes } from '../../identity/scopes.ts'
import { findValidApiKey } from '../../records/api-keys.ts'
import { backends, type TemporaryDatabase } from '../../testing/temporary-store.ts'
import type { Database } from '../database.ts'
import { loadNodeCredentials } from '../load-node-credentials.ts'
import { migrate } from '../migrate.ts'
import { allMigrations } from './all-migrations.ts'

const names = Object.keys(allMigrations(createEncryptor(randomBytes(32))))
const upstream = 'https://user:c4n4ry@node.example'

describe.each(backends)('a database of an earlier version on $name', ({ create }) => {
  let database: TemporaryDatabase
  afterEach(() => database.remove())

  // The form of upstreams in releases before they were encrypted.
  it.each([1, 3])('with %d migrations keeps its records', { timeout: 60_000 }, async (released) => {
    database = await create()
    const { db, encryptor } = await database.empty()
    await migrate(db, Object.fromEntries(Object.entries(allMigrations(encryptor)).slice(0, released)))
    await fill(db)
    await migrate(db, allMigrations(encryptor))
    await migrate(db, allMigrations(encryptor))
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
    expect(rows.map((row) => row.name)).toEqual(names)
    expect(await loadNodeCredentials(db, encryptor)).toEqual([
      {
        sha256: '0'.repeat(64),
        grant: {
          credentialId: 'CR-1',
          kind: 'token',
          nodeId: 'ND-1',
          projectId: 'PR-1',
          organizationId: 'RG-1',
          chain: 'evm',
          network: 'n',
          protocols: ['evm'],
          upstreams: { evm: upstream },
          settings: { beaconDebug: true },
        },
      },
    ])
    await expectSealed(db, encryptor)
    // A key from before keys had scopes and several secrets.
    expect(await findValidApiKey(db, 'PPPPPPPP')).toEqual({
      id: 'AK-1',
      prefix: 'PPPPPPPP',
      sha256: '1'.repeat(64),
      organizationId: 'RG-1',
      creatorId: 'UR-1',
      role: 'owner',
      scopes: [...allScopes],
      expiresAt: null,
    })
  })
})

describe.each(backends)('usage counted by a version without durations on $name', ({ create }) => {
  let database: TemporaryDatabase
  afterEach(() => database.remove())

  it('is kept, and is accepted while replicas of that version run', { timeout: 60_000 }, async () => {
    database = await create()
    const { db, encryptor } = await database.empty()
    const count = (method: string) =>
      sql`
      insert into usage_hours (node_id, hour, credential_id, protocol, method, status_class, organization_id, requests,
        units, bytes_in, bytes_out)
      values ('ND-1', '2026-03-09 14:00Z', 'CR-1', 'evm', ${method}, 2, 'RG-1', 5, 5, 0, 0)`.execute(db)
    await migrate(db, Object.fromEntries(Object.entries(allMigrations(encryptor)).slice(0, 9)))
    await count('before')
    await migrate(db, allMigrations(encryptor))
    await count('after')
    const rows = await db.selectFrom('usage_hours').selectAll().orderBy('method', 'desc').execute()
    const counted = rows.map((row) => [
      row.method,
      ...[row.requests, row.timed_requests, row.duration_us].map(Number),
    ])
    expect(counted).toEqual([
      ['before', 5, 0, 0],
      ['after', 5, 0, 0],
    ])
  })
})

describe.each(backends)('invitations of a version that did not store their keys on $name', ({ create }) => {
  let database: TemporaryDatabase
  afterEach(() => database.remove())

  it('belong to the key that created them', { timeout: 60_000 }, async () => {
    database = await create()
    const { db, encryptor } = await database.empty()
    await migrate(db, Object.fromEntries(Object.entries(allMigrations(encryptor)).slice(0, 1)))
    await fill(db)
    await migrate(db, Object.fromEntries(Object.entries(allMigrations(encryptor)).slice(0, 10)))
    for (const [id, kind, actor] of [
      ['IN-1', 'key', 'AK-1'],
      ['IN-2', 'user', 'UR-1'],
      ['IN-3', 'key', 'AK-2'],
    ] as const) {
      const hash = id.slice(-1).repeat(64)
      await sql`
        insert into invitations (id, organization_id, inviter_id, email, role, sha256, expires_at)
        values (${id}, 'RG-1', 'UR-1', ${`${id}@example.org`}, 'admin', ${hash}, '2999-01-01')`.execute(db)
      await sql`
        insert into audit_log (id, organization_id, action, actor_kind, actor_id, actor_label, object_kind, object_id, changes)
        values (${`AL-${id}`}, 'RG-1', 'invitation.create', ${kind}, ${actor}, '', 'invitation', ${id}, '{}')`.execute(
        db,
      )
    }
    await migrate(db, allMigrations(encryptor))
    const rows = await db.selectFrom('invitations').select(['id', 'api_key_id']).orderBy('id').execute()
    expect(rows.map((row) => [row.id, row.api_key_id])).toEqual([
      ['IN-1', 'AK-1'],
      ['IN-2', null],
      ['IN-3', null],
    ])
  })
})

async function fill(db: Kysely<Database>): Promise<void> {
  const upstreams = JSON.stringify({ evm: upstream })
  await sql`insert into organizations (id, name) values ('RG-1', 'O')`.execute(db)
  await sql`
    insert into users (id, email, first_name, last_name) values ('UR-1', 'o@example.org', 'O', 'W')`.execute(
    db,
  )
  await sql`
    insert into memberships (user_id, organization_id, role) values ('UR-1', 'RG-1', 'owner')`.execute(db)
  await sql`
    insert into api_keys (id, organization_id, creator_id, name, prefix, sha256, origin)
    values ('AK-1', 'RG-1', 'UR-1', 'K', 'PPPPPPPP', ${'1'.repeat(64)}, 'user')`.execute(db)
  await sql`
    insert into projects (id, organization_id, creator_id, name, name_folded, type)
    values ('PR-1', 'RG-1', 'UR-1', 'P', 'p', 'public')`.execute(db)
  await sql`
    insert into nodes (id, project_id, name, chain, network, protocols, upstreams)
    values ('ND-1', 'PR-1', 'N', 'evm', 'n', '{evm}', cast(${upstreams}::text as jsonb))`.execute(db)
  await sql`
    insert into node_credentials (id, node_id, kind, sha256, origin)
    values ('CR-1', 'ND-1', 'token', ${'0'.repeat(64)}, 'user')`.execute(db)
}

async function expectSealed(db: Kysely<Database>, encryptor: Encryptor): Promise<void> {
  const { rows } = await sql<{ node: string }>`select nodes::text as node from nodes`.execute(db)
  expect(rows).toHaveLength(1)
  expect(rows[0]?.node).not.toContain('c4n4ry')
  expect(rows[0]?.node).toContain(`v1.${encryptor.keyId}.`)
}
