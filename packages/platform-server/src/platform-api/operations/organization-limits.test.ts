import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { issueApiKey } from '../../records/api-keys.ts'
import { countRecords } from '../../records/count-records.ts'
import { type RecordLimits, defaultOrganizationLimits } from '../../records/organization-limits.ts'
import { rejection } from '../../testing/browser.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'
import { type RateLimits, createRateLimits } from '../rate-limits.ts'

const reached = [409, 'limit_reached']

describe.each(backends)('the limits of an organization on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  const limits = { ...defaultOrganizationLimits }
  let rates: RateLimits
  let count = 0
  let [otherProject, otherNode] = ['', '']
  beforeAll(async () => {
    database = await create()
    const shared: RateLimits = { take: (policy, caller) => rates.take(policy, caller) }
    fixture = await platformFixture(database, { organizationLimits: limits, limits: shared })
    rates = createRateLimits()
    otherProject = (await post('/v2/projects/', { name: 'Other' })).json<{ id: string }>().id
    otherNode = (await createNode()).json<{ id: string }>().id
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })
  beforeEach(() => {
    Object.assign(limits, defaultOrganizationLimits)
    rates = createRateLimits()
  })

  const post = (url: string, payload: object) => fixture.call(url, { method: 'POST', payload })
  const credentials = () => `/v2/nodes/${fixture.first.nodeId}/credentials/`
  const createNode = (project = fixture.first.projectId) =>
    post('/v2/nodes/', {
      project,
      name: 'Node',
      chain: 'ethereum',
      network: 'mainnet',
      upstreams: { evm: 'https://192.0.2.1/' },
    })
  // Requests at the same time are for different parents, because the lock of a parent alone would serialize them.
  const creations: Readonly<Record<keyof RecordLimits, (at: number) => ReturnType<typeof post>>> = {
    maxMembersPerOrganization: () =>
      post('/v1/organization/invitations/', { email: `i${count++}@breakwater.test`, role: 'viewer' }),
    maxApiKeysPerOrganization: () => post('/v1/api-keys/', { name: 'k', scopes: ['org:read'] }),
    maxProjectsPerOrganization: () => post('/v2/projects/', { name: 'Project' }),
    maxNodesPerOrganization: (at) => createNode(at % 2 === 0 ? otherProject : undefined),
    maxCredentialsPerOrganization: (at) =>
      post(at % 2 === 0 ? `/v2/nodes/${otherNode}/credentials/` : credentials(), { kind: 'token' }),
    maxCredentialsPerNode: () => post(credentials(), { kind: 'token' }),
    maxWebhooksPerOrganization: () =>
      post('/v2/webhooks/', { url: 'https://hooks.example.com/', events: ['quota.warning'] }),
  }
  const names = Object.keys(creations) as (keyof RecordLimits)[]
  const current = (name: keyof RecordLimits) => {
    const { organizationId, nodeId } = fixture.first
    return countRecords(fixture.store.db, name, { organizationId, nodeId })
  }

  it.each(names)('concurrent requests do not exceed %s together', async (name) => {
    const before = await current(name)
    limits[name] = before + 3
    const responses = await Promise.all(Array.from({ length: 8 }, (_, at) => creations[name](at)))
    const rejected = responses.filter(({ statusCode }) => statusCode !== 201)
    expect(rejected.map(rejection)).toEqual(Array.from({ length: 5 }, () => reached))
    expect(await current(name)).toBe(before + 3)
    const { message } = rejected[0]?.json<{ error: { message: string } }>().error ?? {}
    expect(message).toContain(`at most ${before + 3}`)
    expect(message).toContain(name)
  })

  it('count neither revoked nor expired credentials, until these are valid again', async () => {
    const created = await post(credentials(), { kind: 'token' })
    const { id } = created.json<{ id: string }>()
    const path = `${credentials()}${id}/`
    limits.maxCredentialsPerNode = await current('maxCredentialsPerNode')
    expect(rejection(await post(credentials(), { kind: 'token' }))).toEqual(reached)
    await sql`
      update node_credentials set expires_at = clock_timestamp() - interval '1 second' where id = ${id}`.execute(
      fixture.store.db,
    )
    const next = await post(credentials(), { kind: 'token' })
    expect(next.statusCode).toBe(201)
    const revive = () => fixture.call(path, { method: 'PATCH', payload: { expires_at: null } })
    expect(rejection(await revive())).toEqual(reached)
    expect((await fixture.call(path, { method: 'PATCH', payload: { label: 'Old' } })).statusCode).toBe(200)
    const revoked = `${credentials()}${next.json<{ id: string }>().id}/`
    expect((await fixture.call(revoked, { method: 'DELETE' })).statusCode).toBe(204)
    expect((await revive()).statusCode).toBe(200)
  })

  it('count both secrets of a rotation while they overlap', async () => {
    const { id } = (await post(credentials(), { kind: 'token' })).json<{ id: string }>()
    limits.maxCredentialsPerOrganization = await current('maxCredentialsPerOrganization')
    const rotate = (overlap: number) => post(`${credentials()}${id}/rotate/`, { overlap_seconds: overlap })
    expect(rejection(await rotate(60))).toEqual(reached)
    expect((await rotate(0)).statusCode).toBe(201)
    const key = (await post('/v1/api-keys/', { name: 'k', scopes: ['org:read'] })).json<{ id: string }>()
    limits.maxApiKeysPerOrganization = await current('maxApiKeysPerOrganization')
    const rotateKey = (overlap: number) =>
      post(`/v1/api-keys/${key.id}/rotate/`, { overlap_seconds: overlap })
    expect(rejection(await rotateKey(60))).toEqual(reached)
    expect((await rotateKey(0)).statusCode).toBe(201)
    expect(await current('maxApiKeysPerOrganization')).toBe(limits.maxApiKeysPerOrganization)
    await sql`
      update api_keys set expires_at = clock_timestamp() - interval '1 second' where id = ${key.id}`.execute(
      fixture.store.db,
    )
    expect((await post('/v1/api-keys/', { name: 'k', scopes: ['org:read'] })).statusCode).toBe(201)
    const revived = await fixture.call(`/v1/api-keys/${key.id}/`, {
      method: 'PATCH',
      payload: { expires_at: null },
    })
    expect(rejection(revived)).toEqual(reached)
  })

  it('count the credentials of a new node, which is not created without them', async () => {
    limits.maxCredentialsPerOrganization = (await current('maxCredentialsPerOrganization')) + 1
    const nodes = await current('maxNodesPerOrganization')
    expect(rejection(await createNode())).toEqual(reached)
    expect(await current('maxNodesPerOrganization')).toBe(nodes)
  })

  it('leave existing records above a lower limit valid', async () => {
    const { id } = (await post('/v2/projects/', { name: 'Project' })).json<{ id: string }>()
    limits.maxProjectsPerOrganization = 1
    const renamed = await fixture.call(`/v2/projects/${id}/`, { method: 'PATCH', payload: { name: 'Other' } })
    expect(renamed.statusCode).toBe(200)
    expect((await fixture.call(`/v2/projects/${id}/`, { method: 'DELETE' })).statusCode).toBe(204)
  })

  it('include the rate of new credentials and keys, of all callers together', async () => {
    limits.maxNewCredentialsPerMinute = 4
    const { organizationId } = fixture.first
    const { id: creatorId } = await fixture.store.db
      .selectFrom('users')
      .select('id')
      .executeTakeFirstOrThrow()
    const scopes = ['credentials:write', 'nodes:read'] as const
    const options = { organizationId, creatorId, name: 'k', scopes, origin: 'user' } as const
    const other = await issueApiKey(fixture.store.db, options)
    const withOther = () =>
      fixture.call(credentials(), {
        method: 'POST',
        payload: { kind: 'token' },
        headers: { authorization: `Bearer ${other.key}` },
      })
    const { id } = (await post(credentials(), { kind: 'token' })).json<{ id: string }>()
    const allowed = [
      await post(`${credentials()}${id}/rotate/`, {}),
      await post('/v1/api-keys/', { name: 'k', scopes: ['org:read'] }),
      await withOther(),
    ]
    expect(allowed.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201])
    for (const rejected of [await withOther(), await createNode()]) {
      expect(rejection(rejected)).toEqual([429, 'throttled'])
      expect(rejected.headers).toMatchObject({
        'ratelimit-policy': '"credentials";q=4;w=60',
        'retry-after': expect.stringMatching(/^\d+$/),
      })
    }
    expect((await fixture.call(credentials())).statusCode).toBe(200)
    limits.maxNewCredentialsPerMinute = 5
    expect((await withOther()).statusCode).toBe(201)
  })
})
