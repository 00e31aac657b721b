import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ensureFirstStart } from '../first-start/first-start.ts'
import { issueNodeCredential } from '../records/node-credentials.ts'
import { insertWebhook } from '../records/webhooks.ts'
import type { Store } from '../store/open-store.ts'
import { type TemporaryDatabase, backends } from '../testing/temporary-store.ts'
import { startWebhooks } from './start-webhooks.ts'
import { isSignedWith, startReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts'
import { protocols } from '../testing/protocols.ts'

describe.each(backends)('startWebhooks on $name', ({ create }) => {
  let database: TemporaryDatabase
  let store: Store
  let receiver: WebhookReceiver
  beforeAll(async () => {
    database = await create()
    store = await database.open()
    receiver = await startReceiver()
  }, 60_000)
  afterAll(async () => {
    await receiver.close()
    await database.remove()
  })

  it('sends an event immediately after its detection, and stops on close', async () => {
    const { organizationId, nodeId } = await ensureFirstStart(store, {
      protocols,
      upstreams: { evm: 'devnet' },
    })
    const issued = await issueNodeCredential(store.db, { nodeId, kind: 'token', origin: 'user' })
    const secret = 'whsec_for-this-test-only'
    const events = ['credential.new_address' as const]
    const fields = { url: receiver.url, description: '', events, active: true, organizationId, secret }
    await store.db.transaction().execute((transaction) => insertWebhook(transaction, store.encryptor, fields))
    const webhooks = startWebhooks({
      store,
      log: pino({ level: 'silent' }),
      send: { isPrivateAllowed: true },
      upstreams: () => [],
    })
    const addresses = ['192.0.2.1', '192.0.2.2']
    await webhooks.reportUses([{ credentialId: issued.id, usedAt: 0, address: '192.0.2.2', addresses }])
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), { timeout: 50_000 })
    const [received] = receiver.received
    if (received === undefined) throw new Error('Nothing was received.')
    expect(isSignedWith(secret, received)).toBe(true)
    expect(JSON.parse(received.body)).toMatchObject({
      type: 'credential.new_address',
      data: { credential: { id: issued.id }, address: '192.0.2.2' },
    })
    await webhooks.stop()
    const deliveries = await store.db.selectFrom('webhook_deliveries').select('state').execute()
    expect(deliveries).toEqual([{ state: 'delivered' }])
  })
})
