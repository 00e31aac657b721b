import { type Kysely, sql } from 'kysely'
import type { Database, WebhookEventType } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'
import { insertDelivery } from './webhook-deliveries.ts'

/** A new event. */
export interface NewEvent {
  readonly organizationId: string
  readonly type: WebhookEventType
  /** Payload of the event, with field names as sent. */
  readonly data: Readonly<Record<string, unknown>>
  /** An event with the same key as an earlier one is discarded. */
  readonly dedupeKey?: string
  /** When it happened, in milliseconds since 1970. */
  readonly at: number
}

/** Result of {@link insertEvent}: no webhook subscribes to the type, the event is a duplicate, or it was stored. */
export type EventOutcome = 'unsubscribed' | 'duplicate' | 'written'

/**
 * Stores an event with a delivery for every active webhook of the organization that subscribes to its type.
 *
 * @param transaction - the transaction of the change that caused the event, so that both commit together
 */
export async function insertEvent(transaction: Kysely<Database>, event: NewEvent): Promise<EventOutcome> {
  const webhooks = await transaction
    .selectFrom('webhooks')
    .select('id')
    .where('organization_id', '=', event.organizationId)
    .where('active', '=', true)
    .where(sql<boolean>`${event.type} = any(events)`)
    .execute()
  if (webhooks.length === 0) return 'unsubscribed'
  const written = await writeEvent(transaction, event)
  if (written === undefined) return 'duplicate'
  for (const { id: webhookId } of webhooks) {
    await insertDelivery(transaction, { webhookId, eventId: written.id, at: event.at })
  }
  return 'written'
}

/** A stored event with the body to send. */
export interface WrittenEvent {
  readonly id: string
  readonly body: string
}

/** Stores an event, whether or not a webhook subscribes to it; undefined when its key already exists. */
export async function writeEvent(
  transaction: Kysely<Database>,
  event: NewEvent,
): Promise<WrittenEvent | undefined> {
  const { organizationId, type, dedupeKey = null } = event
  const written = await insertWithId<WrittenEvent | 'duplicate'>('webhookEvent', async (id) => {
    const row = await transaction
      .insertInto('webhook_events')
      .values({
        id,
        organization_id: organizationId,
        type,
        dedupe_key: dedupeKey,
        body: eventBody(id, event),
        created_at: new Date(event.at).toISOString(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning(['id', 'body'])
      .executeTakeFirst()
    if (row) return row
    const isDuplicate = dedupeKey !== null && (await hasKey(transaction, dedupeKey))
    return isDuplicate ? 'duplicate' : undefined
  })
  return written === 'duplicate' ? undefined : written
}

/** Reads the event types that at least one active webhook subscribes to. */
export async function subscribedEventTypes(db: Kysely<Database>): Promise<ReadonlySet<WebhookEventType>> {
  const { rows } = await sql<{ type: WebhookEventType }>`
    select distinct unnest(events) as type from webhooks where active`.execute(db)
  return new Set(rows.map(({ type }) => type))
}

/** Deletes events before a time in milliseconds since 1970, with their deliveries. */
export async function deleteEventsBefore(db: Kysely<Database>, time: number): Promise<void> {
  await db.deleteFrom('webhook_events').where('created_at', '<', new Date(time).toISOString()).execute()
}

function eventBody(id: string, { type, at, organizationId, data }: NewEvent): string {
  const created_at = new Date(at).toISOString()
  return JSON.stringify({ id, type, created_at, organization_id: organizationId, data })
}

async function hasKey(db: Kysely<Database>, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_events')
    .select('id')
    .where('dedupe_key', '=', key)
    .executeTakeFirst()
  return row !== undefined
}
