import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPasswords } from '../../sessions/passwords.ts'
import {
  type Browser,
  setUserPassword,
  member,
  rejection,
  signIn,
  testPassword,
} from '../../testing/browser.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'

const owner = 'owner@fairlead.invalid'

describe.each(backends)('passwords on $name', ({ create }) => {
  const passwords = createPasswords()
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database, { passwords })
    const user = await fixture.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    await setUserPassword(fixture, user.id)
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const attempt = (email: string, password: string, remoteAddress: string) =>
    fixture.anonymous('/v1/session/', { method: 'POST', payload: { email, password }, remoteAddress })
  const isOpen = async ({ call }: Browser) => (await call('/v1/session/')).statusCode === 200

  it('that are wrong are rejected like unknown addresses, after the same work', async () => {
    const responses = []
    for (const [email, password] of [
      [owner, 'wrong'],
      ['unknown@breakwater.test', 'wrong'],
      ['unknown@breakwater.test', testPassword],
      [owner, ''],
    ] as const) {
      const before = passwords.checked()
      const response = await attempt(email, password, '192.0.2.1')
      expect(passwords.checked()).toBe(before + 1)
      expect(response.headers['set-cookie']).toBeUndefined()
      const { error } = response.json<{ error: object }>()
      responses.push([response.statusCode, { ...error, request_id: '' }])
    }
    expect(responses[0]).toEqual([
      401,
      {
        code: 'authentication_failed',
        message: 'The e-mail address or the password is incorrect.',
        request_id: '',
      },
    ])
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1)
  })

  it('reject a user without a password, whatever is sent', async () => {
    const id = await member(fixture, 'none@breakwater.test', 'viewer')
    const none = { password_hash: null, password_origin: null }
    await fixture.store.db.updateTable('users').set(none).where('id', '=', id).execute()
    for (const password of ['', 'null', testPassword]) {
      expect((await attempt('none@breakwater.test', password, '192.0.2.9')).statusCode).toBe(401)
    }
  })

  it('are throttled after failed attempts, also concurrent ones', async () => {
    await member(fixture, 'target@breakwater.test', 'viewer')
    const before = passwords.checked()
    const tries = await Promise.all(
      Array.from({ length: 14 }, () => attempt('target@breakwater.test', 'wrong', '192.0.3.1')),
    )
    const statuses = tries.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
    expect(passwords.checked() - before).toBe(10)
    const throttled = await attempt('Target@breakwater.test', testPassword, '192.0.3.1')
    expect(rejection(throttled)).toEqual([429, 'throttled'])
    expect(Number(throttled.headers['retry-after'])).toBeGreaterThan(0)
    // The user of the account can still sign in from another network.
    expect((await attempt('target@breakwater.test', testPassword, '192.0.3.99')).statusCode).toBe(201)
  })

  it('allow only a password change while it is required', async () => {
    const id = await member(fixture, 'new@breakwater.test', 'admin')
    const must = { must_change_password: true }
    await fixture.store.db.updateTable('users').set(must).where('id', '=', id).execute()
    const browser = await signIn(fixture, 'new@breakwater.test')
    const secondBrowser = await signIn(fixture, 'new@breakwater.test')
    expect(browser.session).toMatchObject({ must_change_password: true, scopes: [] })
    expect((await browser.call('/v1/organization/')).statusCode).toBe(403)
    const change = (current: string, newPassword: string) =>
      browser.call('/v1/session/password/', {
        method: 'POST',
        payload: { current_password: current, new_password: newPassword },
      })
    const rejected = await change('wrong', 'seven bells before the fog')
    expect(rejected.json()).toMatchObject({
      error: { code: 'invalid', fields: { current_password: ['Is not the current password of the user.'] } },
    })
    expect(rejected.body).not.toContain('fog')
    expect((await change(testPassword, 'short')).json()).toMatchObject({
      error: { fields: { new_password: ['Must be a string of at least 12 characters.'] } },
    })
    expect((await change(testPassword, testPassword)).statusCode).toBe(400)
    expect((await change(testPassword, 'seven bells before the fog')).statusCode).toBe(204)
    expect((await browser.call('/v1/organization/')).statusCode).toBe(200)
    expect((await browser.call('/v1/session/')).json()).toMatchObject({ must_change_password: false })
    expect(await isOpen(secondBrowser)).toBe(false)
    expect((await attempt('new@breakwater.test', testPassword, '192.0.2.3')).statusCode).toBe(401)
    // The same text in another Unicode normalization form is the same password.
    expect(
      await isOpen(await signIn(fixture, 'new@breakwater.test', { password: 'seven bells before the fog' })),
    ).toBe(true)
  })
})
