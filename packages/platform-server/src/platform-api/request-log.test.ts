import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { pino } from 'pino'
import { type PlatformFixture, platformFixture } from '../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends, anyDatabase } from '../testing/temporary-store.ts'
import { createRequestLog } from './request-log.ts'

describe('the request log', () => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  beforeAll(async () => {
    database = await anyDatabase()
    fixture = await platformFixture(database, {
      serverFactory: (handler) => createServer((request, response) => handler(request, response)),
    })
    await fixture.app.listen({ port: 0, host: '127.0.0.1' })
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  const address = () => fixture.app.listeningOrigin
  const lineOf = async (requestId: string | null) =>
    vi.waitFor(() => {
      const lines = fixture.log().trim().split('\n')
      const line = lines.find((text) => text.includes(`"request_id":"${requestId}"`))
      if (line === undefined) throw new Error('There is no line yet.')
      const fields: Record<string, unknown> = JSON.parse(line)
      return fields
    }, 20_000)

  it('writes one line per request with its distinguishing fields', async () => {
    const { apiKey } = fixture.first
    const response = await fetch(`${address()}/v2/projects?name=canary-31`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    expect(response.status).toBe(200)
    expect(await lineOf(response.headers.get('x-request-id'))).toMatchObject({
      operation_id: 'listProjects',
      status: 200,
      duration_ms: expect.any(Number),
      key: apiKey.slice(0, 8),
    })
    const rejected = await fetch(`${address()}/v1/organization/`)
    expect(await lineOf(rejected.headers.get('x-request-id'))).toMatchObject({
      operation_id: 'getOrganization',
      status: 401,
      key: null,
    })
    const unknown = await fetch(`${address()}/canary-32/%ff`)
    expect(await lineOf(unknown.headers.get('x-request-id'))).toMatchObject({
      operation_id: null,
      status: 404,
    })
  })

  it('logs no error when a client disconnects during its body', async () => {
    const { port, hostname } = new URL(address())
    const socket = connect(Number(port), hostname)
    const head = 'POST /v1/session/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json'
    socket.write(`${head}\r\ncontent-length: 10\r\n\r\n{`, () => socket.destroy())
    await vi.waitFor(() => expect(fixture.log()).toContain('"status":499'), 20_000)
    expect(fixture.log()).not.toContain('"level":50')
  })

  it('never contains a secret, nor does an error body', async () => {
    const { apiKey, token, password, username } = fixture.first
    const secrets = [apiKey, apiKey.slice(9), token, password, 'canary-33']
    const bodies: string[] = []
    for (const authorization of [
      `Bearer ${apiKey}`,
      `Bearer ${apiKey}x`,
      `Basic ${btoa(`${username}:${password}`)}`,
      'Bearer canary-33',
    ]) {
      for (const path of [
        `/v2/projects/?api_key=${apiKey}`,
        `/${token}`,
        `/${token}/%ff`,
        '/v2/projects/?type=canary-33',
      ]) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const headers = { authorization, 'content-type': 'application/json', 'x-api-key': apiKey }
          const body = method === 'GET' ? null : `{"name":["${token}"],"type":"canary-33"}`
          const response = await fetch(`${address()}${path}`, { method, headers, body })
          if (!response.ok) bodies.push(await response.text())
        }
      }
    }
    expect(bodies.length).toBeGreaterThan(30)
    for (const secret of [...secrets, btoa(`${username}:${password}`)]) {
      expect(bodies.join('\n')).not.toContain(secret)
      expect(fixture.log()).not.toContain(secret)
    }
  })
})

it('throttled requests have one line per 10 s, with the number of suppressed lines', () => {
  const lines = memory()
  let now = 0
  const logRequest = createRequestLog(pino({ level: 'info' }, lines.stream), () => now)
  const request = { id: 'a' } as FastifyRequest
  for (let count = 0; count < 100; count++) logRequest(request, 429, 1)
  logRequest(request, 200, 1)
  now = 10_000
  logRequest(request, 429, 1)
  const written = lines
    .text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(written.map(({ status, not_logged: count }) => [status, count])).toEqual([
    [429, undefined],
    [200, undefined],
    [429, 99],
  ])
})

describe.each(backends)('failed requests on $name', ({ create }) => {
  it(
    'get 500 without detail for a defect, and 503 while the database is unavailable',
    { timeout: 60_000 },
    async () => {
      const database = await create()
      const fixture = await platformFixture(database)
      const { store, app } = fixture

      await store.db.schema.alterTable('organizations').renameColumn('name', 'canary_34').execute()
      const defect = await fixture.call('/v1/organization/')
      expect(defect.statusCode).toBe(500)
      expect(defect.json()).toMatchObject({
        error: { code: 'server_error', message: 'An internal error occurred.' },
      })
      expect(fixture.log()).toContain('does not exist')
      expect(fixture.log()).not.toContain(fixture.first.apiKey.slice(9))
      const failures = fixture
        .log()
        .split('\n')
        .filter((line) => line.includes('"request failed"'))
      expect(failures).toHaveLength(1)
      expect(failures[0]).toContain(String(defect.headers['x-request-id']))

      await store.close()
      const unavailable = await fixture.call('/v1/organization/')
      expect(unavailable.statusCode).toBe(503)
      expect(unavailable.json()).toMatchObject({ error: { code: 'unavailable' } })
      expect(Number(unavailable.headers['retry-after'])).toBeGreaterThan(0)
      await app.close()
      await database.remove()
    },
  )
})
