import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allScopes } from '../../identity/scopes.ts'
import { issueApiKey } from '../../records/api-keys.ts'
import { insertOrganization, insertOwner } from '../../records/organizations.ts'
import { type Browser, setUserPassword, member, rejection, signIn } from '../../testing/browser.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'
import type { Success } from '../platform-call.ts'

type Created = Success<'createApiKey'>
const list = '/v1/api-keys/'
const denied = [403, 'permission_denied']
const missing = [404, 'not_found']

describe.each(backends)('API keys on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let owner: Browser
  let admin: Browser
  let editor: Browser
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
    const user = await fixture.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    await setUserPassword(fixture, user.id)
    await member(fixture, 'admin@breakwater.test', 'admin')
    await member(fixture, 'editor@breakwater.test', 'editor')
    owner = await signIn(fixture, 'owner@fairlead.invalid')
    admin = await signIn(fixture, 'admin@breakwater.test')
    editor = await signIn(fixture, 'editor@breakwater.test')
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const post = (by: Browser, payload: object) => by.call(list, { method: 'POST', payload })
  const createKey = async (
    by: Browser,
    scopes: readonly string[] = ['projects:read'],
    options: object = {},
  ) => (await post(by, { name: 'made', scopes, ...options })).json<Created>()
  const requestKey = (by: Browser, id: string, method = 'GET', payload?: object, headers = {}) =>
    by.call(`${list}${id}/`, { method, headers, ...(payload && { payload }) })
  const rotate = (by: Browser, id: string, payload: object = {}, headers = {}) =>
    by.call(`${list}${id}/rotate/`, { method: 'POST', payload, headers })
  const use = (key: string, url = '/v2/projects/', request: object = {}) =>
    fixture.anonymous(url, { ...request, headers: { authorization: `Bearer ${key}` } })
  const status = async (key: string) => (await use(key)).statusCode

  it('that expire cannot give any key a later expiry, including themselves', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString()
    const later = new Date(Date.now() + 7_200_000).toISOString()
    const { id, key } = await createKey(owner, ['keys:read', 'keys:write'], { expires_at: end })
    const createAs = (expiresAt: string | null | undefined) =>
      use(key, list, {
        method: 'POST',
        payload: {
          name: 'made',
          scopes: ['keys:read'],
          ...(expiresAt !== undefined && { expires_at: expiresAt }),
        },
      })
    for (const expiresAt of [undefined, null, later]) {
      const response = await createAs(expiresAt)
      expect(rejection(response)).toMatchObject([400, 'invalid'])
      expect(response.json()).toMatchObject({ error: { fields: { expires_at: [expect.any(String)] } } })
    }
    expect((await createAs(end)).statusCode).toBe(201)
    for (const expiresAt of [null, later]) {
      const changed = await use(key, `${list}${id}/`, { method: 'PATCH', payload: { expires_at: expiresAt } })
      expect(changed.statusCode).toBe(400)
    }
    const permanent = await createKey(owner, ['keys:read'])
    const rotation = { method: 'POST', payload: {} }
    expect(rejection(await use(key, `${list}${permanent.id}/rotate/`, rotation))).toEqual(denied)
    expect((await use(key, `${list}${id}/rotate/`, rotation)).statusCode).toBe(201)
  })

  it('are returned in plain text once, and grant their scopes', async () => {
    const response = await post(editor, {
      name: 'Reports',
      scopes: ['projects:read', 'usage:read'],
      expires_at: '2099-03-09T00:00:00Z',
    })
    expect([response.statusCode, response.headers['etag']]).toEqual([201, '"1"'])
    const { key, ...shown } = response.json<Created>()
    expect(shown).toMatchObject({
      name: 'Reports',
      scopes: ['projects:read', 'usage:read'],
      creator: { id: editor.session.user.id, email: 'editor@breakwater.test' },
      expires_at: '2099-03-09T00:00:00.000000Z',
      last_used_at: null,
      revoked_at: null,
      state: 'active',
      secrets: [{ prefix: key.slice(0, 8), expires_at: null, last_used_at: null }],
    })
    expect(await status(key)).toBe(200)
    expect((await use(key, '/v1/organization/')).statusCode).toBe(403)
    const secondRead = await requestKey(editor, shown.id)
    expect(secondRead.body).not.toContain(key.slice(9))
    expect((await editor.call(list)).body).not.toContain(key.slice(9))
    await expect
      .poll(async () => (await requestKey(editor, shown.id)).json<Created>(), { timeout: 50_000 })
      .toMatchObject({
        last_used_ip: '127.0.0.1',
        last_used_at: expect.stringMatching(/:00\.000000Z$/),
        secrets: [{ last_used_at: expect.stringMatching(/:00\.000000Z$/) }],
      })
  })

  it.each([
    [{ scopes: ['projects:read'] }, 'name'],
    [{ name: 'x' }, 'scopes'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['everything'] }, 'scopes.0'],
    [{ name: 'x', scopes: ['org:read', 'org:read'] }, 'scopes'],
    [{ name: 'x', scopes: ['org:read'], expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', scopes: ['org:read'], expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: 'x', scopes: ['org:read'], expires_at: '2099-02-30T00:00:00Z' }, 'expires_at'],
    [{ name: 'a\0b', scopes: ['org:read'] }, 'name'],
  ])('are not created from %j', async (payload, field) => {
    const response = await post(owner, payload)
    expect(response.statusCode).toBe(400)
    expect(Object.keys(response.json<{ error: { fields: object } }>().error.fields)).toEqual([field])
  })

  it('never have a scope that their creator lacks', async () => {
    expect(rejection(await post(editor, { name: 'x', scopes: ['audit:read'] }))).toEqual(denied)
    const narrow = await createKey(owner, ['keys:write', 'keys:read', 'org:read'])
    const by = { method: 'POST', payload: { name: 'wide', scopes: ['org:read', 'org:write'] } }
    expect(rejection(await use(narrow.key, list, by))).toEqual(denied)
    const { id, key } = await createKey(owner, [...allScopes])
    // A key that may change keys cannot rotate a key with more scopes either.
    const rotation = { method: 'POST', payload: {} }
    expect(rejection(await use(narrow.key, `${list}${id}/rotate/`, rotation))).toEqual(denied)
    const widening = { method: 'PATCH', payload: { scopes: ['org:read', 'nodes:write'] } }
    expect(rejection(await use(narrow.key, `${list}${narrow.id}/`, widening))).toEqual(denied)
    expect(await status(key)).toBe(200)
  })

  it('of others are visible to the owner and admins only, and those of the owner are changed by the owner only', async () => {
    const ofOwner = await createKey(owner)
    const ofAdmin = await createKey(admin)
    const ofEditor = await createKey(editor)
    const seen = async (by: Browser) =>
      (await by.call(list)).json<{ results: Created[] }>().results.map(({ id }) => id)
    for (const by of [owner, admin]) {
      expect(await seen(by)).toEqual(expect.arrayContaining([ofOwner.id, ofAdmin.id, ofEditor.id]))
    }
    expect(await seen(editor)).toContain(ofEditor.id)
    expect(await seen(editor)).not.toContain(ofAdmin.id)
    for (const { id } of [ofOwner, ofAdmin]) {
      expect(rejection(await requestKey(editor, id))).toEqual(missing)
      expect(rejection(await requestKey(editor, id, 'PATCH', { name: 'mine' }))).toEqual(missing)
      expect(rejection(await requestKey(editor, id, 'DELETE'))).toEqual(missing)
      expect(rejection(await rotate(editor, id))).toEqual(missing)
    }
    expect(rejection(await requestKey(admin, ofOwner.id, 'PATCH', { name: 'mine' }))).toEqual(denied)
    expect(rejection(await requestKey(admin, ofOwner.id, 'DELETE'))).toEqual(denied)
    expect(rejection(await rotate(admin, ofOwner.id))).toEqual(denied)
    expect((await requestKey(admin, ofEditor.id, 'DELETE')).statusCode).toBe(204)
    expect(await status(ofOwner.key)).toBe(200)
  })

  it('of another organization are not found', async () => {
    const { db } = fixture.store
    const organizationId = await insertOrganization(db, 'Other')
    const user = { email: 'other@other.test', firstName: 'F', lastName: 'O' }
    const creatorId = await insertOwner(db, organizationId, user)
    const foreign = { organizationId, creatorId, name: 'k', scopes: allScopes, origin: 'user' } as const
    const { id } = await issueApiKey(db, foreign)
    expect((await owner.call(list)).body).not.toContain(id)
    expect(rejection(await requestKey(owner, id))).toEqual(missing)
    expect(rejection(await requestKey(owner, id, 'DELETE'))).toEqual(missing)
    expect(rejection(await rotate(owner, id))).toEqual(missing)
  })

  it('are updated with a matching version', async () => {
    const { id, key } = await createKey(owner, ['projects:read', 'nodes:read'])
    const change = { name: 'Renamed', scopes: ['nodes:read'], expires_at: '2099-01-01T00:00:00+02:00' }
    const first = await requestKey(owner, id, 'PATCH', change, { 'if-match': '"1"' })
    expect([first.statusCode, first.headers['etag']]).toEqual([200, '"2"'])
    expect(first.json()).toMatchObject({ ...change, expires_at: '2098-12-31T22:00:00.000000Z' })
    expect(await status(key)).toBe(403)
    const conflict = await requestKey(owner, id, 'PATCH', { name: 'x' }, { 'if-match': '"1"' })
    expect(rejection(conflict)).toEqual([412, 'precondition_failed'])
    expect((await requestKey(owner, id, 'PATCH', { expires_at: null })).json()).toMatchObject({
      name: 'Renamed',
      expires_at: null,
    })
    const log = await owner.call(`/v2/audit-log/?object_id=${id}&action=api_key.update`)
    expect(log.json<{ results: object[] }>().results[1]).toMatchObject({
      changes: {
        name: { before: 'made', after: 'Renamed' },
        scopes: { before: ['projects:read', 'nodes:read'], after: ['nodes:read'] },
        expires_at: { before: null, after: '2098-12-31T22:00:00.000000Z' },
      },
    })
  })

  it('are rotated with an overlap during which the old secret stays valid', async () => {
    const { id, key } = await createKey(owner)
    expect(rejection(await rotate(owner, id, {}, { 'if-match': '"7"' }))).toEqual([
      412,
      'precondition_failed',
    ])
    expect(await status(key)).toBe(200)
    const response = await rotate(owner, id, { overlap_seconds: 60 }, { 'if-match': '"1"' })
    expect([response.statusCode, response.headers['etag']]).toEqual([201, '"2"'])
    const rotated = response.json<Created>()
    expect(rotated.key).not.toBe(key)
    const [fresh, old] = rotated.secrets
    expect(rotated.secrets).toHaveLength(2)
    expect(fresh).toMatchObject({ prefix: rotated.key.slice(0, 8), expires_at: null })
    const remainingMs = Date.parse(old?.expires_at ?? '') - Date.now()
    expect(Math.abs(remainingMs - 60_000)).toBeLessThan(30_000)
    expect([await status(key), await status(rotated.key)]).toEqual([200, 200])
    // A later rotation never extends the lifetime of a secret.
    await rotate(owner, id, { overlap_seconds: 86_400 })
    const after = (await requestKey(owner, id)).json<Created>()
    expect(after.secrets.find(({ prefix }) => prefix === old?.prefix)?.expires_at).toBe(old?.expires_at)
    await fixture.store.db
      .updateTable('api_key_secrets')
      .set({ expires_at: sql<string>`clock_timestamp() - interval '1 second'` })
      .where('prefix', '=', old?.prefix ?? '')
      .execute()
    expect([await status(key), await status(rotated.key)]).toEqual([401, 200])
    const last = (await rotate(owner, id, { overlap_seconds: 0 })).json<Created>()
    expect(last.secrets).toHaveLength(1)
    expect([await status(rotated.key), await status(last.key)]).toEqual([401, 200])
    for (const overlap_seconds of [-1, 86_401, 1.5, '60']) {
      expect((await rotate(owner, id, { overlap_seconds })).statusCode).toBe(400)
    }
    const log = await owner.call(`/v2/audit-log/?object_id=${id}&action=api_key.rotate`)
    expect(log.json()).toMatchObject({ count: 3 })
    expect(log.body).not.toContain(rotated.key.slice(9))
  })

  it('are revoked immediately with all secrets, and stay in the list', async () => {
    const { id, key } = await createKey(owner)
    const rotated = (await rotate(owner, id)).json<Created>()
    expect((await requestKey(owner, id, 'DELETE')).statusCode).toBe(204)
    expect([await status(key), await status(rotated.key)]).toEqual([401, 401])
    expect((await requestKey(owner, id, 'DELETE')).statusCode).toBe(204)
    expect((await requestKey(owner, id)).json()).toMatchObject({
      state: 'revoked',
      revoked_at: expect.stringMatching(/Z$/),
    })
    expect(rejection(await requestKey(owner, id, 'PATCH', { name: 'x' }))).toEqual([409, 'conflict'])
    expect(rejection(await rotate(owner, id))).toEqual([409, 'conflict'])
    const log = await owner.call(`/v2/audit-log/?object_id=${id}&action=api_key.revoke`)
    expect(log.json()).toMatchObject({ count: 1 })
  })

  it('that have expired are rejected and cannot be rotated, but become valid with a new expiry', async () => {
    const { id, key } = await createKey(owner)
    await fixture.store.db
      .updateTable('api_keys')
      .set({ expires_at: sql<string>`clock_timestamp() - interval '1 second'` })
      .where('id', '=', id)
      .execute()
    expect(await status(key)).toBe(401)
    expect((await requestKey(owner, id)).json()).toMatchObject({ state: 'expired' })
    expect(rejection(await rotate(owner, id))).toEqual([409, 'conflict'])
    await requestKey(owner, id, 'PATCH', { expires_at: null })
    expect(await status(key)).toBe(200)
  })

  it('are listed page by page, newest first', async () => {
    const created = [await createKey(editor), await createKey(editor), await createKey(editor)]
    const page = async (number: number) =>
      (await editor.call(`${list}?page=${number}&page_size=2`)).json<{ count: number; results: Created[] }>()
    const [first, second] = [await page(1), await page(2)]
    expect(first.count).toBe(second.count)
    expect(first.results.map(({ id }) => id)).toEqual([created[2]?.id, created[1]?.id])
    expect(second.results[0]?.id).toBe(created[0]?.id)
    expect(rejection(await editor.call(`${list}?page=99`))).toEqual(missing)
    for (const size of ['0', '101', 'x']) {
      expect((await editor.call(`${list}?page_size=${size}`)).statusCode).toBe(400)
    }
  })
})
