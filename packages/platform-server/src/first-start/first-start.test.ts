import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { ensureFirstStart, issueDevelopmentSecrets } from './first-start.ts'
import { revokeApiKey } from '../records/api-keys.ts'
import { decryptUpstreams } from '../records/encrypted-upstreams.ts'
import { loadNodeCredentials } from '../store/load-node-credentials.ts'
import type { Store } from '../store/open-store.ts'
import { type TemporaryDatabase, backends } from '../testing/temporary-store.ts'
import { protocols } from '../testing/protocols.ts'

const upstreams = { evm: 'devnet' }

describe.each(backends)('first start on $name', { timeout: 60_000 }, ({ name, create }) => {
  let database: TemporaryDatabase
  afterEach(() => database.remove())

  async function emptyStore(): Promise<Store> {
    database = await create()
    return database.open()
  }

  it('creates every record a usable gateway needs, once', async () => {
    const store = await emptyStore()
    const first = await ensureFirstStart(store, { protocols, upstreams, network: 'local' })
    if (!first.created) throw new Error('The database was not empty.')
    const { organizationId, projectId, nodeId } = first
    const ids = { organizationId, projectId, nodeId }
    const credentials = await loadNodeCredentials(store.db, store.encryptor)
    const byKind = (kind: string) => credentials.find(({ grant }) => grant.kind === kind)
    expect(credentials).toHaveLength(2)
    expect(byKind('token')?.sha256).toBe(sha256Hex(first.token))
    expect(byKind('basic')?.sha256).toBe(sha256Hex(`${first.username}:${first.password}`))
    const grant = { ...ids, chain: 'evm', network: 'local', protocols: ['evm'], upstreams }
    for (const credential of credentials) expect(credential.grant).toMatchObject(grant)

    expect(await ensureFirstStart(store, { protocols, upstreams, network: 'local' })).toEqual({
      created: false,
      ...ids,
    })
    expect(await store.db.selectFrom('organizations').selectAll().execute()).toHaveLength(1)
    const { rows } = await sql<{ text: string }>`
      select coalesce(string_agg(api_keys::text, ''), '') || (select string_agg(node_credentials::text, '') from node_credentials) as text
      from api_keys`.execute(store.db)
    for (const secret of [first.apiKey.slice(9), first.token, first.password]) {
      expect(rows[0]?.text).not.toContain(secret)
    }
  })

  it('updates the debug endpoints from the configuration, and keeps the probe results of the node', async () => {
    const store = await emptyStore()
    const beacon = { upstreams: { beacon: 'http://127.0.0.1:5052' } }
    const { nodeId } = await ensureFirstStart(store, { protocols, ...beacon, beaconDebug: false })
    const grants = async () =>
      (await loadNodeCredentials(store.db, store.encryptor)).map(({ grant }) => grant)
    for (const grant of await grants()) {
      expect(grant).toMatchObject({
        chain: 'beacon',
        protocols: ['beacon'],
        settings: { beaconDebug: false },
      })
    }
    const result = { available: true, withheld: false, code: null, note: '', latency_ms: null }
    const finding = { node_id: nodeId, method: 'm', transport: 'http', ...result } as const
    await store.db.insertInto('node_methods').values(finding).execute()
    await ensureFirstStart(store, { protocols, ...beacon })
    for (const grant of await grants()) expect(grant).toMatchObject({ settings: { beaconDebug: true } })
    expect(await store.db.selectFrom('node_methods').selectAll().execute()).toHaveLength(1)
  })

  it('updates only the configured node from the configuration', async () => {
    const store = await emptyStore()
    const { nodeId } = await ensureFirstStart(store, { protocols, upstreams })
    const changed = { evm: 'http://127.0.0.1:8545', beacon: 'http://127.0.0.1:5052' }
    expect(await ensureFirstStart(store, { protocols, upstreams: changed, network: 'other' })).toMatchObject({
      nodeId,
    })
    const [credential] = await loadNodeCredentials(store.db, store.encryptor)
    expect(credential?.grant).toMatchObject({
      network: 'other',
      protocols: ['evm', 'beacon'],
      upstreams: changed,
    })

    await store.db.updateTable('nodes').set({ managed_by: null, name: 'mine' }).execute()
    const second = await ensureFirstStart(store, { protocols, upstreams })
    expect(second.nodeId).not.toBe(nodeId)
    const nodes = await store.db
      .selectFrom('nodes')
      .select(['id', 'name', 'upstreams'])
      .orderBy('created_at')
      .execute()
    const open = (node: (typeof nodes)[number]) => decryptUpstreams(store.encryptor, node.id, node.upstreams)
    expect(nodes.map((node) => ({ name: node.name, upstreams: open(node) }))).toEqual([
      { name: 'mine', upstreams: changed },
      { name: 'First node', upstreams },
    ])
  })

  it('creates a node of a jetton chain with that protocol only, wherever its index is', async () => {
    const store = await emptyStore()
    const jetton = { jetton: 'http://127.0.0.1:8081', 'jetton-v3': 'http://127.0.0.1:8082' }
    await ensureFirstStart(store, { protocols, upstreams: jetton })
    const [credential] = await loadNodeCredentials(store.db, store.encryptor)
    const grant = { chain: 'jetton', protocols: ['jetton'], upstreams: jetton }
    expect(credential?.grant).toMatchObject(grant)
  })

  it('issues one x-token to a node that offers gRPC, including one that offers it later', async () => {
    const store = await emptyStore()
    expect(await ensureFirstStart(store, { protocols, upstreams })).not.toHaveProperty('xToken')
    const grpc = { ...upstreams, grpc: 'https://x-token:SECRET@grpc.example' }
    const later = await ensureFirstStart(store, { protocols, upstreams: grpc })
    expect(later).toMatchObject({ created: false, xToken: expect.stringMatching(/^[0-9a-f]{32}$/) })
    const credentials = await loadNodeCredentials(store.db, store.encryptor)
    const issued = credentials.find(({ grant }) => grant.kind === 'x-token')
    expect(issued?.sha256).toBe(sha256Hex(later.xToken ?? ''))
    expect(issued?.grant).toMatchObject({ protocols: ['evm', 'grpc'], upstreams: grpc })
    await store.db
      .updateTable('node_credentials')
      .set({ revoked_at: sql<string>`clock_timestamp()` })
      .where('kind', '=', 'x-token')
      .execute()
    expect(await ensureFirstStart(store, { protocols, upstreams: grpc })).not.toHaveProperty('xToken')
  })

  it('keeps the x-token of the development mode, and issues new secrets when it is missing', async () => {
    const store = await emptyStore()
    const grpc = { upstreams: { grpc: 'devnet' }, origin: 'development' } as const
    const first = await ensureFirstStart(store, { protocols, ...grpc })
    if (!first.created) throw new Error('The database was not empty.')
    const [credential] = await loadNodeCredentials(store.db, store.encryptor)
    expect(credential?.grant).toMatchObject({ chain: 'solana', protocols: ['grpc'] })
    const unchanged = await issueDevelopmentSecrets(store, { protocols, previous: first })
    expect(unchanged).toMatchObject({ issued: false, xToken: first.xToken })
    const { xToken: _, ...older } = unchanged
    const renewed = await issueDevelopmentSecrets(store, { protocols, previous: older })
    expect(renewed).toMatchObject({ issued: true, xToken: expect.stringMatching(/^[0-9a-f]{32}$/) })
    expect(await loadNodeCredentials(store.db, store.encryptor)).toHaveLength(3)
    // A node without gRPC needs no x-token, and keeps an existing one.
    await ensureFirstStart(store, { protocols, upstreams, origin: 'development' })
    const { xToken: __, ...without } = renewed
    expect(await issueDevelopmentSecrets(store, { protocols, previous: without })).toMatchObject({
      issued: false,
    })
    expect(await issueDevelopmentSecrets(store, { protocols, previous: renewed })).toMatchObject({
      issued: false,
      xToken: renewed.xToken,
    })
  })

  it('happens once when several processes start concurrently', async () => {
    const store = await emptyStore()
    // The embedded database supports only one process, so there the starts are concurrent calls.
    const stores =
      name === 'embedded'
        ? [store, store, store]
        : await Promise.all([1, 2, 3, 4, 5].map(() => database.open()))
    const starts = await Promise.all(
      stores.map((target) => ensureFirstStart(target, { protocols, upstreams })),
    )
    expect(starts.filter((start) => start.created)).toHaveLength(1)
    expect(new Set(starts.map((start) => start.organizationId)).size).toBe(1)
    expect(await store.db.selectFrom('nodes').select('id').execute()).toHaveLength(1)
  })

  it('rolls back when it fails', async () => {
    const store = await emptyStore()
    const rename = (from: string, to: string) =>
      sql`alter table ${sql.ref(from)} rename to ${sql.ref(to)}`.execute(store.db)
    await rename('node_credentials', 'hidden')
    await expect(ensureFirstStart(store, { protocols, upstreams })).rejects.toThrow('node_credentials')
    await rename('hidden', 'node_credentials')
    expect(await store.db.selectFrom('organizations').selectAll().execute()).toEqual([])
    expect(await ensureFirstStart(store, { protocols, upstreams })).toMatchObject({ created: true })
  })

  it('keeps valid development secrets', async () => {
    const store = await emptyStore()
    const first = await ensureFirstStart(store, { protocols, upstreams, origin: 'development' })
    if (!first.created) throw new Error('The database was not empty.')
    const unchanged = await issueDevelopmentSecrets(store, { protocols, previous: first })
    expect(unchanged).toEqual({ ...first, created: undefined, issued: false })
    expect(await loadNodeCredentials(store.db, store.encryptor)).toHaveLength(2)
  })

  it('replaces lost or invalid development secrets and revokes the earlier ones', async () => {
    const store = await emptyStore()
    const first = await ensureFirstStart(store, { protocols, upstreams, origin: 'development' })
    if (!first.created) throw new Error('The database was not empty.')
    const second = await issueDevelopmentSecrets(store, { protocols })
    expect(second).toMatchObject({ issued: true, nodeId: first.nodeId })
    const hashes = async () =>
      (await loadNodeCredentials(store.db, store.encryptor)).map(({ sha256 }) => sha256).toSorted()
    const hashesOf = (secrets: typeof second) =>
      [sha256Hex(secrets.token), sha256Hex(`${secrets.username}:${secrets.password}`)].toSorted()
    expect(await hashes()).toEqual(hashesOf(second))

    // The first secrets are revoked, so passing them as previous ones issues new ones.
    const third = await issueDevelopmentSecrets(store, { protocols, previous: first })
    expect(third.issued).toBe(true)
    expect(await hashes()).toEqual(hashesOf(third))
    for (const part of ['apiKey', 'token', 'username', 'password'] as const) {
      const previous = { ...third, [part]: `${third[part]}x` }
      expect((await issueDevelopmentSecrets(store, { protocols, previous })).issued).toBe(true)
    }
    const key = await store.db.selectFrom('api_keys').select('id').where('revoked_at', 'is', null).execute()
    expect(key).toHaveLength(1)
    const last = await issueDevelopmentSecrets(store, { protocols })
    const valid = await store.db.selectFrom('api_keys').select('id').where('revoked_at', 'is', null).execute()
    await revokeApiKey(store.db, valid[0]?.id ?? '')
    expect((await issueDevelopmentSecrets(store, { protocols, previous: last })).issued).toBe(true)
  })

  it('does not accept development secrets in production', async () => {
    const store = await emptyStore()
    await ensureFirstStart(store, { protocols, upstreams, origin: 'development' })
    const development = await issueDevelopmentSecrets(store, { protocols })
    const production = await ensureFirstStart(store, { protocols, upstreams })
    if (!production.created) throw new Error('Production got no secrets.')
    const inForce = async () =>
      (await loadNodeCredentials(store.db, store.encryptor)).map(({ sha256 }) => sha256)
    expect(await inForce()).toContain(sha256Hex(production.token))
    expect(await inForce()).not.toContain(sha256Hex(development.token))
    expect((await issueDevelopmentSecrets(store, { protocols, previous: development })).issued).toBe(true)
    expect((await ensureFirstStart(store, { protocols, upstreams })).created).toBe(false)
    expect(await inForce()).toHaveLength(2)
  })

  it('does not change the secrets of a first start in production', async () => {
    const store = await emptyStore()
    const first = await ensureFirstStart(store, { protocols, upstreams })
    if (!first.created) throw new Error('The database was not empty.')
    await issueDevelopmentSecrets(store, { protocols })
    const hashes = (await loadNodeCredentials(store.db, store.encryptor)).map(({ sha256 }) => sha256)
    expect(hashes).toHaveLength(4)
    expect(hashes).toContain(sha256Hex(first.token))
    expect((await issueDevelopmentSecrets(store, { protocols, previous: first })).issued).toBe(false)
  })
})
