import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Browser,
  cookieOf,
  setUserPassword,
  member,
  rejection,
  signIn,
  testPassword,
} from '../../testing/browser.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'

const owner = 'owner@fairlead.invalid'
const csrfFailed = [403, 'csrf_failed']

describe.each(backends)('sessions on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database, { trustProxy: '127.0.0.1' })
    const user = await fixture.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    await setUserPassword(fixture, user.id)
    await member(fixture, 'vera@breakwater.test', 'viewer')
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const isOpen = async ({ call }: Browser) => (await call('/v1/session/')).statusCode === 200

  it('start with a password, with the address in any letter case', async () => {
    const browser = await signIn(fixture, 'Owner@Fairlead.INVALID')
    expect(browser.session).toMatchObject({
      user: { email: owner, first_name: 'First', last_name: 'Owner' },
      organization: { id: fixture.first.organizationId, name: 'My organization' },
      role: 'owner',
      must_change_password: false,
    })
    expect((await browser.call('/v1/session/')).json()).toEqual(browser.session)
    const ends = Date.parse(browser.session.expires_at) - Date.now()
    expect(Math.abs(ends - 12 * 3_600_000)).toBeLessThan(60_000)
    const organization = await browser.call('/v1/organization/')
    expect(organization.json()).toEqual(browser.session.organization)
  })

  it('use a cookie that scripts and other hosts cannot read', async () => {
    const payload = { email: owner, password: testPassword }
    const plain = await fixture.anonymous('/v1/session/', { method: 'POST', payload })
    expect(plain.headers['set-cookie']).toMatch(
      /^fairlead_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    const headers = { 'x-forwarded-proto': 'https' }
    const secure = await fixture.anonymous('/v1/session/', { method: 'POST', payload, headers })
    expect(secure.headers['set-cookie']).toMatch(
      /^__Host-fairlead_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    // Over TLS, only the `__Host-` cookie counts, which no other host can set.
    const value = cookieOf(secure).split('=')[1] ?? ''
    const as = (name: string) =>
      fixture.anonymous('/v1/session/', { headers: { ...headers, cookie: `${name}=${value}` } })
    expect((await as('__Host-fairlead_session')).statusCode).toBe(200)
    expect(rejection(await as('fairlead_session'))).toEqual([401, 'not_authenticated'])
  })

  it('have a new cookie after every sign-in, and the former one is rejected', async () => {
    const first = await signIn(fixture, owner)
    const second = await signIn(fixture, owner, { headers: { cookie: first.cookie } })
    expect(second.cookie).not.toBe(first.cookie)
    expect(second.session.id).not.toBe(first.session.id)
    expect(rejection(await first.call('/v1/session/'))).toEqual([401, 'authentication_failed'])
    // A planted cookie is not reused (session fixation).
    const planted = 'fairlead_session=planted-canary'
    const third = await signIn(fixture, owner, { headers: { cookie: planted } })
    expect(third.cookie).not.toContain('canary')
    expect(await isOpen(second)).toBe(true)
  })

  it('reject changes without their CSRF token or from another site', async () => {
    const { session, cookie, call } = await signIn(fixture, owner)
    const other = await signIn(fixture, owner)
    const patch = (headers: Record<string, string>) =>
      fixture.anonymous('/v1/organization/', {
        method: 'PATCH',
        payload: { name: 'Taken' },
        headers: { cookie, ...headers },
      })
    const token = { 'x-csrf-token': session.csrf_token }
    expect(rejection(await patch({}))).toEqual(csrfFailed)
    expect(rejection(await patch({ 'x-csrf-token': '' }))).toEqual(csrfFailed)
    expect(rejection(await patch({ 'x-csrf-token': other.session.csrf_token }))).toEqual(csrfFailed)
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect(rejection(await patch({ ...token, 'sec-fetch-site': site }))).toEqual(csrfFailed)
    }
    for (const origin of ['https://evil.test', 'null', 'http://localhost:81']) {
      expect(rejection(await patch({ ...token, origin, host: 'localhost:80' }))).toEqual(csrfFailed)
    }
    expect((await call('/v1/organization/')).json()).toMatchObject({ name: 'My organization' })
    const sameOrigin = { 'sec-fetch-site': 'same-origin', origin: 'http://changed-by-a-proxy.test' }
    expect((await patch({ ...token, ...sameOrigin })).statusCode).toBe(200)
    const name = { method: 'PATCH', payload: { name: 'My organization' } }
    const host = { host: 'api.test:81', origin: 'http://api.test:81' }
    expect((await call('/v1/organization/', { ...name, headers: host })).statusCode).toBe(200)
    // A sign-in from another site is rejected as well.
    const payload = { email: owner, password: testPassword }
    const headers = { 'sec-fetch-site': 'cross-site' }
    const signedIn = await fixture.anonymous('/v1/session/', { method: 'POST', payload, headers })
    expect(rejection(signedIn)).toEqual(csrfFailed)
    // Reading requires only the cookie, and a request with an API key requires no CSRF token.
    expect((await fixture.anonymous('/v1/session/', { headers: { cookie } })).statusCode).toBe(200)
    expect((await fixture.call('/v1/organization/', { ...name, headers: { cookie } })).statusCode).toBe(200)
  })

  it('have the permissions of the current role', async () => {
    const { call, session } = await signIn(fixture, 'vera@breakwater.test')
    expect(session.role).toBe('viewer')
    expect((await call('/v2/projects/')).statusCode).toBe(200)
    const post = () => call('/v2/projects/', { method: 'POST', payload: { name: 'Vera' } })
    const rejected = await post()
    expect(rejection(rejected)).toEqual([403, 'permission_denied'])
    expect(rejected.headers['www-authenticate']).toContain('scope="projects:write"')
    const of = (role: 'editor' | 'viewer') =>
      fixture.store.db
        .updateTable('memberships')
        .set({ role })
        .where('user_id', '=', session.user.id)
        .execute()
    await of('editor')
    expect((await post()).statusCode).toBe(201)
    await of('viewer')
    expect((await post()).statusCode).toBe(403)
  })

  it('are listed for their user only, and revoked one by one', async () => {
    const current = await signIn(fixture, 'vera@breakwater.test', { headers: { 'user-agent': 'Here/1' } })
    const second = await signIn(fixture, 'vera@breakwater.test', { remoteAddress: '192.0.2.44' })
    const foreign = await signIn(fixture, owner)
    const list = (await current.call('/v1/sessions/?page_size=100')).json<{
      count: number
      results: { id: string; current: boolean; ip: string; user_agent: string }[]
    }>()
    expect(list.results.slice(0, 2)).toMatchObject([
      { id: second.session.id, current: false, ip: '192.0.2.44' },
      { id: current.session.id, current: true, user_agent: 'Here/1' },
    ])
    expect(list.results.map(({ id }) => id)).not.toContain(foreign.session.id)
    const end = (id: string) => current.call(`/v1/sessions/${id}/`, { method: 'DELETE' })
    expect((await end(foreign.session.id)).statusCode).toBe(404)
    expect(await isOpen(foreign)).toBe(true)
    expect((await end(second.session.id)).statusCode).toBe(204)
    expect(await isOpen(second)).toBe(false)
    expect((await end(second.session.id)).statusCode).toBe(404)
    const out = await current.call('/v1/session/', { method: 'DELETE' })
    expect(out.statusCode).toBe(204)
    expect(out.headers['set-cookie']).toMatch(/^fairlead_session=; .*Max-Age=0/)
    expect(await isOpen(current)).toBe(false)
  })

  it('end after twelve hours without a request, and after seven days in any case', async () => {
    const { db } = fixture.store
    const idle = await signIn(fixture, owner)
    const row = () => db.updateTable('sessions').where('id', '=', idle.session.id)
    // Simulates a session that was last used some time ago, so that the next request extends it.
    const shift = (interval: string) => sql<string>`clock_timestamp() - ${interval}::interval`
    await row()
      .set({ created_at: shift('6 days 20 hours'), last_used_at: shift('11 hours') })
      .execute()
    const before = idle.session.expires_at
    expect(await isOpen(idle)).toBe(true)
    await expect
      .poll(async () => (await idle.call('/v1/session/')).json<{ expires_at: string }>().expires_at, {
        timeout: 50_000,
      })
      .not.toBe(before)
    const moved = Date.parse((await idle.call('/v1/session/')).json<{ expires_at: string }>().expires_at)
    expect(Math.abs(moved - Date.now() - 4 * 3_600_000)).toBeLessThan(120_000)
    await row()
      .set({ expires_at: shift('1 second') })
      .execute()
    expect(await isOpen(idle)).toBe(false)
    await signIn(fixture, owner)
    const remaining = await db
      .selectFrom('sessions')
      .select('id')
      .where('expires_at', '<', sql<string>`clock_timestamp()`)
      .execute()
    expect(remaining).toEqual([])
  })

  it.each([
    ['GET', '/v1/session/'],
    ['DELETE', '/v1/session/'],
    ['GET', '/v1/sessions/'],
    ['DELETE', '/v1/sessions/SE-1/'],
    ['POST', '/v1/session/password/'],
  ])('reject %s %s with an API key', async (method, url) => {
    const payload = { current_password: 'x', new_password: 'seven bells before the fog' }
    const response = await fixture.call(url, { method, ...(method === 'POST' && { payload }) })
    expect(rejection(response)).toEqual([403, 'permission_denied'])
  })

  it('leave no password, cookie or key in the database, the audit log or the log', async () => {
    const browser = await signIn(fixture, owner)
    const response = await browser.call('/v1/api-keys/', {
      method: 'POST',
      payload: { name: 'dump', scopes: ['org:read'] },
    })
    const { key } = response.json<{ key: string }>()
    const invited = await browser.call('/v1/organization/invitations/', {
      method: 'POST',
      payload: { email: 'dump@breakwater.test', role: 'viewer' },
    })
    const { token } = invited.json<{ token: string }>()
    const { rows: tables } = await sql<{ name: string }>`
      select tablename as name from pg_tables where schemaname = current_schema()`.execute(fixture.store.db)
    let dump = ''
    for (const { name } of tables) {
      const { rows } = await sql<{ row: string }>`
        select t::text as row from ${sql.table(name)} as t`.execute(fixture.store.db)
      dump += rows.map(({ row }) => row).join('\n')
    }
    expect(dump).toContain('session.create')
    for (const secret of [
      testPassword,
      'seven bells before the fog',
      'wrong',
      browser.cookie.split('=')[1] ?? '?',
      browser.session.csrf_token,
      key.slice(9),
      token,
      fixture.first.apiKey.slice(9),
    ]) {
      expect(dump).not.toContain(secret)
      expect(fixture.log()).not.toContain(secret)
    }
  })
})
