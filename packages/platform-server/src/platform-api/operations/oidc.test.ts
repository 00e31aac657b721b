import { randomUUID } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pino } from 'pino'
import { cookieOf, member, rejection } from '../../testing/browser.ts'
import { type IdentityProvider, identityProvider, oidcClient } from '../../testing/identity-provider.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, anyDatabase } from '../../testing/temporary-store.ts'
import { createPlatformApi } from '../create-platform-api.ts'
import { protocols } from '../../testing/protocols.ts'

const publicUrl = 'http://console.test'
const begin = '/v1/session/oidc/'

describe('the sign-in through an identity provider', () => {
  let database: TemporaryDatabase
  let provider: IdentityProvider
  let fixture: PlatformFixture
  beforeAll(async () => {
    database = await anyDatabase()
    provider = await identityProvider(() => `${publicUrl}${begin}callback/`)
    const oidc = { issuer: provider.issuer, isHttpAllowed: true, ...oidcClient, name: 'Breakwater' }
    fixture = await platformFixture(database, { publicUrl, oidc })
    await member(fixture, 'vera@breakwater.test', 'editor')
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await provider.close()
    await database.remove()
  })

  /** Runs the complete sign-in with an account, up to the final response. */
  async function signInAs(
    account: IdentityProvider['account'],
    { query = '', browser }: { query?: string; browser?: Map<string, string> } = {},
  ) {
    provider.account = account
    const redirect = await fixture.anonymous(`${begin}${query}`)
    expect(redirect.statusCode).toBe(302)
    const returned = await provider.signIn(String(redirect.headers['location']), browser)
    const cookie = cookieOf(redirect)
    return { returned, cookie, response: await callback(returned, cookie) }
  }
  const callback = (returned: URL, cookie: string) =>
    fixture.anonymous(`${returned.pathname}${returned.search}`, {
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
  const sessionOf = async (response: LightMyRequestResponse) =>
    fixture.anonymous('/v1/session/', { headers: { cookie: cookieOf(response) } })
  const expectRejected = (response: LightMyRequestResponse) => {
    expect(response.statusCode).toBe(302)
    expect(response.headers['location']).toBe(`${publicUrl}/console/#sign-in-failed`)
    expect(String(response.headers['set-cookie'])).not.toContain('fairlead_session')
  }

  it('is offered, and redirects to the provider with a challenge, a state and a nonce', async () => {
    const options = await fixture.anonymous('/v1/sign-in-options/')
    expect(options.json()).toEqual({
      password: true,
      oidc: { name: 'Breakwater', url: `${publicUrl}${begin}` },
    })
    const response = await fixture.anonymous(begin)
    const { origin, searchParams } = new URL(String(response.headers['location']))
    expect(origin).toBe(provider.issuer)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: 'fairlead',
      code_challenge_method: 'S256',
      response_type: 'code',
      redirect_uri: `${publicUrl}${begin}callback/`,
      scope: 'openid email',
      state: expect.stringMatching(/.{20}/),
      nonce: expect.stringMatching(/.{20}/),
    })
    expect(response.headers['set-cookie']).toMatch(
      /^fairlead_sign_in=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
    expect(response.headers['set-cookie']).not.toContain(searchParams.get('state'))
  })

  it('opens a session for a member, and redirects to the console only', async () => {
    const account = { id: 'v', email: 'Vera@Breakwater.test', verified: true }
    const { response, returned, cookie } = await signInAs(account)
    expect(response.statusCode).toBe(302)
    expect(response.headers['location']).toBe(`${publicUrl}/console/`)
    expect((await sessionOf(response)).json()).toMatchObject({
      user: { email: 'vera@breakwater.test' },
      role: 'editor',
    })
    // The same callback is rejected a second time, and in another browser.
    expectRejected(await callback(returned, cookie))
    const again = await signInAs(account)
    expectRejected(await callback(again.returned, ''))
    const otherTarget = new URL(returned)
    otherTarget.searchParams.set('next', 'https://evil.test')
    expect(String((await callback(otherTarget, cookie)).headers['location'])).toMatch(
      /^http:\/\/console\.test\//,
    )
  })

  describe('before a change that requires a recent sign-in', () => {
    const account = { id: 'i', email: 'ines@breakwater.test', verified: true }
    const tenMinutesAgo = () => Math.floor(Date.now() / 1_000) - 600
    let memberId: string
    beforeAll(async () => {
      await member(fixture, account.email, 'admin')
      memberId = await member(fixture, 'changed@breakwater.test', 'viewer')
    })

    async function changeEmail(signedIn: LightMyRequestResponse) {
      const { csrf_token: csrfToken } = (await sessionOf(signedIn)).json<{ csrf_token: string }>()
      return fixture.anonymous(`/v1/organization/members/${memberId}/`, {
        method: 'PATCH',
        payload: { email: `${randomUUID()}@breakwater.test` },
        headers: { cookie: cookieOf(signedIn), 'x-csrf-token': csrfToken },
      })
    }

    it('requires the password at the provider again instead of a single sign-on', async () => {
      const browser = new Map<string, string>()
      await signInAs({ ...account, authenticatedAt: tenMinutesAgo() }, { browser })
      const again = await signInAs(account, { browser })
      expect(rejection(await changeEmail(again.response))).toEqual([403, 'recent_sign_in_required'])
      const prompted = await signInAs(account, { browser, query: '?prompt=login' })
      expect((await changeEmail(prompted.response)).statusCode).toBe(200)
    })

    it('opens no session when the provider does not require it', async () => {
      const old = { ...account, authenticatedAt: tenMinutesAgo() }
      expectRejected((await signInAs(old, { query: '?prompt=login' })).response)
      expect(rejection(await fixture.anonymous(`${begin}?prompt=none`))).toEqual([400, 'invalid'])
    })
  })

  it.each([
    ['no member', { id: 's', email: 'unknown@breakwater.test', verified: true }],
    [
      'a member whose address the provider has not verified',
      { id: 'u', email: 'vera@breakwater.test', verified: false },
    ],
    ['a user whom the provider refuses', undefined],
  ])('opens none for %s', async (_, account) => {
    expectRejected((await signInAs(account)).response)
  })

  it('opens none for a member who is disabled', async () => {
    const id = await member(fixture, 'out@breakwater.test', 'admin')
    const disabled = { disabled_at: '2026-01-01T00:00:00Z' }
    await fixture.store.db.updateTable('users').set(disabled).where('id', '=', id).execute()
    const account = { id: 'o', email: 'out@breakwater.test', verified: true }
    expectRejected((await signInAs(account)).response)
  })

  it('rejects a response to another sign-in and a modified response', async () => {
    provider.account = { id: 'v', email: 'vera@breakwater.test', verified: true }
    const [first, second] = [await fixture.anonymous(begin), await fixture.anonymous(begin)]
    const returned = await provider.signIn(String(first.headers['location']))
    expectRejected(await callback(returned, cookieOf(second)))
    for (const name of ['state', 'code', 'iss']) {
      const newSignIn = await fixture.anonymous(begin)
      const changed = await provider.signIn(String(newSignIn.headers['location']))
      changed.searchParams.set(name, 'canary-changed')
      expectRejected(await callback(changed, cookieOf(newSignIn)))
    }
    expectRejected(await callback(new URL(`${publicUrl}${begin}callback/`), cookieOf(first)))
    expect(fixture.log()).not.toContain('canary-changed')
    expect(fixture.log()).not.toContain('c4n4ry')
  })

  it('is not found without a provider, and unavailable when the provider is unreachable', async () => {
    const other = await anyDatabase()
    const without = await platformFixture(other)
    for (const url of [begin, `${begin}callback/`]) {
      expect(rejection(await without.anonymous(url))).toEqual([404, 'not_found'])
    }
    expect((await without.anonymous('/v1/sign-in-options/')).json()).toEqual({ password: true, oidc: null })
    await without.app.close()
    const oidc = { issuer: 'http://127.0.0.1:9', isHttpAllowed: true, ...oidcClient, name: 'Away' }
    const unreachable = await createPlatformApi({
      store: without.store,
      protocols,
      log: pino({ enabled: false }),
      oidc,
    })
    const response = await unreachable.inject({ url: begin })
    expect(rejection(response)).toEqual([503, 'unavailable'])
    expect(response.body).not.toContain('127.0.0.1')
    await unreachable.close()
    await other.remove()
  })
})
