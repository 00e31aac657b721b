import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { allScopes } from '../../identity/scopes.ts'
import { issueApiKey } from '../../records/api-keys.ts'
import { insertOrganization, insertOwner } from '../../records/organizations.ts'
import { type Browser, setUserPassword, member, rejection, signIn } from '../../testing/browser.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'

const list = '/v1/organization/members/'
const denied = [403, 'permission_denied']
const conflict = [409, 'conflict']

describe.each(backends)('members on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let ownerId: string
  let owner: Browser
  let admin: Browser
  let count = 0
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database)
    const user = await fixture.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    ownerId = user.id
    await setUserPassword(fixture, ownerId)
    await member(fixture, 'admin@breakwater.test', 'admin')
    owner = await signIn(fixture, 'owner@fairlead.invalid')
    admin = await signIn(fixture, 'admin@breakwater.test')
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })
  let email: string
  let id: string
  beforeEach(async () => {
    email = `m${count++}@breakwater.test`
    id = await member(fixture, email, 'editor')
  })

  const get = async (userId: string) => owner.call(`${list}${userId}/`)
  const patch = (by: Browser, userId: string, payload: object, headers: Record<string, string> = {}) =>
    by.call(`${list}${userId}/`, { method: 'PATCH', payload, headers })
  const remove = (by: Browser, userId: string, headers: Record<string, string> = {}) =>
    by.call(`${list}${userId}/`, { method: 'DELETE', headers })
  const keyOf = async (creatorId: string) => {
    const { organizationId } = fixture.first
    const options = { organizationId, creatorId, name: 'k', scopes: allScopes, origin: 'user' } as const
    return (await issueApiKey(fixture.store.db, options)).key
  }
  const withKey = (key: string) =>
    fixture.anonymous('/v1/organization/', { headers: { authorization: `Bearer ${key}` } })
  const audit = async (objectId: string) =>
    (await owner.call(`/v2/audit-log/?object_id=${objectId}&page_size=1`)).json<{
      results: { action: string; actor: object; changes: object }[]
    }>().results[0]

  it('are listed page by page, oldest first', async () => {
    const page = (await owner.call(`${list}?page_size=2`)).json<{
      count: number
      next: string
      results: { id: string }[]
    }>()
    expect(page.results[0]).toMatchObject({
      id: ownerId,
      role: 'owner',
      disabled: false,
      last_sign_in_at: expect.stringMatching(/^\d{4}.*Z$/),
    })
    expect(page.results).toHaveLength(2)
    expect(page.next).toContain('page=2&page_size=2')
    const last = await owner.call(`${list}?page_size=1&page=${page.count}`)
    expect(last.json()).toMatchObject({ results: [{ id, email, last_sign_in_at: null }], next: null })
  })

  it('are updated with a matching version and an entry in the audit log', async () => {
    const before = await get(id)
    expect(before.headers['etag']).toBe('"1"')
    const first = await patch(admin, id, { role: 'viewer', first_name: 'Vi' }, { 'if-match': '"1"' })
    expect([first.statusCode, first.headers['etag']]).toEqual([200, '"2"'])
    expect(first.json()).toEqual({ ...before.json(), role: 'viewer', first_name: 'Vi' })
    expect(await audit(id)).toMatchObject({
      action: 'member.update',
      actor: { kind: 'user', label: 'admin@breakwater.test' },
      changes: { role: { before: 'editor', after: 'viewer' }, first_name: { before: 'F', after: 'Vi' } },
    })
    for (const tag of ['"1"', 'W/"2"', '"x"', '2', '']) {
      const rejected = await patch(admin, id, { role: 'admin' }, { 'if-match': tag })
      expect(rejection(rejected)).toEqual([412, 'precondition_failed'])
    }
    for (const tag of ['"1", "2"', '*', '"4"']) {
      expect((await patch(admin, id, { last_name: tag }, { 'if-match': tag })).statusCode).toBe(200)
    }
    expect(rejection(await remove(admin, id, { 'if-match': '"1"' }))).toEqual([412, 'precondition_failed'])
  })

  it('are updated once by two requests with the same version', async () => {
    const responses = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) => patch(admin, id, { first_name: name }, { 'if-match': '"1"' })),
    )
    const statuses = responses.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 412)).toHaveLength(3)
  })

  it('have a unique email address in lower case', async () => {
    expect((await patch(admin, id, { email: 'New.Address@Breakwater.test' })).json()).toMatchObject({
      email: 'new.address@breakwater.test',
    })
    await signIn(fixture, 'new.address@breakwater.test')
    expect(rejection(await patch(admin, id, { email: 'Admin@breakwater.test' }))).toEqual(conflict)
    expect((await patch(admin, id, { email: 'no address' })).statusCode).toBe(400)
    await patch(admin, id, { email })
  })

  it('cannot be changed by editors, and are not found in other organizations', async () => {
    const editor = await signIn(fixture, email)
    expect(rejection(await patch(editor, id, { role: 'admin' }))).toEqual(denied)
    expect(rejection(await remove(editor, ownerId))).toEqual(denied)
    expect((await editor.call(list)).statusCode).toBe(200)
    const { db } = fixture.store
    const organizationId = await insertOrganization(db, 'Other')
    const foreign = { email: `foreign${count}@other.test`, firstName: 'F', lastName: 'O' }
    const foreignId = await insertOwner(db, organizationId, foreign)
    for (const response of [
      await get(foreignId),
      await patch(owner, foreignId, { role: 'viewer' }),
      await remove(owner, foreignId),
    ]) {
      expect(rejection(response)).toEqual([404, 'not_found'])
    }
  })

  it('who are the owner are changed only by themselves, and neither disabled nor removed', async () => {
    expect(rejection(await patch(admin, ownerId, { first_name: 'X' }))).toEqual(denied)
    expect(rejection(await patch(admin, id, { role: 'owner' }))).toEqual(denied)
    expect(rejection(await remove(admin, ownerId))).toEqual(denied)
    expect((await patch(owner, ownerId, { first_name: 'Ines' })).json()).toMatchObject({ first_name: 'Ines' })
    expect(rejection(await patch(owner, ownerId, { role: 'admin' }))).toEqual(conflict)
    expect(rejection(await patch(owner, ownerId, { disabled: true }))).toEqual(conflict)
    expect(rejection(await remove(owner, ownerId))).toEqual(conflict)
    const self = admin.session.user.id
    expect(rejection(await patch(admin, self, { disabled: true }))).toEqual(conflict)
    expect(rejection(await remove(admin, self))).toEqual(conflict)
  })

  it('become the owner by a transfer, which makes the former owner an admin', async () => {
    expect(rejection(await patch(owner, id, { role: 'owner', disabled: true }))).toEqual(conflict)
    expect((await patch(owner, id, { role: 'owner' })).json()).toMatchObject({ role: 'owner' })
    expect((await owner.call('/v1/session/')).json()).toMatchObject({ role: 'admin' })
    expect(await audit(ownerId)).toMatchObject({
      changes: { role: { before: 'owner', after: 'admin' } },
    })
    const owners = await fixture.store.db
      .selectFrom('memberships')
      .select('user_id')
      .where('role', '=', 'owner')
      .where('organization_id', '=', fixture.first.organizationId)
      .execute()
    expect(owners).toEqual([{ user_id: id }])
    const next = await signIn(fixture, email)
    expect((await patch(next, ownerId, { role: 'owner' })).statusCode).toBe(200)
  })

  it('have one owner, also after two concurrent transfers', async () => {
    const otherId = await member(fixture, `o${count}@breakwater.test`, 'editor')
    const responses = await Promise.all([id, otherId].map((to) => patch(owner, to, { role: 'owner' })))
    const statuses = responses.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    const rows = await fixture.store.db
      .selectFrom('memberships')
      .select('user_id')
      .where('role', '=', 'owner')
      .where('organization_id', '=', fixture.first.organizationId)
      .execute()
    expect(rows).toHaveLength(1)
    const ownerEmail = rows[0]?.user_id === id ? email : `o${count}@breakwater.test`
    await patch(await signIn(fixture, ownerEmail), ownerId, { role: 'owner' })
  })

  it('who are disabled lose access immediately, with their keys, until they are enabled', async () => {
    const browser = await signIn(fixture, email)
    const key = await keyOf(id)
    expect((await withKey(key)).statusCode).toBe(200)
    expect((await patch(admin, id, { disabled: true })).json()).toMatchObject({ disabled: true })
    const signInAgain = (): Promise<LightMyRequestResponse> =>
      fixture.anonymous('/v1/session/', {
        method: 'POST',
        payload: { email, password: 'a lantern on every pier' },
      })
    expect((await browser.call('/v1/session/')).statusCode).toBe(401)
    expect((await withKey(key)).statusCode).toBe(401)
    expect((await signInAgain()).statusCode).toBe(401)
    await patch(admin, id, { disabled: false })
    expect((await withKey(key)).statusCode).toBe(200)
    expect((await browser.call('/v1/session/')).statusCode).toBe(401)
    expect((await signInAgain()).statusCode).toBe(201)
  })

  it('who are removed lose access immediately and permanently, while their records stay', async () => {
    const browser = await signIn(fixture, email)
    const key = await keyOf(id)
    const created = await browser.call('/v2/projects/', { method: 'POST', payload: { name: 'Stays' } })
    const project = created.json<{ id: string }>()
    expect((await remove(admin, id)).statusCode).toBe(204)
    expect((await get(id)).statusCode).toBe(404)
    expect((await browser.call('/v1/session/')).statusCode).toBe(401)
    expect((await withKey(key)).statusCode).toBe(401)
    const response = await owner.call(`/v2/projects/${project.id}/`)
    expect(response.json()).toMatchObject({ creator: { id, email } })
    expect(await audit(id)).toMatchObject({
      action: 'member.delete',
      changes: { role: { before: 'editor', after: null } },
    })
    // The key stays revoked when its creator becomes a member again.
    const { organizationId } = fixture.first
    const membership = { user_id: id, organization_id: organizationId, role: 'editor' } as const
    await fixture.store.db.insertInto('memberships').values(membership).execute()
    expect((await withKey(key)).statusCode).toBe(401)
  })
})
