import { METHODS } from 'node:http'
import { routes } from '@fairlead/platform-client/contract'
import type { Route } from '@fairlead/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PlatformFixture, platformFixture } from '../testing/platform-fixture.ts'
import { type TemporaryDatabase, anyDatabase } from '../testing/temporary-store.ts'
import { createPlatformApi } from './create-platform-api.ts'
import { pino } from 'pino'
import { newRequestId } from './request-id.ts'
import { protocols } from '../testing/protocols.ts'

const all = Object.values<Route>(routes)
const templates = [...new Set(all.map((route) => route.path))]
const readable = all.filter((route) => route.method === 'GET')
// Paths that a key may read, with the first node or without an id.
const readablePaths = readable
  .filter((route) => route.operationId !== 'getSession')
  .map((route) => route.path)

function allowed(path: string): string[] {
  const methods = Object.values<Route>(routes)
    .filter((route) => route.path === path)
    .map((route) => route.method)
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted()
}

function allowOf(headers: Record<string, unknown>): string[] {
  return String(headers['allow']).split(', ').toSorted()
}

describe('platform API over HTTP', () => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  beforeAll(async () => {
    database = await anyDatabase()
    fixture = await platformFixture(database)
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  /** Fills a template with the id of the first node, and with an invalid id for everything else. */
  const at = (template: string) =>
    template.replace('/nodes/{id}/', `/nodes/${fixture.first.nodeId}/`).replaceAll(/\{\w+\}/g, 'XX-0')

  async function next(headers: Record<string, string>): Promise<string | null> {
    const response = await fixture.call('/v2/projects?order_by=name', { headers })
    return response.json<{ next: string | null }>().next
  }

  /** Removes what the next call may change: the use of its key is recorded to the minute. */
  const comparable = (body: string) =>
    body.replace(/"request_id":"\w+"/, '').replaceAll(/"last_used_at":(?:null|"[^"]*")/g, '')

  it.each(readablePaths)(
    'responds to %s identically with and without the trailing slash, without a redirect',
    async (template) => {
      const path = at(template)
      const bare = path.replace(/\/$/, '')
      const [slashed, unslashed] = [await fixture.call(path), await fixture.call(bare)]
      expect(slashed.statusCode).toBeOneOf(
        path.includes('XX-0') || path.includes('oidc') ? [404] : [200, 403],
      )
      expect(unslashed.statusCode).toBe(slashed.statusCode)
      expect(comparable(unslashed.body)).toBe(comparable(slashed.body))
      expect((await fixture.call(`${bare}?page=1`)).statusCode).toBe(slashed.statusCode)
    },
  )

  it('creates through the path without a trailing slash', async () => {
    const response = await fixture.call('/v2/projects', { method: 'POST', payload: { name: 'x' } })
    expect(response.statusCode).toBe(201)
  })

  it.each(readable)('responds to HEAD $path like GET without the body', async (route) => {
    const path = at(route.path)
    const get = await fixture.call(path)
    const head = await fixture.call(path, { method: 'HEAD' })
    expect([head.statusCode, head.body]).toEqual([get.statusCode, ''])
    for (const name of ['content-length', 'content-type', 'cache-control']) {
      expect(head.headers[name]).toBe(get.headers[name])
    }
    const anonymous = await fixture.anonymous(path, { method: 'HEAD' })
    expect(anonymous.statusCode).toBe(route.public === true ? get.statusCode : 401)
  })

  it.each(templates)('responds to OPTIONS %s with the allowed methods', async (template) => {
    const response = await fixture.anonymous(at(template), {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'GET' },
    })
    expect(response.statusCode).toBe(204)
    expect(allowOf(response.headers)).toEqual(allowed(template))
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it.each(templates)('responds to every other method on %s with 405', async (template) => {
    // All HTTP methods on one path, and the common ones on the others.
    const methods = template === templates[0] ? METHODS : ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']
    const unsupported = methods.filter(
      (method) => method !== 'CONNECT' && !allowed(template).includes(method),
    )
    for (const method of unsupported) {
      const response = await fixture.call(at(template), { method, payload: '{' })
      expect([method, response.statusCode]).toEqual([method, 405])
      if (method !== 'HEAD') {
        expect(response.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
      }
      expect(allowOf(response.headers)).toEqual(allowed(template))
    }
  })

  it.each([
    '/',
    '/v1/',
    '/v2/organization/',
    '/v2/projects/PR-1/nodes/',
    '/v1//organization/',
    '/V1/organization/',
    '/v2/%ff/',
    '/v2/projects/%',
  ])('responds to the unknown path %s with 404', async (path) => {
    for (const method of ['GET', 'POST', 'PROPFIND']) {
      const response = await fixture.anonymous(path, { method, payload: 'text' })
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ error: { code: 'not_found' } })
    }
  })

  it('sets a unique request id on every response and ignores ids from clients', async () => {
    const ids = new Set<unknown>()
    for (const url of ['/v1/organization/', '/nowhere', '/v2/%ff', '/v2/projects/?page=0']) {
      const response = await fixture.call(url, {
        headers: { 'x-request-id': 'canary', 'request-id': 'canary' },
      })
      expect(response.headers['x-request-id']).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
      ids.add(response.headers['x-request-id'])
    }
    expect(ids.size).toBe(4)
  })

  it('generates request ids that sort by time', () => {
    expect(newRequestId(1_000) < newRequestId(1_001)).toBe(true)
    expect(newRequestId(Date.UTC(2026, 0, 1)).slice(0, 10)).toBe('01KDVDNA00')
  })

  describe('links', () => {
    beforeAll(async () => {
      const posts = Array.from({ length: 101 }, () =>
        fixture.call('/v2/projects/', { method: 'POST', payload: { name: 'x' } }),
      )
      await Promise.all(posts)
    })

    it.each(['127.0.0.1:8645', 'api.example.test', 'localhost:1', '[::1]:8645'])(
      'use the plain host %s',
      async (host) => {
        expect(await next({ host })).toBe(`http://${host}/v2/projects/?order_by=name&page=2`)
      },
    )

    it.each([
      'evil.test/path',
      'user@evil.test',
      'evil.test?x',
      'evil.test#',
      'a b',
      '"><script>',
      'evil.test:99999999',
      'evil.test:99999',
      'evil.999',
      '-x',
    ])('do not use the host %s', async (host) => {
      const link = await next({ host })
      expect(new URL(link ?? '').hostname).toMatch(/^(localhost|127\.0\.0\.1)$/)
      expect(link).not.toContain('evil')
    })

    it('ignore forwarding headers of untrusted clients', async () => {
      const forwarded = {
        'x-forwarded-host': 'evil.test',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.test',
      }
      expect(await next({ host: 'good.test', ...forwarded })).toMatch(/^http:\/\/good\.test\//)
    })

    it('use the headers of a trusted proxy, and prefer a configured URL', async () => {
      const options = { store: fixture.store, log: pino({ enabled: false }), trustProxy: '127.0.0.1' }
      const headers = {
        authorization: `Bearer ${fixture.first.apiKey}`,
        'x-forwarded-host': 'api.example.test',
        'x-forwarded-proto': 'https',
      }
      for (const [publicUrl, base] of [
        [undefined, 'https://api.example.test'],
        ['https://public.example.test/base/', 'https://public.example.test/base'],
      ] as const) {
        const app = await createPlatformApi({ ...options, protocols, publicUrl })
        const response = await app.inject({ url: '/v2/projects/', headers })
        expect(response.json<{ next: string }>().next).toBe(`${base}/v2/projects/?page=2`)
        await app.close()
      }
    })
  })

  it('rejects plain HTTP from other machines when configured to, without a redirect', async () => {
    const log = pino({ enabled: false })
    const app = await createPlatformApi({
      store: fixture.store,
      protocols,
      log,
      requireHttps: true,
      trustProxy: '10.0.0.1',
    })
    const authorization = `Bearer ${fixture.first.apiKey}`
    const status = async (remoteAddress: string, headers: Record<string, string> = {}) => {
      const response = await app.inject({
        url: '/v1/organization/',
        remoteAddress,
        headers: { authorization, ...headers },
      })
      return [response.statusCode, response.json<{ error?: { code: string } }>().error?.code]
    }
    expect(await status('192.0.2.7')).toEqual([403, 'https_required'])
    expect(await status('192.0.2.7', { 'x-forwarded-proto': 'https' })).toEqual([403, 'https_required'])
    expect(await status('192.0.2.7', { 'x-forwarded-for': '127.0.0.1' })).toEqual([403, 'https_required'])
    expect(
      await status('10.0.0.1', { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7' }),
    ).toEqual([200, undefined])
    expect(await status('10.0.0.1', { 'x-forwarded-for': '192.0.2.7' })).toEqual([403, 'https_required'])
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect(await status(address)).toEqual([200, undefined])
    await app.close()
  })
})
