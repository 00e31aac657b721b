import { routes } from '@fairlead/platform-client/contract'
import type { Route } from '@fairlead/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { putAccessRule } from '../../records/access-rules.ts'
import { setNodeUpstreams } from '../../endpoints/set-upstreams.ts'
import { issueNodeCredential } from '../../records/node-credentials.ts'
import { insertNode } from '../../records/nodes.ts'
import { insertOrganization, insertOwner } from '../../records/organizations.ts'
import { insertProject } from '../../records/projects.ts'
import { type JsonCall, jsonCalls, nodePath } from '../../testing/json-calls.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'
import { issueApiKey } from '../../records/api-keys.ts'
import { protocols } from '../../testing/protocols.ts'

interface Node {
  readonly id: string
  readonly name: string
  readonly option: string | null
  readonly network: string
  readonly upstreams: readonly unknown[]
  readonly details: Readonly<Record<string, string>>
}

interface Created extends Node {
  readonly credentials: readonly { readonly id: string; readonly kind: string; readonly token?: string }[]
}

interface Page<item> {
  readonly count: number
  readonly next: string | null
  readonly results: readonly item[]
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly fields?: Readonly<Record<string, readonly string[]>> }
}

const secretUpstream = 'https://user:c4n4ry@a.example/c4n4ry?key=c4n4ry#weight=3'

describe.each(backends)('nodes on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let call: JsonCall
  let project: string
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database, {
      publicUrl: 'https://api.example.test/',
      nodes: { gatewayUrls: () => ['http://127.0.0.1:8645'] },
    })
    call = jsonCalls(fixture)
    project = fixture.first.projectId
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const inputOf = (name: string, options: object = {}) => ({
    project,
    name,
    chain: 'ethereum',
    network: 'mainnet',
    upstreams: { evm: secretUpstream },
    ...options,
  })
  const createNode = async (name: string, options?: object) =>
    (await call<Created>('POST', '/v2/nodes/', inputOf(name, options))).body

  it('are created with their own upstreams and with credentials', async () => {
    const { status, etag, body } = await call<Created>('POST', '/v2/nodes/', inputOf('Explorer'))
    expect([status, etag]).toEqual([201, '"1"'])
    const { credentials, details, ...node } = body
    const token = credentials[0]?.token ?? ''
    expect(credentials.map(({ kind }) => kind)).toEqual(['token', 'basic'])
    expect(details).toEqual({
      https: `https://api.example.test/${token}`,
      wss: `wss://api.example.test/ws/${token}`,
    })
    const templates = {
      https: 'https://api.example.test/{token}',
      wss: 'wss://api.example.test/ws/{token}',
    }
    expect(node).toMatchObject({
      name: 'Explorer',
      project: { id: project, name: 'First project' },
      chain: 'ethereum',
      network: 'mainnet',
      protocols: ['evm'],
      option: null,
      managed_by: 'api',
      upstreams: [{ protocol: 'evm', address: 'https://a.example' }],
      beacon_debug: true,
    })
    const read = await call<Node>('GET', nodePath(node.id))
    expect(read).toMatchObject({ status: 200, etag: '"1"', body: { ...node, details: templates } })
    const audited = await fixture.store.db.selectFrom('audit_log').selectAll().execute()
    expect(audited.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['node.create', 'credential.create']),
    )
    expect(JSON.stringify([read.body, audited, fixture.log()])).not.toContain('c4n4ry')
    expect(JSON.stringify([read.body, audited, fixture.log()])).not.toContain(token)
  })

  it('ignore unknown fields of their upstreams with any value', async () => {
    const { upstreams, ...node } = inputOf('Explorer')
    const { status, body } = await call<Node>('POST', '/v2/nodes/', {
      ...node,
      upstreams: { ...upstreams, note: 'a\0b' },
    })
    expect(status).toBe(201)
    expect(body.upstreams).toEqual([expect.objectContaining({ protocol: 'evm' })])
  })

  it('are created without credentials by a key that may not issue them', async () => {
    const user = await fixture.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const { organizationId } = fixture.first
    const options = { organizationId, creatorId: user.id, name: 'nodes only', origin: 'user' } as const
    const scopes = ['nodes:read', 'nodes:write'] as const
    const { key } = await issueApiKey(fixture.store.db, { ...options, scopes, expiresAt: undefined })
    const response = await fixture.anonymous('/v2/nodes/', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      payload: inputOf('Without credentials'),
    })
    expect(response.statusCode).toBe(201)
    expect(response.json()).toMatchObject({
      credentials: [],
      details: { https: expect.stringContaining('{token}') },
    })
  })

  it('are created from the configuration of the gateway, and follow it', async () => {
    const { body: options } = await call<Page<{ id: string; upstreams_required: boolean }>>(
      'GET',
      '/v2/deployment-options/',
    )
    expect(options.results.map(({ id }) => id)).toEqual([
      'evm',
      'own-ethereum',
      'own-evm',
      'own-high-throughput',
      'own-beacon',
      'own-jetton',
      'own-solana',
    ])
    const body = { project, name: 'Follower', option: 'evm' }
    const { status, body: node } = await call<Created>('POST', '/v2/nodes/', body)
    expect(status).toBe(201)
    expect(node).toMatchObject({
      option: 'evm',
      network: 'devnet',
      upstreams: [{ protocol: 'evm', address: 'devnet' }],
    })
    const { store, first } = fixture
    const moved = { network: 'testnet', protocols: ['evm'], upstreams: { evm: 'https://b.example/key' } }
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, moved)
    const followed = await call<Node>('GET', nodePath(node.id))
    expect(followed.body).toMatchObject({
      option: 'evm',
      network: 'testnet',
      upstreams: [{ protocol: 'evm', address: 'https://b.example' }],
    })
    const detached = await call<Node>('PATCH', nodePath(node.id), { network: 'mine' })
    expect(detached.body).toMatchObject({ option: null, network: 'mine' })
    await setNodeUpstreams({ ...store, protocols }, first.nodeId, { ...moved, upstreams: { evm: 'devnet' } })
    expect((await call<Node>('GET', nodePath(node.id))).body).toEqual(detached.body)
  })

  it('have a URL for each transport that they offer', async () => {
    const all = await createNode('All', {
      chain: 'evm',
      upstreams: {
        evm: 'http://a.example',
        beacon: 'http://b.example',
        grpc: 'https://x-token:c4n4ry@g.example',
      },
    })
    const token = all.credentials[0]?.token ?? ''
    expect(all.credentials.map(({ kind }) => kind)).toEqual(['token', 'basic', 'x-token'])
    expect(all.details).toEqual({
      https: `https://api.example.test/${token}`,
      wss: `wss://api.example.test/ws/${token}`,
      beacon: `https://api.example.test/beacon/${token}`,
      grpc: 'https://api.example.test',
    })
    const jetton = { jetton: 'http://j.example', jetton_v3: 'http://i.example' }
    const index = await createNode('Jetton', { option: 'own-jetton', chain: undefined, upstreams: jetton })
    expect((await call<Node>('GET', nodePath(index.id))).body).toMatchObject({
      details: {
        api_v2: 'https://api.example.test/{token}/api/v2',
        api_v3: 'https://api.example.test/{token}/api/v3',
      },
      upstreams: [
        { protocol: 'jetton', address: 'http://j.example' },
        { protocol: 'jetton_v3', address: 'http://i.example' },
      ],
    })
    const fast = await createNode('Fast', { chain: 'high-throughput' })
    expect((await call<Node>('GET', nodePath(fast.id))).body.details).toEqual({
      https: 'https://api.example.test/{token}/evm',
      wss: 'wss://api.example.test/ws/{token}/evm',
    })
  })

  it.each([
    [{ option: 'c4n4ry' }, { option: ['The deployment option does not exist.'] }],
    [{ chain: undefined }, { chain: [expect.stringContaining('required')] }],
    [{ upstreams: undefined }, { upstreams: [expect.stringContaining('required')] }],
    [
      { option: 'evm', chain: undefined },
      { upstreams: expect.anything(), network: expect.anything() },
    ],
    [{ option: 'own-beacon' }, { chain: ['Must be omitted, or equal the value of the deployment option.'] }],
    [{ upstreams: {} }, { upstreams: ['Must contain the URL of an upstream.'] }],
    [{ upstreams: { jetton: 'http://j.example' } }, { 'upstreams.jetton': [expect.any(String)] }],
    [{ upstreams: { evm: 'c4n4ry' } }, { 'upstreams.evm': [expect.stringContaining('http://')] }],
    [{ upstreams: { evm: 'ws://c4n4ry.example' } }, { 'upstreams.evm': [expect.any(String)] }],
    [{ upstreams: { evm: 'http://a.example#c4n4ry=1' } }, { 'upstreams.evm': [expect.any(String)] }],
    [{ upstreams: { evm: 'http://a.example#ca=/c4n4ry' } }, { 'upstreams.evm': [expect.any(String)] }],
    [
      { upstreams: { evm: 'http://a.example#jwt=/c4n4ry' } },
      { 'upstreams.evm': ['Must not name a file. Only the configuration of the gateway can name files.'] },
    ],
    [
      { upstreams: { evm: 'http://a.example', websocket: 'ws://a.example#jwt=/c4n4ry' } },
      {
        'upstreams.websocket': [
          'Must not name a file. Only the configuration of the gateway can name files.',
        ],
      },
    ],
    [{ upstreams: { evm: 'http://169.254.169.254/c4n4ry' } }, { 'upstreams.evm': [expect.any(String)] }],
    [{ upstreams: { evm: 'http://127.0.0.1:8645/c4n4ry' } }, { 'upstreams.evm': [expect.any(String)] }],
    [{ protocols: ['beacon'] }, { protocols: ['Must name only what there are upstreams for.'] }],
    [{ project: 'PR-c4n4ry' }, { project: ['The project does not exist.'] }],
    [{ name: '' }, { name: [expect.any(String)] }],
  ])('rejects %j', async (change, fields) => {
    const response = await call<ErrorBody>('POST', '/v2/nodes/', inputOf('Refused', change))
    expect([response.status, response.body.error.code]).toEqual([400, 'invalid'])
    expect(response.body.error.fields).toEqual(fields)
    expect(JSON.stringify(response.body)).not.toContain('c4n4ry')
  })

  it('of another organization are not found by any operation', async () => {
    const { db, encryptor } = fixture.store
    const organizationId = await insertOrganization(db, 'Other')
    const owner = { email: 'other@example.test', firstName: 'O', lastName: 'T' }
    const creatorId = await insertOwner(db, organizationId, owner)
    const foreign = { organizationId, creatorId, name: 'P', description: '', type: 'public' } as const
    const projectId = await insertProject(db, foreign)
    const node = { projectId, name: 'n', chain: 'evm', network: 'n', protocols: ['evm'], upstreams: {} }
    const id = await insertNode(db, encryptor, node)
    const credential = await issueNodeCredential(db, { nodeId: id, kind: 'token', origin: 'user' })
    const rule = (await putAccessRule(db, { nodeId: id, kind: 'ip', value: '::1', action: 'deny' })) ?? ''
    const bodies: Readonly<Record<string, object>> = {
      createCredential: { kind: 'token' },
      createAccessRule: { kind: 'ip', value: '::2', action: 'deny' },
    }
    const ofNodes = Object.values<Route>(routes).filter(({ path }) => path.startsWith('/v2/nodes/{id}/'))
    expect(ofNodes.length).toBeGreaterThan(15)
    for (const { operationId, method, path, requestBody } of ofNodes) {
      const url = path
        .replace('{id}', id)
        .replace('{credential_id}', credential.id)
        .replace('{rule_id}', rule)
      const { status } = await call(method, url, requestBody && (bodies[operationId] ?? {}))
      expect([operationId, status]).toEqual([operationId, 404])
    }
    const input = { project: projectId, name: 'n', option: 'evm' }
    expect((await call('POST', '/v2/nodes/', input)).status).toBe(400)
    const { body } = await call<Page<Node>>('GET', `/v2/nodes/?project=${projectId}`)
    expect(body.count).toBe(0)
  })

  it('are updated with a matching version', async () => {
    const { id } = await createNode('Before')
    const path = nodePath(id)
    const changed = await call<Node>(
      'PATCH',
      path,
      { name: 'After', upstreams: { evm: 'http://c.example', beacon: 'http://d.example' } },
      { 'if-match': '"1"' },
    )
    expect(changed).toMatchObject({
      status: 200,
      etag: '"2"',
      body: { name: 'After', protocols: ['evm', 'beacon'] },
    })
    expect((await call('PATCH', path, { name: 'Late' }, { 'if-match': '"1"' })).status).toBe(412)
    expect((await call('DELETE', path, undefined, { 'if-match': '"1"' })).status).toBe(412)
    const rejected = await call<ErrorBody>('PATCH', path, { upstreams: { jetton: 'http://j.example' } })
    expect(rejected.body.error.fields).toEqual({ 'upstreams.jetton': ['Must be omitted for this chain.'] })
  })

  it('are deleted with all their records', async () => {
    const { id, credentials } = await createNode('Deleted')
    const credential = credentials[0]?.id ?? ''
    await call('PUT', nodePath(id, 'limits'), { requests_per_second: 5 })
    await call('PUT', nodePath(id, 'credentials', credential, 'limits'), { requests_per_second: 5 })
    await call('POST', nodePath(id, 'access-rules'), { kind: 'ip', value: '::1', action: 'deny' })
    expect((await call('DELETE', nodePath(id))).status).toBe(204)
    expect((await call('GET', nodePath(id))).status).toBe(404)
    const { db } = fixture.store
    const remaining = await db
      .selectFrom('limits')
      .selectAll()
      .where('owner_id', 'in', [id, credential])
      .execute()
    expect(remaining).toEqual([])
  })

  it('that follow the configuration accept only a new name', async () => {
    const path = nodePath(fixture.first.nodeId)
    expect(await call('PATCH', path, { name: 'Mine' })).toMatchObject({
      status: 200,
      body: { name: 'Mine', managed_by: 'configuration' },
    })
    for (const body of [
      { network: 'n' },
      { beacon_debug: false },
      { upstreams: { evm: 'http://a.example' } },
    ]) {
      expect((await call('PATCH', path, body)).status).toBe(409)
    }
    expect((await call('DELETE', path)).status).toBe(409)
  })

  it('are listed with filters, ordering and pages', async () => {
    const list = async (query: string) => (await call<Page<Node>>('GET', `/v2/nodes/?${query}`)).body
    const { body: other } = await call<{ id: string }>('POST', '/v2/projects/', { name: 'Listed' })
    for (const name of ['beta', 'Alpha', 'gamma', 'alpha', 'Ünder'])
      await createNode(name, { project: other.id })
    await createNode('test', { project: other.id, network: 'hoodi' })
    const names = async (query: string) =>
      (await list(`project=${other.id}&${query}`)).results.map(({ name }) => name)
    expect(await names('order_by=name')).toEqual(['Alpha', 'alpha', 'beta', 'gamma', 'test', 'Ünder'])
    expect(await names('order_by=-name&page_size=2&page=2')).toEqual(['gamma', 'beta'])
    expect(await names('')).toEqual(['test', 'Ünder', 'alpha', 'gamma', 'Alpha', 'beta'])
    expect(await names('network=hoodi')).toEqual(['test'])
    expect(await names('name=alpha')).toEqual(['alpha'])
    expect(await names('chain=solana')).toEqual([])
    expect((await list('project=PR-none')).count).toBe(0)
    const page = await list(`project=${other.id}&page_size=4`)
    expect([page.count, page.results.length, page.next]).toEqual([
      6,
      4,
      `https://api.example.test/v2/nodes/?page=2&page_size=4&project=${other.id}`,
    ])
  })

  it('return their upstreams, with unknown health before the first call', async () => {
    const { id } = await createNode('Watched', {
      upstreams: { evm: 'http://a.example/c4n4ry http://b.example#cordoned', websocket: 'ws://a.example' },
    })
    const { body } = await call<Page<object>>('GET', nodePath(id, 'upstreams'))
    const unknown = { state: 'unknown', head: null, lag: null, latency_ms: null, error_rate: null }
    expect(body.results).toEqual([
      { protocol: 'evm', address: 'http://a.example', ...unknown, in_use: true },
      { protocol: 'evm', address: 'http://b.example', ...unknown, in_use: false },
      { protocol: 'websocket', address: 'ws://a.example', ...unknown, in_use: true },
    ])
  })
})
