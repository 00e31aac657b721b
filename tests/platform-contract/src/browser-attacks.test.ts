import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createNodeServer } from '@fairlead/gateway-core/http/adapters/node-http'
import { createRouting } from '@fairlead/gateway-core/protocol/routing'
import { consoleRoutes } from '@fairlead/gateway/testing/console-routes'
import { allRows } from '@fairlead/platform-server/testing/all-rows'
import { anyDatabase, type TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { operationIds, routeTable } from './contract-violations.ts'
import { type Caller, unauthenticated, sessionOf } from './caller.ts'
import { validRequests } from './valid-requests.ts'
import { openExchange, type WireResponse } from './http-exchange.ts'
import { requestOf, startTestEnvironment, type TestEnvironment } from './test-environment.ts'

const unsafe = operationIds.filter((id) => routeTable[id].method !== 'GET')
const host = 'fairlead.example.test'

// Requests that a page of another site can make a browser send, with the header that reveals it.
const crossSiteHeaders: readonly Readonly<Record<string, string>>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'cross-site', origin: `https://${host}` },
  { origin: 'https://evil.example' },
  { origin: `https://${host}.evil.example` },
  { origin: `https://evil.example#${host}` },
  { origin: `https://${host}:8443` },
  { origin: 'null' },
  { origin: '' },
]

describe('attacks through a browser', () => {
  let database: TemporaryDatabase
  let environment: TestEnvironment
  let session: Caller
  let otherSession: Caller
  beforeAll(async () => {
    database = await anyDatabase()
    environment = await startTestEnvironment(database)
    session = await newSession()
    otherSession = await newSession()
  })
  afterAll(async () => {
    await environment.close()
    await database.remove()
  })

  const newSession = () => sessionOf(environment.fixture.store, environment.home.owner)
  const codeOf = ({ body }: WireResponse) =>
    (JSON.parse(body) as { readonly error?: { readonly code: string } }).error?.code

  /** Rows that a rejected request must not change. */
  const snapshot = async () =>
    (await allRows(environment.fixture.store.db)).filter(
      (row) => !/^(api_keys|api_key_secrets|sessions) /.test(row),
    )

  it('cross-site requests change nothing', { timeout: 120_000 }, async () => {
    const sameOrigin = { ...session, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }
    const rename = { body: { name: 'Renamed' } }
    expect((await environment.send('updateOrganization', rename, sameOrigin)).status).toBe(200)
    const requests = []
    for (const id of unsafe) {
      const { caller: _, ...input } = await validRequests[id](environment)
      const isPublic = routeTable[id].public === true
      requests.push({ id, input, isPublic, caller: isPublic ? unauthenticated : await newSession() })
    }
    const before = await snapshot()
    for (const { id, input, isPublic, caller } of requests) {
      const attempts = [
        ...crossSiteHeaders.map((headers) => ({ ...caller, ...headers })),
        // The token of another session is invalid.
        ...(isPublic ? [] : [{ ...caller, 'x-csrf-token': otherSession['x-csrf-token'] ?? '' }]),
      ]
      for (const attempt of attempts) {
        const response = await environment.send(id, input, attempt)
        expect([id, attempt, response.status, codeOf(response)]).toEqual([id, attempt, 403, 'csrf_failed'])
      }
    }
    expect(await snapshot()).toEqual(before)
  })

  it('a cookie of another site does not sign in', async () => {
    const chosen = 'A'.repeat(43)
    const names = ['__Host-fairlead_session', 'fairlead_session']
    const cookie = names.map((name) => `${name}=${chosen}`).join('; ')
    const { caller: _, ...input } = await validRequests.createSession(environment)
    const { status, headers } = await environment.send('createSession', input, { cookie })
    expect(status).toBe(201)
    const [set = ''] = headers['set-cookie'] ?? []
    expect(set).toMatch(/^__Host-fairlead_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
    expect(set).not.toContain(chosen)
    expect((await environment.send('getSession', {}, { cookie })).status).toBe(401)
    // Over TLS, the cookie name without the prefix is ignored, because a sibling host could have set it.
    const cookiePair = set.slice(0, set.indexOf(';'))
    expect((await environment.send('getSession', {}, { cookie: cookiePair })).status).toBe(200)
    expect(
      (await environment.send('getSession', {}, { cookie: cookiePair.replace('__Host-', '') })).status,
    ).toBe(401)
  })

  it('each sign-in creates a new session and ends the previous one', async () => {
    const signIn = async (caller: Caller) => {
      const { caller: _, ...input } = await validRequests.createSession(environment)
      const { headers } = await environment.send('createSession', input, caller)
      return { cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '' }
    }
    const first = await signIn(unauthenticated)
    const second = await signIn(first)
    expect(second).not.toEqual(first)
    expect((await environment.send('getSession', {}, first)).status).toBe(401)
    expect((await environment.send('getSession', {}, second)).status).toBe(200)
  })

  it('no response can be framed or executed', async () => {
    for (const [id, caller] of [
      ['getSession', session],
      ['getNode', unauthenticated],
    ] as const) {
      const { headers } = await environment.send(id, { path: { id: 'ND-1' } }, caller)
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': expect.stringMatching(/^max-age=\d{8}/),
      })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('a sign-in redirects only to the console', async () => {
    const otherSite = 'https://evil.example/'
    for (const name of ['next', 'redirect_uri', 'return_to', 'RelayState', 'state', 'iss', 'error', 'code']) {
      const request = requestOf('finishOidcSignIn', {}, { cookie: '__Host-fairlead_sign_in=x' })
      const target = `${request.target}?${name}=${encodeURIComponent(otherSite)}`
      const { status, headers } = await environment.exchange({ ...request, target })
      expect([name, status, headers.location]).toEqual([name, 302, `https://${host}/console/#sign-in-failed`])
    }
    const forgedHost = { host: 'evil.example/x' }
    const { headers } = await environment.send('finishOidcSignIn', { headers: forgedHost }, unauthenticated)
    expect(headers.location).not.toContain('evil')
  })

  it('the console redirects only within its folder', async () => {
    const routes = consoleRoutes(tmpdir())
    const { onRequest } = createRouting([], routes, (_, response) => response.writeHead(404).end())
    const server = createNodeServer({}, onRequest).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const exchange = openExchange(typeof address === 'object' && address !== null ? address.port : 0)
    onTestFinished(() => {
      exchange.close()
      server.close()
    })
    for (const target of [
      '/console',
      '/console?next=//evil.example',
      '//evil.example/console',
      '//evil.example/%2e%2e/console',
      '/\\evil.example/console',
      '/console//evil.example',
      '/console/..//evil.example',
      '/console/\\evil.example',
      '/docs',
      '/docs//evil.example/',
      'http://evil.example/console',
    ]) {
      const { headers } = await exchange.send({ method: 'GET', target, headers: { host } })
      expect(`${target} ${headers.location ?? ''}`).toBeOneOf(
        ['', '/console/', '/docs/'].map((location) => `${target} ${location}`),
      )
    }
  })
})
