import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, browserOf, setUserPassword, member, rejection, signIn } from '../../testing/browser.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'

const list = '/v1/organization/invitations/'

describe.each(backends)('invitations on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let owner: Browser
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database, { publicUrl: 'https://api.example.test' })
    const user = await fixture.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    await setUserPassword(fixture, user.id)
    owner = await signIn(fixture, 'owner@fairlead.invalid')
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  interface Invited {
    readonly id: string
    readonly token: string
    readonly url: string
  }
  const invite = (email: string, role = 'editor') =>
    owner.call(list, { method: 'POST', payload: { email, role } })
  const invited = async (email: string, role?: string) => (await invite(email, role)).json<Invited>()
  const accept = (token: string, payload: object = {}) =>
    fixture.anonymous('/v1/invitations/accept/', {
      method: 'POST',
      payload: { token, password: 'seven bells at noon', first_name: 'Tomas', last_name: 'Berg', ...payload },
    })
  const expire = (id: string) =>
    fixture.store.db
      .updateTable('invitations')
      .set({ expires_at: sql<string>`clock_timestamp() - interval '1 second'` })
      .where('id', '=', id)
      .execute()

  it.each([
    'þ¢@v\u0087',
    'tomas@',
    'tom..as@breakwater.test',
    'tomas@-breakwater.test',
    `${'t'.repeat(65)}@breakwater.test`,
  ])('are rejected for %j, which is not an email address', async (email) => {
    const response = await invite(email)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ error: { fields: { email: expect.any(Array) } } })
  })

  it.each(['t@localhost', "o'tomas+nodes@sub.breakwater.test"])('are created for %s', async (email) => {
    expect((await invite(email)).statusCode).toBe(201)
    const { id } = (await owner.call(list)).json<{ results: [{ id: string }] }>().results[0]
    expect((await owner.call(`${list}${id}/`, { method: 'DELETE' })).statusCode).toBe(204)
  })

  it('add a signed-in user as a member', async () => {
    const response = await invite('Tomas@Breakwater.test')
    expect(response.statusCode).toBe(201)
    const { id, token, url, ...rest } = response.json<Invited>()
    expect(rest).toMatchObject({
      email: 'tomas@breakwater.test',
      role: 'editor',
      inviter: { id: owner.session.user.id, email: 'owner@fairlead.invalid' },
    })
    const { created_at, expires_at } = response.json<{ created_at: string; expires_at: string }>()
    expect(Math.abs(Date.parse(expires_at) - Date.parse(created_at) - 7 * 86_400_000)).toBeLessThan(1_000)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(url).toBe(`https://api.example.test/console/invitation#${token}`)
    const listed = (await owner.call(list)).body
    expect(listed).toContain(id)
    expect(listed).not.toContain(token)

    const accepted = await accept(token)
    expect(accepted.statusCode).toBe(201)
    const browser = browserOf(fixture, accepted)
    expect(browser.session).toMatchObject({
      user: { email: 'tomas@breakwater.test', first_name: 'Tomas', last_name: 'Berg' },
      role: 'editor',
    })
    expect((await browser.call('/v2/projects/')).statusCode).toBe(200)
    expect((await owner.call(list)).body).not.toContain(id)
    await signIn(fixture, 'tomas@breakwater.test', { password: 'seven bells at noon' })
    const log = await owner.call(`/v2/audit-log/?object_id=${id}`)
    expect(log.json<{ results: object[] }>().results).toMatchObject([
      { action: 'invitation.accept', actor: { kind: 'user', id: browser.session.user.id } },
      { action: 'invitation.create', actor: { id: owner.session.user.id } },
    ])
  })

  it('can be accepted once, also by two concurrent requests', async () => {
    const { token } = await invited('once@breakwater.test')
    const responses = await Promise.all([accept(token), accept(token)])
    const statuses = responses.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 404)).toHaveLength(1)
    expect(rejection(await accept(token))).toEqual([404, 'not_found'])
  })

  it('expire, are revoked, and are rejected with a weak password', async () => {
    const expired = await invited('late@breakwater.test')
    await expire(expired.id)
    expect(rejection(await accept(expired.token))).toEqual([404, 'not_found'])
    expect((await owner.call(list)).body).not.toContain(expired.id)
    const returning = await invited('back@breakwater.test')
    expect((await accept(returning.token, { password: 'too short' })).statusCode).toBe(400)
    const remove = () => owner.call(`${list}${returning.id}/`, { method: 'DELETE' })
    expect((await remove()).statusCode).toBe(204)
    expect((await remove()).statusCode).toBe(404)
    expect(rejection(await accept(returning.token))).toEqual([404, 'not_found'])
    expect(rejection(await accept('canary-token'))).toEqual([404, 'not_found'])
    expect(fixture.log()).not.toContain('canary-token')
  })

  it('are limited to one per address, and rejected for a member', async () => {
    const first = await invited('twice@breakwater.test')
    expect(rejection(await invite('Twice@breakwater.test'))).toEqual([409, 'conflict'])
    await expire(first.id)
    expect((await invite('twice@breakwater.test')).statusCode).toBe(201)
    expect(rejection(await invite('owner@fairlead.invalid'))).toEqual([409, 'conflict'])
    for (const [email, role] of [
      ['x@breakwater.test', 'owner'],
      ['x@breakwater.test', 'root'],
      ['no address', 'viewer'],
      [`${'x'.repeat(250)}@y.test`, 'viewer'],
    ] as const) {
      expect((await invite(email, role)).statusCode).toBe(400)
    }
  })

  it('do not give access to the account of a member who joined meanwhile', async () => {
    const { token } = await invited('meanwhile@breakwater.test', 'viewer')
    await member(fixture, 'meanwhile@breakwater.test', 'admin')
    expect(rejection(await accept(token))).toEqual([409, 'conflict'])
    expect((await signIn(fixture, 'meanwhile@breakwater.test')).session.role).toBe('admin')
  })

  it('readmit a former member with a new password', async () => {
    const id = await member(fixture, 'again@breakwater.test', 'admin')
    await owner.call(`/v1/organization/members/${id}/`, { method: 'DELETE' })
    const { token } = await invited('again@breakwater.test', 'viewer')
    const browser = browserOf(fixture, await accept(token, { first_name: 'Again' }))
    expect(browser.session).toMatchObject({ user: { id, first_name: 'Again' }, role: 'viewer' })
  })

  it('are created by admins only', async () => {
    await member(fixture, 'editor@breakwater.test', 'editor')
    const editor = await signIn(fixture, 'editor@breakwater.test')
    const payload = { email: 'friend@breakwater.test', role: 'viewer' }
    expect((await editor.call(list, { method: 'POST', payload })).statusCode).toBe(403)
    expect((await editor.call(list)).statusCode).toBe(200)
  })
})
