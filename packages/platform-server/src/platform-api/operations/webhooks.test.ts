import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { issueApiKey } from '../../records/api-keys.ts'
import { insertOrganization } from '../../records/organizations.ts'
import { insertEvent } from '../../records/webhook-events.ts'
import { defaultOrganizationLimits } from '../../records/organization-limits.ts'
import { insertWebhook } from '../../records/webhooks.ts'
import { type PlatformFixture, platformFixture } from '../../testing/platform-fixture.ts'
import { type TemporaryDatabase, backends } from '../../testing/temporary-store.ts'
import { type Deliverer, startDeliverer } from '../../webhooks/start-deliverer.ts'
import { isSignedWith, startReceiver, type WebhookReceiver } from '../../testing/webhook-receiver.ts'
import type { Success } from '../platform-call.ts'

type Created = Success<'createWebhook'>
type Deliveries = Success<'listWebhookDeliveries'>

const send = { isPrivateAllowed: true }

describe.each(backends)('webhooks on $name', ({ create }) => {
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  let receiver: WebhookReceiver
  let foreignId: string
  let deliverer: Deliverer | undefined
  beforeAll(async () => {
    database = await create()
    fixture = await platformFixture(database, { webhooks: { send, wake: () => deliverer?.wake() } })
    receiver = await startReceiver()
    const { db, encryptor } = fixture.store
    const organizationId = await insertOrganization(db, 'Other')
    const fields = { url: 'https://hooks.example/', description: '', events: [], active: true, secret: 's' }
    const foreign = await db
      .transaction()
      .execute((transaction) => insertWebhook(transaction, encryptor, { ...fields, organizationId }))
    foreignId = foreign?.webhook.id ?? ''
  }, 60_000)
  afterAll(async () => {
    await receiver.close()
    await fixture.app.close()
    await database.remove()
  })
  beforeEach(async () => {
    const { organizationId } = fixture.first
    await fixture.store.db.deleteFrom('webhooks').where('organization_id', '=', organizationId).execute()
    receiver.received.length = 0
    receiver.respond = (response) => void response.writeHead(204).end()
  })

  const call = (method: string, path = '', payload?: unknown, headers: Record<string, string> = {}) =>
    fixture.call(`/v2/webhooks/${path}`, {
      method,
      ...(payload !== undefined && {
        payload: JSON.stringify(payload),
        headers: { 'content-type': 'application/json', ...headers },
      }),
      ...(payload === undefined && { headers }),
    })

  async function createWebhook(fields: object = {}): Promise<Created> {
    const response = await call('POST', '', { url: receiver.url, events: ['quota.warning'], ...fields })
    expect([response.statusCode, response.body]).toEqual([201, response.body])
    return response.json<Created>()
  }

  async function lastAudit() {
    const { rows } = await sql<{ action: string; object_id: string; changes: unknown; actor_kind: string }>`
      select action, object_id, changes, actor_kind from audit_log order by created_at desc limit 1`.execute(
      fixture.store.db,
    )
    return rows[0]
  }

  it('creates one, and returns its secret once', async () => {
    const response = await call('POST', '', {
      url: 'https://user-less.example/hooks/c4n4ry?key=c4n4ry',
      events: ['quota.warning', 'upstream.down'],
      description: 'Pager',
      active: false,
    })
    expect([response.statusCode, response.headers.etag]).toEqual([201, '"1"'])
    const { secret, ...webhook } = response.json<Created>()
    expect(secret).toMatch(/^whsec_[\w-]{43}$/)
    expect(webhook).toMatchObject({
      url: 'https://user-less.example/hooks/c4n4ry?key=c4n4ry',
      events: ['quota.warning', 'upstream.down'],
      description: 'Pager',
      active: false,
    })
    const got = await call('GET', `${webhook.id}/`)
    expect([got.json(), got.headers.etag]).toEqual([webhook, '"1"'])
    expect((await call('GET')).json()).toMatchObject({ count: 1, next: null, results: [webhook] })
    expect(await lastAudit()).toEqual({
      action: 'webhook.create',
      object_id: webhook.id,
      actor_kind: 'key',
      changes: {
        url: { before: null, after: 'https://user-less.example' },
        description: { before: null, after: 'Pager' },
        events: { before: null, after: ['quota.warning', 'upstream.down'] },
        active: { before: null, after: false },
      },
    })
    expect(fixture.log()).not.toContain('c4n4ry')
    expect(fixture.log()).not.toContain(secret)
  })

  it.each([
    [{ url: 'https://hooks.example/', events: [] }, 'events'],
    [{ url: 'https://hooks.example/', events: ['quota.warning', 'quota.warning'] }, 'events'],
    [{ url: 'https://hooks.example/', events: ['webhook.test'] }, 'events.0'],
    [{ url: 'https://hooks.example/' }, 'events'],
    [{ events: ['quota.warning'] }, 'url'],
    [{ url: 'c4n4ry', events: ['quota.warning'] }, 'url'],
    [{ url: 'https://u:c4n4ry@hooks.example/', events: ['quota.warning'] }, 'url'],
    [{ url: 'http://169.254.169.254/c4n4ry', events: ['quota.warning'] }, 'url'],
    [{ url: 'https://hooks.example/', events: ['quota.warning'], active: 'yes' }, 'active'],
  ])('rejects %j with %s', async (body, field) => {
    const response = await call('POST', '', body)
    expect(response.statusCode).toBe(400)
    const { fields } = response.json<{ error: { fields: Record<string, string[]> } }>().error
    expect(Object.keys(fields).map((name) => name.split('.')[0])).toEqual([field.split('.')[0]])
    expect(response.body).not.toContain('c4n4ry')
  })

  it('rejects an update to a URL that is not allowed', async () => {
    const { id } = await createWebhook()
    const response = await call('PATCH', `${id}/`, { url: 'http://169.254.169.254/' })
    expect(response.json()).toMatchObject({
      error: { code: 'invalid', fields: { url: [expect.any(String)] } },
    })
  })

  it('updates the given fields with a matching version', async () => {
    const { id } = await createWebhook({ description: 'old' })
    const stale = await call('PATCH', `${id}/`, { active: false }, { 'if-match': '"2"' })
    expect([stale.statusCode, stale.json<{ error: { code: string } }>().error.code]).toEqual([
      412,
      'precondition_failed',
    ])
    const changed = await call(
      'PATCH',
      `${id}/`,
      { active: false, description: 'new' },
      { 'if-match': '"1"' },
    )
    expect([changed.statusCode, changed.headers.etag]).toEqual([200, '"2"'])
    expect(changed.json()).toMatchObject({ url: receiver.url, active: false, description: 'new' })
    expect(await lastAudit()).toMatchObject({
      action: 'webhook.update',
      changes: { active: { before: true, after: false }, description: { before: 'old', after: 'new' } },
    })
    expect((await call('DELETE', `${id}/`, undefined, { 'if-match': '"1"' })).statusCode).toBe(412)
    expect((await call('DELETE', `${id}/`, undefined, { 'if-match': '"1", "2"' })).statusCode).toBe(204)
    expect(await lastAudit()).toMatchObject({ action: 'webhook.delete', object_id: id })
    expect((await call('GET', `${id}/`)).statusCode).toBe(404)
  })

  it('responds with 412 to one of two concurrent updates', async () => {
    const { id } = await createWebhook()
    const responses = await Promise.all(
      ['a', 'b'].map((description) => call('PATCH', `${id}/`, { description }, { 'if-match': '"1"' })),
    )
    expect(responses.map(({ statusCode }) => String(statusCode)).toSorted()).toEqual(['200', '412'])
  })

  it('sends a test event immediately, also to an inactive webhook, and returns the outcome', async () => {
    const { id, secret } = await createWebhook({ active: false })
    const delivered = await call('POST', `${id}/test/`)
    expect([delivered.statusCode, delivered.json()]).toEqual([
      200,
      { delivered: true, status: 204, error: null, duration_ms: expect.any(Number) as number },
    ])
    const [received] = receiver.received
    if (received === undefined) throw new Error('Nothing was received.')
    expect(isSignedWith(secret, received)).toBe(true)
    expect(JSON.parse(received.body)).toMatchObject({
      type: 'webhook.test',
      organization_id: fixture.first.organizationId,
      data: { webhook_id: id },
    })
    receiver.respond = (response) => void response.writeHead(500).end('c4n4ry')
    const failed = await call('POST', `${id}/test/`)
    expect(failed.json()).toMatchObject({ delivered: false, status: 500 })
    expect(failed.body).not.toContain('c4n4ry')
    const { results } = (await call('GET', `${id}/deliveries/`)).json<Deliveries>()
    expect(results).toMatchObject([
      { event: 'webhook.test', state: 'failed', attempts: 1, status: 500, next_attempt_at: null },
      { event: 'webhook.test', state: 'delivered', attempts: 1, status: 204, error: null },
    ])
    expect(results[1]?.id).toBe(received.headers['x-delivery-id'])
    expect(results[1]?.event_id).toBe(received.headers['x-event-id'])
    expect(await lastAudit()).toMatchObject({ action: 'webhook.test', object_id: id })
  })

  it('replaces the secret that signs the next request', async () => {
    const { id, secret: oldSecret } = await createWebhook()
    const response = await call('POST', `${id}/rotate-secret/`)
    expect([response.statusCode, response.headers.etag]).toEqual([200, '"2"'])
    const { secret } = response.json<Created>()
    expect(secret).not.toBe(oldSecret)
    expect(await lastAudit()).toMatchObject({ action: 'webhook.rotate', changes: {} })
    await call('POST', `${id}/test/`)
    const [received] = receiver.received
    if (received === undefined) throw new Error('Nothing was received.')
    expect([isSignedWith(oldSecret, received), isSignedWith(secret, received)]).toEqual([false, true])
  })

  it('lists deliveries by event and state, by pages, and sends one again', async () => {
    const { organizationId } = fixture.first
    const { id } = await createWebhook({ events: ['quota.warning', 'upstream.down'] })
    const { db } = fixture.store
    for (const type of ['quota.warning', 'quota.warning', 'upstream.down'] as const) {
      await db
        .transaction()
        .execute((transaction) =>
          insertEvent(transaction, { organizationId, type, data: {}, at: Date.now() }),
        )
    }
    const list = async (query = '') => (await call('GET', `${id}/deliveries/?${query}`)).json<Deliveries>()
    const pending = await list('event=upstream.down')
    expect(pending).toMatchObject({ count: 1, results: [{ state: 'pending', attempts: 0, status: null }] })
    expect((await call('POST', `${id}/deliveries/${pending.results[0]?.id}/resend/`)).statusCode).toBe(409)
    expect((await list('state=delivered')).count).toBe(0)
    const page = await list('page_size=2')
    expect([page.count, page.results.length]).toEqual([3, 2])
    expect(page.next).toContain(`/v2/webhooks/${id}/deliveries/?page=2&page_size=2`)
    expect((await list('state=pending&event=quota.warning')).count).toBe(2)

    deliverer = startDeliverer({ store: fixture.store, log: pino({ level: 'silent' }), send, pollMs: 60_000 })
    await vi.waitFor(async () => expect((await list('state=delivered')).count).toBe(3), { timeout: 50_000 })
    const { id: deliveryId, event_id } = pending.results[0] ?? {}
    const resent = await call('POST', `${id}/deliveries/${deliveryId}/resend/`)
    expect([resent.statusCode, resent.json()]).toEqual([
      201,
      expect.objectContaining({ event: 'upstream.down', event_id, state: 'pending', attempts: 0 }),
    ])
    expect(await lastAudit()).toMatchObject({
      action: 'webhook.resend',
      object_id: id,
      changes: { delivery_id: { before: deliveryId, after: resent.json<{ id: string }>().id } },
    })
    await vi.waitFor(async () => expect((await list('state=delivered')).count).toBe(4), { timeout: 50_000 })
    await deliverer.stop()
    deliverer = undefined
    const copies = receiver.received.filter(({ headers }) => headers['x-event-id'] === event_id)
    expect(new Set(copies.map(({ body }) => body)).size).toBe(1)
    expect(copies).toHaveLength(2)
    await call('PATCH', `${id}/`, { active: false })
    expect((await call('POST', `${id}/deliveries/${deliveryId}/resend/`)).statusCode).toBe(409)
  })

  it('limits the number of webhooks per organization', async () => {
    const { organizationId } = fixture.first
    const fields = { url: receiver.url, description: '', events: [], active: true, secret: 's' }
    const { db, encryptor } = fixture.store
    const maxWebhooks = defaultOrganizationLimits.maxWebhooksPerOrganization
    await db.transaction().execute(async (transaction) => {
      for (let at = 1; at < maxWebhooks; at++) {
        await insertWebhook(transaction, encryptor, { ...fields, organizationId })
      }
    })
    const body = { url: receiver.url, events: ['quota.warning'] }
    const responses = await Promise.all([call('POST', '', body), call('POST', '', body)])
    expect(responses.map(({ statusCode }) => String(statusCode)).toSorted()).toEqual(['201', '409'])
    const second = (await call('GET', '?page=2&page_size=60')).json<Success<'listWebhooks'>>()
    expect([second.count, second.results.length, second.next]).toEqual([maxWebhooks, 40, null])
  })

  it('does not return webhooks of another organization', async () => {
    const { id } = await createWebhook()
    const paths: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', {}],
      ['DELETE', ''],
      ['POST', 'test/'],
      ['POST', 'rotate-secret/'],
      ['GET', 'deliveries/'],
      ['POST', 'deliveries/WD-1/resend/'],
    ]
    for (const [method, path, body] of paths) {
      for (const foreign of [foreignId, 'WH-none']) {
        expect([method, path, (await call(method, `${foreign}/${path}`, body)).statusCode]).toEqual([
          method,
          path,
          404,
        ])
      }
    }
    expect((await call('POST', `${id}/deliveries/WD-1/resend/`)).statusCode).toBe(404)
    expect((await call('GET')).json()).toMatchObject({ count: 1 })
  })

  it('requires permission', async () => {
    const { id } = await createWebhook()
    const { store, first, anonymous } = fixture
    const { creatorId } = await store.db
      .selectFrom('api_keys')
      .select('creator_id as creatorId')
      .executeTakeFirstOrThrow()
    const { key } = await issueApiKey(store.db, {
      organizationId: first.organizationId,
      creatorId,
      name: 'reader',
      scopes: ['webhooks:read'],
      origin: 'user',
    })
    const headers = { authorization: `Bearer ${key}` }
    expect((await anonymous(`/v2/webhooks/${id}/`, { headers })).statusCode).toBe(200)
    const rejected = await anonymous(`/v2/webhooks/${id}/test/`, { method: 'POST', headers })
    expect([rejected.statusCode, rejected.headers['www-authenticate']]).toEqual([
      403,
      'Bearer realm="platform", error="insufficient_scope", scope="webhooks:write"',
    ])
    expect((await anonymous('/v2/webhooks/')).statusCode).toBe(401)
    expect(receiver.received).toEqual([])
  })
})
