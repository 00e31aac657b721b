import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createNodeServer } from '@fairlead/gateway-core/http/adapters/node-http'
import { createRouting } from '@fairlead/gateway-core/protocol/routing'
import { consoleRoutes } from '@fairlead/gateway/testing/console-routes'
import { allRows } from '@fairlead/platform-server/testing/all-rows'
import { anyDatabase, type TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { operationIds, routeTable } from './contract-violations.ts'
import { type Caller, nobody, sessionOf } from './caller.ts'
import { goodRequests } from './valid-requests.ts'
import { openExchange, type WireAnswer } from './http-exchange.ts'
import { requestOf, startWorld, type World } from './test-environment.ts'

const unsafe = operationIds.filter((id) => routeTable[id].method !== 'GET')
const host = 'fairlead.example.test'

// Requests that a page of another site can make a browser send, with the header that reveals it.
const fromElsewhere: readonly Readonly<Record<string, string>>[] = [
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

describe('a browser under attack', () => {
  let database: TemporaryDatabase
  let world: World
  let session: Caller
  let otherSession: Caller
  beforeAll(async () => {
    database = await anyDatabase()
    world = await startWorld(database)
    session = await newSession()
    otherSession = await newSession()
  })
  afterAll(async () => {
    await world.close()
    await database.remove()
  })

  const newSession = () => sessionOf(world.fixture.store, world.home.owner)
  const codeOf = ({ body }: WireAnswer) =>
    (JSON.parse(body) as { readonly error?: { readonly code: string } }).error?.code

  /** Rows that a rejected request must not change. */
  const kept = async () =>
    (await allRows(world.fixture.store.db)).filter(
      (row) => !/^(api_keys|api_key_secrets|sessions) /.test(row),
    )

  it('is not used by another site to change anything', { timeout: 120_000 }, async () => {
    const wellMeant = { ...session, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }
    const rename = { body: { name: 'Renamed' } }
    expect((await world.send('updateOrganization', rename, wellMeant)).status).toBe(200)
    const requests = []
    for (const id of unsafe) {
      const { caller: _, ...given } = await goodRequests[id](world)
      const isPublic = routeTable[id].public === true
      requests.push({ id, given, isPublic, caller: isPublic ? nobody : await newSession() })
    }
    const before = await kept()
    for (const { id, given, isPublic, caller } of requests) {
      const attempts = [
        ...fromElsewhere.map((headers) => ({ ...caller, ...headers })),
        // The token of another session is invalid.
        ...(isPublic ? [] : [{ ...caller, 'x-csrf-token': otherSession['x-csrf-token'] ?? '' }]),
      ]
      for (const attempt of attempts) {
        const answer = await world.send(id, given, attempt)
        expect([id, attempt, answer.status, codeOf(answer)]).toEqual([id, attempt, 403, 'csrf_failed'])
      }
    }
    expect(await kept()).toEqual(before)
  })

  it('is not signed in by a cookie that another site has set', async () => {
    const chosen = 'A'.repeat(43)
    const names = ['__Host-fairlead_session', 'fairlead_session']
    const cookie = names.map((name) => `${name}=${chosen}`).join('; ')
    const { caller: _, ...given } = await goodRequests.createSession(world)
    const { status, headers } = await world.send('createSession', given, { cookie })
    expect(status).toBe(201)
    const [set = ''] = headers['set-cookie'] ?? []
    expect(set).toMatch(/^__Host-fairlead_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
    expect(set).not.toContain(chosen)
    expect((await world.send('getSession', {}, { cookie })).status).toBe(401)
    // Over TLS, the cookie name without the prefix is ignored, because a sibling host could have set it.
    const own = set.slice(0, set.indexOf(';'))
    expect((await world.send('getSession', {}, { cookie: own })).status).toBe(200)
    expect((await world.send('getSession', {}, { cookie: own.replace('__Host-', '') })).status).toBe(401)
  })

  it('has another session after each sign-in, and the one before is over', async () => {
    const signIn = async (caller: Caller) => {
      const { caller: _, ...given } = await goodRequests.createSession(world)
      const { headers } = await world.send('createSession', given, caller)
      return { cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '' }
    }
    const first = await signIn(nobody)
    const second = await signIn(first)
    expect(second).not.toEqual(first)
    expect((await world.send('getSession', {}, first)).status).toBe(401)
    expect((await world.send('getSession', {}, second)).status).toBe(200)
  })

  it('shows no answer in a frame and runs nothing in it', async () => {
    for (const [id, caller] of [
      ['getSession', session],
      ['getNode', nobody],
    ] as const) {
      const { headers } = await world.send(id, { path: { id: 'ND-1' } }, caller)
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': expect.stringMatching(/^max-age=\d{8}/),
      })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('is sent to the console after a sign-in, whatever the address asks for', async () => {
    const elsewhere = 'https://evil.example/'
    for (const name of ['next', 'redirect_uri', 'return_to', 'RelayState', 'state', 'iss', 'error', 'code']) {
      const request = requestOf('finishOidcSignIn', {}, { cookie: '__Host-fairlead_sign_in=x' })
      const target = `${request.target}?${name}=${encodeURIComponent(elsewhere)}`
      const { status, headers } = await world.exchange({ ...request, target })
      expect([name, status, headers.location]).toEqual([name, 302, `https://${host}/console/#sign-in-failed`])
    }
    const strange = { host: 'evil.example/x' }
    const { headers } = await world.send('finishOidcSignIn', { headers: strange }, nobody)
    expect(headers.location).not.toContain('evil')
  })

  it('is led by the console to its own folder only', async () => {
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
