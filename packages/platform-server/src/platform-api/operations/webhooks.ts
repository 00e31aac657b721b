import { type AuditEntry, changesBetween, writeAudit } from '../../audit/write-audit.ts'
import {
  findDelivery,
  insertDelivery,
  listDeliveries,
  settleDelivery,
} from '../../records/webhook-deliveries.ts'
import { writeEvent } from '../../records/webhook-events.ts'
import {
  deleteWebhook,
  findTarget,
  findWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type WebhookRecord,
} from '../../records/webhooks.ts'
import { newWebhookSecret } from '../../webhooks/signature.ts'
import { leaseMs } from '../../webhooks/retry-schedule.ts'
import { sendWebhook } from '../../webhooks/send-webhook.ts'
import { targetProblem } from '../../webhooks/target-url.ts'
import { assertWithinLimits } from '../assert-within-limits.ts'
import { createResponse, assertMatch } from '../operation-response.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { assertExists } from '../assert-exists.ts'
import { orNotFound } from '../or-not-found.ts'

/** The operations on webhooks and their deliveries. */
export function webhookOperations({
  db,
  encryptor,
  webhooks: { send, wake },
  organizationLimits,
}: Pick<OperationContext, 'db' | 'encryptor' | 'webhooks' | 'organizationLimits'>): Pick<
  Handlers,
  | 'listWebhooks'
  | 'createWebhook'
  | 'getWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'testWebhook'
  | 'rotateWebhookSecret'
  | 'listWebhookDeliveries'
  | 'resendWebhookDelivery'
> {
  const assertTarget = (url: string): void => {
    const problem = targetProblem(url, send)
    if (problem !== undefined) throw new PlatformError('invalid', { fields: { url: [problem] } })
  }
  return {
    async listWebhooks({ identity: { organizationId }, query, links }) {
      const { count, webhooks } = await listWebhooks(db, encryptor, { organizationId, ...rangeOf(query) })
      return { ...envelope(count, query, links), results: [...webhooks] }
    },

    async createWebhook(call) {
      const { url, description, events, active } = call.body
      assertTarget(url)
      const { organizationId } = call.identity
      const secret = newWebhookSecret()
      return db.transaction().execute(async (transaction) => {
        const fields = { url, description, events, active, organizationId, secret }
        await assertWithinLimits(transaction, organizationLimits, call.identity, {
          maxWebhooksPerOrganization: 1,
        })
        const { webhook, version } = await insertWebhook(transaction, encryptor, fields)
        await writeAudit(transaction, call, {
          action: 'webhook.create',
          object: objectOf(webhook),
          changes: changesBetween(undefined, audited(webhook)),
        })
        return createResponse({ ...webhook, secret }, { etag: version })
      })
    },

    async getWebhook({ identity: { organizationId }, path: { id } }) {
      const { webhook, version } = orNotFound(await findWebhook(db, encryptor, { organizationId, id }))
      return createResponse(webhook, { etag: version })
    },

    async updateWebhook(call) {
      const { url, description, events, active } = call.body
      if (url !== undefined) assertTarget(url)
      const { organizationId } = call.identity
      return db.transaction().execute(async (transaction) => {
        const before = orNotFound(
          await findWebhook(transaction, encryptor, { organizationId, id: call.path.id }, true),
        )
        assertMatch(call.ifMatch, before.version)
        const { webhook, version } = await updateWebhook(transaction, encryptor, before.webhook.id, {
          ...(url !== undefined && { url }),
          ...(description !== undefined && { description }),
          ...(events !== undefined && { events }),
          ...(active !== undefined && { active }),
        })
        await writeAudit(transaction, call, {
          action: 'webhook.update',
          object: objectOf(webhook),
          changes: changesBetween(audited(before.webhook), audited(webhook)),
        })
        return createResponse(webhook, { etag: version })
      })
    },

    async deleteWebhook(call) {
      const { organizationId } = call.identity
      await db.transaction().execute(async (transaction) => {
        const { webhook, version } = orNotFound(
          await findWebhook(transaction, encryptor, { organizationId, id: call.path.id }, true),
        )
        assertMatch(call.ifMatch, version)
        await deleteWebhook(transaction, webhook.id)
        await writeAudit(transaction, call, {
          action: 'webhook.delete',
          object: objectOf(webhook),
          changes: changesBetween(audited(webhook), undefined),
        })
      })
    },

    async rotateWebhookSecret(call) {
      const { organizationId } = call.identity
      const secret = newWebhookSecret()
      return db.transaction().execute(async (transaction) => {
        const before = orNotFound(
          await findWebhook(transaction, encryptor, { organizationId, id: call.path.id }, true),
        )
        assertMatch(call.ifMatch, before.version)
        const { webhook, version } = await updateWebhook(transaction, encryptor, before.webhook.id, {
          secret,
        })
        await writeAudit(transaction, call, { action: 'webhook.rotate', object: objectOf(webhook) })
        return createResponse({ ...webhook, secret }, { etag: version })
      })
    },

    async testWebhook(call) {
      const { organizationId } = call.identity
      const at = Date.now()
      const { url, secret, eventId, deliveryId, body } = await db
        .transaction()
        .execute(async (transaction) => {
          const { webhook } = orNotFound(
            await findWebhook(transaction, encryptor, { organizationId, id: call.path.id }, true),
          )
          const target = assertExists(await findTarget(transaction, encryptor, webhook.id))
          const data = { webhook_id: webhook.id }
          const event = assertExists(
            await writeEvent(transaction, { organizationId, type: 'webhook.test', at, data }),
          )
          const created = await insertDelivery(transaction, {
            webhookId: webhook.id,
            eventId: event.id,
            at,
            leaseEnd: at + leaseMs,
          })
          await writeAudit(transaction, call, { action: 'webhook.test', object: objectOf(webhook) })
          return { ...target, eventId: event.id, body: event.body, deliveryId: created }
        })
      const outcome = await sendWebhook({ url, secret, eventId, deliveryId, body, at }, send)
      await settleDelivery(db, { id: deliveryId, attempts: 1 }, outcome, undefined)
      const { delivered, status, error, durationMs } = outcome
      return { delivered, status, error, duration_ms: durationMs }
    },

    async listWebhookDeliveries({ identity: { organizationId }, path: { id }, query, links }) {
      const { webhook } = orNotFound(await findWebhook(db, encryptor, { organizationId, id }))
      const { event, state } = query
      const { count, deliveries } = await listDeliveries(db, {
        webhookId: webhook.id,
        event,
        state,
        ...rangeOf(query),
      })
      return { ...envelope(count, query, links), results: [...deliveries] }
    },

    async resendWebhookDelivery(call) {
      const { organizationId } = call.identity
      const { id, delivery_id: deliveryId } = call.path
      const created = await db.transaction().execute(async (transaction) => {
        // Locked, so that the webhook is not turned off in the meantime.
        const { webhook } = orNotFound(
          await findWebhook(transaction, encryptor, { organizationId, id }, true),
        )
        const delivery = orNotFound(await findDelivery(transaction, webhook.id, deliveryId))
        if (delivery.state === 'pending') {
          throw new PlatformError('conflict', { message: 'The delivery is still pending.' })
        }
        if (!webhook.active) throw new PlatformError('conflict', { message: 'The webhook is not active.' })
        const newDelivery = { webhookId: webhook.id, eventId: delivery.event_id, at: Date.now() }
        const newId = await insertDelivery(transaction, newDelivery)
        await writeAudit(transaction, call, {
          action: 'webhook.resend',
          object: objectOf(webhook),
          changes: changesBetween({ delivery_id: deliveryId }, { delivery_id: newId }),
        })
        return assertExists(await findDelivery(transaction, webhook.id, newId))
      })
      wake()
      return created
    },
  }
}

function objectOf({ id, description }: WebhookRecord): AuditEntry['object'] {
  return { kind: 'webhook', id, name: description === '' ? undefined : description }
}

// Only the origin of the URL, because the rest may contain a secret of the receiver.
function audited({ url, description, events, active }: WebhookRecord): object {
  return { url: new URL(url).origin, description, events, active }
}
