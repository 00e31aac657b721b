import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { insertOrganization } from '../records/organizations.ts'
import { claimDeliveries, listDeliveries } from '../records/webhook-deliveries.ts'
import { insertEvent, type NewEvent } from '../records/webhook-events.ts'
import { insertWebhook, updateWebhook } from '../records/webhooks.ts'
import type { Store } from '../store/open-store.ts'
import { type TemporaryDatabase, backends } from '../testing/temporary-store.ts'
import { retryDelaysMs } from './retry-schedule.ts'
import { newWebhookSecret } from './signature.ts'
import { type Deliverer, startDeliverer } from './start-deliverer.ts'
import { isSignedWith, startReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts'

const log = pino({ level: 'silent' })
const start = Date.parse('2026-03-09T14:00:00.250Z')
const timeout = { timeout: 50_000 }
const rules = { limit: 10, maxPerOrganization: 10, busy: [] }

describe.each(backends)('startDeliverer on $name', ({ create }) => {
  let database: TemporaryDatabase
  let store: Store
  let receiver: WebhookReceiver
  let organizationId: string
  let now: number
  let deliverers: Deliverer[]
  beforeAll(async () => {
    database = await create()
    store = await database.open()
  }, 60_000)
  afterAll(() => database.remove())
  beforeEach(async () => {
    receiver = await startReceiver()
    organizationId = await insertOrganization(store.db, 'Breakwater Labs')
    now = start
    deliverers = []
  })
  afterEach(async () => {
    await Promise.all(deliverers.map((deliverer) => deliverer.stop()))
    await store.db.deleteFrom('webhooks').execute()
    await store.db.deleteFrom('webhook_events').execute()
    await receiver.close()
  })

  function run(over = store): Deliverer {
    const send = { isPrivateAllowed: true }
    const deliverer = startDeliverer({ store: over, log, send, now: () => now, pollMs: 60_000 })
    deliverers.push(deliverer)
    return deliverer
  }

  async function addWebhook(url = receiver.url, owner = organizationId) {
    const secret = newWebhookSecret()
    const fields = { url, description: '', events: ['quota.warning' as const], active: true }
    const created = await store.db
      .transaction()
      .execute((transaction) =>
        insertWebhook(transaction, store.encryptor, { ...fields, organizationId: owner, secret }),
      )
    if (created === undefined) throw new Error('There are too many webhooks.')
    return { id: created.webhook.id, secret }
  }

  const emit = (event: Partial<NewEvent> = {}) =>
    store.db.transaction().execute((transaction) =>
      insertEvent(transaction, {
        organizationId,
        type: 'quota.warning',
        data: { used: 8 },
        at: now,
        ...event,
      }),
    )

  const deliveriesOf = async (webhookId: string) =>
    (await listDeliveries(store.db, { webhookId, limit: 100, offset: 0 })).deliveries

  it('delivers an event to all subscribed webhooks, signed for each', async () => {
    const webhooks = [await addWebhook(), await addWebhook()]
    expect(await emit()).toBe('written')
    run()
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), timeout)
    const bodies = receiver.received.map(({ body }) => JSON.parse(body) as unknown)
    expect(bodies[0]).toEqual({
      id: expect.stringMatching(/^WE-/) as string,
      type: 'quota.warning',
      created_at: '2026-03-09T14:00:00.250Z',
      organization_id: organizationId,
      data: { used: 8 },
    })
    expect(bodies[1]).toEqual(bodies[0])
    for (const { id, secret } of webhooks) {
      await vi.waitFor(async () => {
        expect(await deliveriesOf(id)).toMatchObject([
          { state: 'delivered', attempts: 1, status: 204, error: null, next_attempt_at: null },
        ])
      }, timeout)
      const [delivery] = await deliveriesOf(id)
      const received = receiver.received.find(({ headers }) => headers['x-delivery-id'] === delivery?.id)
      if (received === undefined) throw new Error('There was no request for the delivery.')
      expect(isSignedWith(secret, received)).toBe(true)
      expect(received.headers['x-event-id']).toBe(delivery?.event_id)
      expect(received.headers['x-signature']).toMatch(new RegExp(`^t=${Math.floor(start / 1_000)},`))
    }
  })

  it('delivers to one organization while the receivers of another hang', async () => {
    const hanging = await startReceiver()
    hanging.respond = () => undefined
    const other = await insertOrganization(store.db, 'Harbor Ltd')
    for (let index = 0; index < 30; index++) await addWebhook(hanging.url)
    for (let index = 0; index < 10; index++) await emit()
    await addWebhook(receiver.url, other)
    now += 1_000
    await emit({ organizationId: other })
    const deliverer = run()
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), timeout)
    await vi.waitFor(() => expect(hanging.received.length).toBe(8), timeout)
    deliverer.wake()
    await emit({ organizationId: other })
    deliverer.wake()
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), timeout)
    expect(hanging.received.length).toBe(8)
    await hanging.close()
  })

  it('retries after 15 s, 1 min, 10 min and 1 h, then fails', async () => {
    const { id, secret } = await addWebhook()
    receiver.respond = (response) => void response.writeHead(503).end()
    await emit()
    const deliverer = run()
    expect(retryDelaysMs).toEqual([15_000, 60_000, 600_000, 3_600_000])
    for (const [at, delay] of [...retryDelaysMs, undefined].entries()) {
      const attempts = at + 1
      const next = delay === undefined ? null : new Date(now + delay).toISOString().replace('Z', '000Z')
      await vi.waitFor(async () => {
        expect(await deliveriesOf(id)).toMatchObject([
          {
            attempts,
            state: next === null ? 'failed' : 'pending',
            status: 503,
            next_attempt_at: next,
            error: 'The receiver responded with a status other than 2xx.',
          },
        ])
      }, timeout)
      expect(receiver.received).toHaveLength(attempts)
      if (delay === undefined) break
      // One millisecond earlier, nothing is due.
      const early = { now: now + delay - 1, leaseEnd: now + delay }
      expect(await claimDeliveries(store.db, early, rules)).toEqual([])
      now += delay
      deliverer.wake()
    }
    now += 100_000_000
    expect(await claimDeliveries(store.db, { now, leaseEnd: now + 1 }, rules)).toEqual([])
    // All attempts have the same body and event, but each has a signature with its own time.
    const delivered = receiver.received
    expect(
      new Set(delivered.map(({ body, headers }) => `${body} ${String(headers['x-event-id'])}`)).size,
    ).toBe(1)
    expect(new Set(delivered.map(({ headers }) => headers['x-signature'])).size).toBe(5)
    expect(delivered.every((received) => isSignedWith(secret, received))).toBe(true)
  })

  it('delivers events with the same key once', async () => {
    const { id } = await addWebhook()
    expect(await emit({ dedupeKey: 'k' })).toBe('written')
    expect(await emit({ dedupeKey: 'k' })).toBe('duplicate')
    const outcomes = await Promise.all([emit({ dedupeKey: 'l' }), emit({ dedupeKey: 'l' })])
    expect(outcomes.toSorted()).toEqual(['duplicate', 'written'])
    expect(await emit({ dedupeKey: 'm', type: 'upstream.down' })).toBe('unsubscribed')
    expect(await deliveriesOf(id)).toHaveLength(2)
  })

  it('sends nothing for a disabled webhook, and fails its pending deliveries', async () => {
    const { id } = await addWebhook()
    await emit()
    await store.db
      .transaction()
      .execute((transaction) => updateWebhook(transaction, store.encryptor, id, { active: false }))
    expect(await emit()).toBe('unsubscribed')
    expect(await deliveriesOf(id)).toMatchObject([
      { state: 'failed', attempts: 0, error: 'The webhook was deactivated.', next_attempt_at: null },
    ])
    expect(await claimDeliveries(store.db, { now, leaseEnd: now }, rules)).toEqual([])
  })

  it('does not delay others for a slow receiver', async () => {
    const slow = await startReceiver()
    slow.respond = () => undefined
    const slowWebhook = await addWebhook(slow.url)
    await emit()
    await emit()
    const { id } = await addWebhook()
    const deliverer = run()
    await vi.waitFor(() => expect(slow.received).toHaveLength(1), timeout)
    for (let event = 1; event <= 3; event++) {
      await emit()
      deliverer.wake()
      await vi.waitFor(() => expect(receiver.received).toHaveLength(event), timeout)
    }
    await vi.waitFor(async () => {
      expect((await deliveriesOf(id)).every(({ state }) => state === 'delivered')).toBe(true)
    }, timeout)
    // One request at a time.
    expect(slow.received).toHaveLength(1)
    expect(await deliveriesOf(slowWebhook.id)).toHaveLength(5)
    await slow.close()
  })

  it('takes over the deliveries of a crashed process after their lease expires', async () => {
    const { id } = await addWebhook()
    await emit()
    const lease = { now, leaseEnd: now + 30_000 }
    expect(await claimDeliveries(store.db, lease, rules)).toHaveLength(1)
    expect(await claimDeliveries(store.db, { ...lease, now: now + 29_999 }, rules)).toEqual([])
    now += 30_000
    run()
    await vi.waitFor(async () => {
      expect(await deliveriesOf(id)).toMatchObject([{ state: 'delivered', attempts: 2 }])
    }, timeout)
  })

  it('distributes deliveries among several processes, each sent once', async () => {
    const webhooks = await Promise.all(Array.from({ length: 4 }, () => addWebhook()))
    for (let event = 0; event < 10; event++) await emit()
    const second = database.databaseUrl === undefined ? store : await database.open()
    run()
    run(second)
    await vi.waitFor(async () => {
      const all = await Promise.all(webhooks.map(({ id }) => deliveriesOf(id)))
      expect(all.flat().filter(({ state }) => state === 'delivered')).toHaveLength(40)
    }, timeout)
    expect(receiver.received).toHaveLength(40)
    expect(new Set(receiver.received.map(({ headers }) => headers['x-delivery-id'])).size).toBe(40)
  })

  it('stores neither URL nor secret in plain text', async () => {
    const { secret } = await addWebhook('https://hooks.example/c4n4ry-in-the-path')
    const rows = await store.db.selectFrom('webhooks').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('c4n4ry')
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  it('deletes records older than 30 days', async () => {
    const { id } = await addWebhook()
    await emit({ at: start - 31 * 24 * 3_600_000 })
    await emit({ at: start - 29 * 24 * 3_600_000 })
    run()
    await vi.waitFor(async () => {
      expect(await deliveriesOf(id)).toMatchObject([{ state: 'delivered' }])
    }, timeout)
  })
})
