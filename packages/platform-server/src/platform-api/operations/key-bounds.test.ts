import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '../../identity/role.ts'
import { type Scope, allScopes, scopesOfRole } from '../../identity/scopes.ts'
import { issueApiKey } from '../../records/api-keys.ts'
import { type Browser, member, rejection, setUserPassword, signIn } from '../../testing/browser.ts'
import { type PlatformFixture, type TestRequest, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'

const invitations = '/v1/organization/invitations/'
const members = '/v1/organization/members/'
const denied = [403, 'permission_denied']
const missing = [404, 'not_found']
const hour = 3_600_000
const givenRoles: readonly Role[] = ['viewer', 'editor', 'admin']

describe.each(backends)('what an API key creates or changes on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let owner: Browser
  let adminId: string
  let count = 0
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
    const user = await fixture.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    await setUserPassword(fixture, user.id)
    owner = await signIn(fixture, 'owner@fairlead.invalid')
    adminId = await member(fixture, 'admin@breakwater.test', 'admin')
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  /** Issues a key and returns its id with a function that sends requests as its holder. */
  async function keyWith(
    scopes: readonly Scope[],
    { expiresAt, creatorId = owner.session.user.id }: { expiresAt?: string; creatorId?: string } = {},
  ) {
    const { organizationId } = fixture.first
    const options = { organizationId, creatorId, name: 'k', scopes, expiresAt, origin: 'user' } as const
    const { id, key } = await issueApiKey(fixture.store.db, options)
    const call = (url: string, method = 'GET', payload?: object) => {
      const request: TestRequest = { method, ...(payload && { payload }) }
      return fixture.anonymous(url, { ...request, headers: { authorization: `Bearer ${key}` } })
    }
    return { id, call }
  }
  const newEmail = () => `k${count++}@breakwater.test`
  const endOf = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()
  const accept = (token: string) =>
    fixture.anonymous('/v1/invitations/accept/', {
      method: 'POST',
      payload: { token, password: 'seven bells at noon', first_name: 'Tomas', last_name: 'Berg' },
    })
  const roleOf = async (id: string) => (await owner.call(`${members}${id}/`)).json<{ role: string }>().role

  const memberScopes: readonly Scope[] = ['members:read', 'members:write']
  const viewerScopes = [...new Set([...memberScopes, ...scopesOfRole.viewer])]
  const editorScopes = [...new Set([...memberScopes, ...scopesOfRole.editor])]
  const cases: readonly { name: string; scopes: readonly Scope[]; may: readonly Role[] }[] = [
    { name: 'members:write', scopes: memberScopes, may: [] },
    { name: 'the scopes of a viewer', scopes: viewerScopes, may: ['viewer'] },
    { name: 'the scopes of an editor', scopes: editorScopes, may: ['viewer', 'editor'] },
    { name: 'all scopes', scopes: allScopes, may: ['viewer', 'editor', 'admin'] },
  ]

  describe.each(cases)('with $name', ({ scopes, may }) => {
    it.each(givenRoles)('gives the role %s by an invitation if it has its scopes', async (role) => {
      const { call } = await keyWith(scopes)
      const response = await call(invitations, 'POST', { email: newEmail(), role })
      if (may.includes(role)) expect(response.statusCode).toBe(201)
      else expect(rejection(response)).toEqual(denied)
    })

    it.each(givenRoles)('gives the role %s to a member if it has its scopes', async (role) => {
      const { call } = await keyWith(scopes)
      const former = role === 'viewer' ? 'editor' : 'viewer'
      const id = await member(fixture, newEmail(), former)
      const response = await call(`${members}${id}/`, 'PATCH', { role })
      if (!may.includes(role)) expect(rejection(response)).toEqual(denied)
      expect(await roleOf(id)).toBe(may.includes(role) ? role : former)
      // Enabling a member gives the role again.
      const disabled = await member(fixture, newEmail(), role)
      await owner.call(`${members}${disabled}/`, { method: 'PATCH', payload: { disabled: true } })
      const enabled = await call(`${members}${disabled}/`, 'PATCH', { disabled: false })
      expect(enabled.statusCode).toBe(may.includes(role) ? 200 : 403)
    })
  })

  it('names the scopes that are missing, and still takes permissions away', async () => {
    const { call } = await keyWith(memberScopes)
    const response = await call(invitations, 'POST', { email: newEmail(), role: 'viewer' })
    expect(response.json<{ error: { message: string } }>().error.message).toBe(
      'A key cannot give the role viewer, because it lacks scopes of this role: org:read, projects:read, nodes:read, credentials:read, usage:read.',
    )
    const id = await member(fixture, newEmail(), 'editor')
    expect((await call(`${members}${id}/`, 'PATCH', { role: 'editor', first_name: 'Vi' })).statusCode).toBe(
      200,
    )
    expect((await call(`${members}${id}/`, 'PATCH', { disabled: true })).statusCode).toBe(200)
    expect((await call(`${members}${id}/`, 'DELETE')).statusCode).toBe(204)
  })

  describe('ends with the key: an invitation', () => {
    const db = () => fixture.store.db
    const expired = () => sql<string>`clock_timestamp() - interval '1 second'`
    const invited = async (key: Awaited<ReturnType<typeof keyWith>>) => {
      const email = newEmail()
      const response = await key.call(invitations, 'POST', { email, role: 'editor' })
      expect(response.statusCode).toBe(201)
      return { email, ...response.json<{ id: string; token: string; expires_at: string }>() }
    }

    it('can be accepted while the key is valid', async () => {
      const { token } = await invited(await keyWith(allScopes))
      expect((await accept(token)).statusCode).toBe(201)
    })

    it.each([
      [
        'has expired',
        (id: string) =>
          db().updateTable('api_keys').set({ expires_at: expired() }).where('id', '=', id).execute(),
      ],
      [
        'is given an expiry',
        (id: string) =>
          owner.call(`/v1/api-keys/${id}/`, { method: 'PATCH', payload: { expires_at: endOf(hour) } }),
      ],
      ['is revoked', (id: string) => owner.call(`/v1/api-keys/${id}/`, { method: 'DELETE' })],
      [
        'lacks scopes of the role',
        (id: string) =>
          owner.call(`/v1/api-keys/${id}/`, { method: 'PATCH', payload: { scopes: memberScopes } }),
      ],
      [
        'has a disabled creator',
        () => owner.call(`${members}${adminId}/`, { method: 'PATCH', payload: { disabled: true } }),
      ],
      [
        'has a creator who became a viewer',
        () =>
          owner.call(`${members}${adminId}/`, {
            method: 'PATCH',
            payload: { disabled: false, role: 'viewer' },
          }),
      ],
    ])('cannot be accepted when the key %s', async (_, end) => {
      await owner.call(`${members}${adminId}/`, {
        method: 'PATCH',
        payload: { disabled: false, role: 'admin' },
      })
      const key = await keyWith(allScopes, { creatorId: adminId })
      const { id, email, token } = await invited(key)
      expect((await owner.call(invitations)).body).toContain(id)
      await end(key.id)
      expect(rejection(await accept(token))).toEqual(missing)
      expect((await owner.call(invitations)).body).not.toContain(id)
      // The address can be invited again.
      const again = await owner.call(invitations, { method: 'POST', payload: { email, role: 'viewer' } })
      expect(again.statusCode).toBe(201)
    })
  })

  describe('that expires', () => {
    const expiring = () => keyWith(allScopes, { expiresAt: endOf(hour) })
    const change = (id: string, payload: object) =>
      owner.call(`${members}${id}/`, { method: 'PATCH', payload })
    const messageOf = (response: LightMyRequestResponse) =>
      response.json<{ error: { message: string } }>().error.message

    it.each<{ name: string; role: Role; disabled?: true; payload: object; given: Role }>([
      { name: 'a higher role', role: 'viewer', payload: { role: 'editor' }, given: 'editor' },
      { name: 'the role of an admin', role: 'editor', payload: { role: 'admin' }, given: 'admin' },
      { name: 'access again', role: 'viewer', disabled: true, payload: { disabled: false }, given: 'viewer' },
      {
        name: 'access again with a lower role',
        role: 'editor',
        disabled: true,
        payload: { disabled: false, role: 'viewer' },
        given: 'viewer',
      },
      {
        name: 'a higher role while disabled',
        role: 'viewer',
        disabled: true,
        payload: { role: 'editor' },
        given: 'editor',
      },
    ])('gives a member no $name', async ({ role, disabled, payload, given }) => {
      const id = await member(fixture, newEmail(), role)
      if (disabled) await change(id, { disabled })
      const before = (await owner.call(`${members}${id}/`)).json()
      const response = await (await expiring()).call(`${members}${id}/`, 'PATCH', payload)
      expect(rejection(response)).toEqual(denied)
      expect(messageOf(response)).toBe(
        `A key that expires cannot give the role ${given}, because a membership has no end. Use a session or a key without expiry.`,
      )
      expect((await owner.call(`${members}${id}/`)).json()).toEqual(before)
      expect((await change(id, payload)).statusCode).toBe(200)
    })

    it.each(givenRoles)('invites no member with the role %s', async (role) => {
      const { call } = await expiring()
      const response = await call(invitations, 'POST', { email: newEmail(), role })
      expect(rejection(response)).toEqual(denied)
      expect(messageOf(response)).toContain(`cannot give the role ${role}, because a membership has no end`)
    })

    it('lowers the role of a member, disables and removes the member', async () => {
      const { call } = await expiring()
      const id = await member(fixture, newEmail(), 'admin')
      for (const payload of [{ role: 'editor' }, { disabled: true }, { role: 'viewer' }]) {
        expect((await call(`${members}${id}/`, 'PATCH', payload)).json()).toMatchObject(payload)
      }
      expect((await call(`${members}${id}/`, 'DELETE')).statusCode).toBe(204)
    })

    it('adds scopes only to keys that expire no later', async () => {
      const end = endOf(hour)
      const { call } = await keyWith(allScopes, { expiresAt: end })
      const add = { scopes: ['org:read', 'nodes:read'] }
      for (const expiresAt of [undefined, endOf(2 * hour)]) {
        const { id } = await keyWith(['org:read', 'usage:read'], expiresAt === undefined ? {} : { expiresAt })
        const response = await call(`/v1/api-keys/${id}/`, 'PATCH', add)
        expect(rejection(response)).toEqual(denied)
        expect(messageOf(response)).toBe(
          'A key that expires cannot add scopes to a key that expires later or never. Use a session or a key without expiry.',
        )
        // Scopes can be removed, and added together with an earlier expiry.
        expect((await call(`/v1/api-keys/${id}/`, 'PATCH', { scopes: ['org:read'] })).statusCode).toBe(200)
        const bounded = await call(`/v1/api-keys/${id}/`, 'PATCH', { ...add, expires_at: end })
        expect(bounded.json()).toMatchObject(add)
      }
    })

    it('is shown only secrets of credentials that expire no later', async () => {
      const end = endOf(hour)
      const { call } = await keyWith(allScopes, { expiresAt: end })
      const credentials = `/v2/nodes/${fixture.first.nodeId}/credentials/`
      for (const expiresAt of [null, endOf(2 * hour), end]) {
        const payload = { kind: 'token', expires_at: expiresAt }
        const { id } = (await owner.call(credentials, { method: 'POST', payload })).json<{ id: string }>()
        const response = await call(`${credentials}${id}/reveal/`, 'POST')
        if (expiresAt === end) expect(response.statusCode).toBe(200)
        else expect(rejection(response)).toEqual(denied)
      }
    })
  })

  it('ends with the key: credentials', async () => {
    const end = endOf(hour)
    const { call } = await keyWith(allScopes, { expiresAt: end })
    const credentials = `/v2/nodes/${fixture.first.nodeId}/credentials/`
    for (const expiresAt of [undefined, null, endOf(2 * hour)]) {
      const response = await call(credentials, 'POST', {
        kind: 'token',
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
      })
      expect(rejection(response)).toEqual([400, 'invalid'])
      expect(response.json()).toMatchObject({ error: { fields: { expires_at: [expect.any(String)] } } })
    }
    const created = await call(credentials, 'POST', { kind: 'token', expires_at: end })
    expect(created.statusCode).toBe(201)
    const { id } = created.json<{ id: string }>()
    for (const expiresAt of [null, endOf(2 * hour)]) {
      const changed = await call(`${credentials}${id}/`, 'PATCH', { expires_at: expiresAt })
      expect(rejection(changed)).toEqual([400, 'invalid'])
    }
    expect((await call(`${credentials}${id}/rotate/`, 'POST', {})).statusCode).toBe(201)
    const permanent = await owner.call(credentials, { method: 'POST', payload: { kind: 'token' } })
    expect(permanent.statusCode).toBe(201)
    const rotation = `${credentials}${permanent.json<{ id: string }>().id}/rotate/`
    expect(rejection(await call(rotation, 'POST', {}))).toEqual(denied)
    const node = await call('/v2/nodes/', 'POST', {
      project: fixture.first.projectId,
      name: 'Short',
      chain: 'ethereum',
      network: 'mainnet',
      upstreams: { evm: 'https://192.0.2.1/' },
    })
    expect(node.statusCode).toBe(201)
    const ends = node
      .json<{ credentials: { expires_at: string }[] }>()
      .credentials.map((each) => each.expires_at)
    expect(ends).not.toHaveLength(0)
    expect(new Set(ends.map((each) => Date.parse(each)))).toEqual(new Set([Date.parse(end)]))
  })

  describe('excludes', () => {
    const changes: readonly (readonly [string, object])[] = [
      ['the transfer of the ownership', { role: 'owner' }],
      ['the e-mail address of a member', { email: 'taken.over@breakwater.test' }],
    ]

    it.each(changes)('%s, which needs a recent sign-in', async (_, payload) => {
      const id = await member(fixture, newEmail(), 'editor')
      const url = `${members}${id}/`
      const before = (await owner.call(url)).json()
      const byKey = await (await keyWith(allScopes)).call(url, 'PATCH', payload)
      expect(rejection(byKey)).toEqual(denied)
      expect(byKey.json<{ error: { message: string } }>().error.message).toMatch(/^API keys cannot .*Sign in/)
      const age = (minutes: number) =>
        fixture.store.db
          .updateTable('sessions')
          .set({ authenticated_at: sql<string>`clock_timestamp() - make_interval(mins => ${minutes})` })
          .where('id', '=', owner.session.id)
          .execute()
      await age(6)
      const byOldSession = await owner.call(url, { method: 'PATCH', payload })
      expect(rejection(byOldSession)).toEqual([403, 'recent_sign_in_required'])
      expect(byOldSession.json<{ error: { message: string } }>().error.message).toContain('5 minutes')
      expect((await owner.call(url)).json()).toEqual(before)
      await age(4)
      expect((await owner.call(url, { method: 'PATCH', payload })).json()).toMatchObject(payload)
    })
  })
})
