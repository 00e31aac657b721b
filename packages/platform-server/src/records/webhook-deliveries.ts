import { type Kysely, sql } from 'kysely'
import type { Database, WebhookDeliveryState, WebhookEventType } from '../store/database.ts'
import { instant } from '../store/instant.ts'
import { insertWithId } from '../store/record-id.ts'

/** A delivery as the platform API shows it. */
export interface DeliveryRecord {
  readonly id: string
  readonly event: WebhookEventType
  readonly event_id: string
  readonly created_at: string
  readonly attempts: number
  readonly state: WebhookDeliveryState
  readonly status: number | null
  readonly error: string | null
  readonly next_attempt_at: string | null
  readonly duration_ms: number | null
}

/** What came of one attempt. */
export interface Outcome {
  readonly delivered: boolean
  /** Of the answer, when there was one. */
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** A delivery whose turn it is, with what one attempt needs; address and secret are still sealed. */
export interface ClaimedDelivery {
  readonly id: string
  readonly webhookId: string
  readonly organizationId: string
  readonly url: string
  readonly secret: string
  readonly eventId: string
  readonly body: string
  /** Attempts with this one. */
  readonly attempts: number
}

/** An event that is to be delivered. */
export interface NewDelivery {
  readonly webhookId: string
  readonly eventId: string
  /** From when on, in milliseconds since 1970. */
  readonly at: number
  /** For one whose first attempt the caller makes: until when nobody else does. */
  readonly leaseEnd?: number
}

/** Writes down that an event is to be delivered. */
export async function insertDelivery(db: Kysely<Database>, delivery: NewDelivery): Promise<string> {
  return insertWithId('webhookDelivery', async (id) => {
    const row = await db
      .insertInto('webhook_deliveries')
      .values({
        id,
        webhook_id: delivery.webhookId,
        event_id: delivery.eventId,
        state: 'pending',
        attempts: delivery.leaseEnd === undefined ? 0 : 1,
        status: null,
        error: null,
        duration_ms: null,
        next_attempt_at: timeText(delivery.leaseEnd ?? delivery.at),
        created_at: timeText(delivery.at),
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  })
}

/** A request to a webhook that is under way. */
export interface BusyWebhook {
  readonly webhookId: string
  readonly organizationId: string
}

/** Which deliveries are taken. */
export interface ClaimRules {
  /** Most of all. */
  readonly limit: number
  /** Most of one organization, those under way included. */
  readonly mostOfOrganization: number
  /** Webhooks that are left out. */
  readonly busy: readonly BusyWebhook[]
}

/**
 * Takes deliveries whose time has come, one of each webhook and organizations by turns, so that receivers that are slow keep no other organization
 * waiting.
 * Each is put off to the end of its lease: whoever took it and died loses it then to another process.
 *
 * @param times - now and the end of the lease, in milliseconds since 1970
 * @param rules - how many to take, and of whom
 */
export async function claimDeliveries(
  db: Kysely<Database>,
  times: { readonly now: number; readonly leaseEnd: number },
  { limit, mostOfOrganization, busy }: ClaimRules,
): Promise<readonly ClaimedDelivery[]> {
  const now = sql`cast(${timeText(times.now)} as timestamptz)`
  // What is due is asked for twice: the row that is locked may have been taken since the first look.
  const { rows } = await sql<ClaimedDelivery>`
    with first as (
      select distinct on (webhook_id) id, webhook_id, next_attempt_at from webhook_deliveries
      where state = 'pending' and next_attempt_at <= ${now}
        and webhook_id <> all(${busy.map(({ webhookId }) => webhookId)}::text[])
      order by webhook_id, next_attempt_at
    ), busy as (
      select organization_id, count(*)::int as requests
      from unnest(${busy.map(({ organizationId }) => organizationId)}::text[]) as organization_id
      group by organization_id
    ), turns as (
      -- The organizations take turns, those with requests under way behind the others.
      select first.id, coalesce(busy.requests, 0) + row_number() over (
        partition by webhooks.organization_id order by first.next_attempt_at, first.id
      ) as turn
      from first join webhooks on webhooks.id = first.webhook_id
      left join busy on busy.organization_id = webhooks.organization_id
    ), taken as (
      select delivery.id from webhook_deliveries as delivery join turns on turns.id = delivery.id
      where turns.turn <= ${mostOfOrganization} and delivery.state = 'pending'
        and delivery.next_attempt_at <= ${now}
      order by turns.turn, delivery.next_attempt_at limit ${limit}
      for update of delivery skip locked
    )
    update webhook_deliveries as delivery
    set attempts = attempts + 1, next_attempt_at = cast(${timeText(times.leaseEnd)} as timestamptz)
    from taken, webhooks as webhook, webhook_events as event
    where delivery.id = taken.id and webhook.id = delivery.webhook_id and event.id = delivery.event_id
    returning delivery.id, delivery.webhook_id as "webhookId", webhook.organization_id as "organizationId", webhook.url, webhook.secret,
      delivery.event_id as "eventId", event.body, delivery.attempts`.execute(db)
  return rows
}

/**
 * Writes down what came of an attempt, unless its lease has ended and another one was begun.
 *
 * @param nextAt - when to try again, in milliseconds since 1970; undefined for never
 */
export async function settleDelivery(
  db: Kysely<Database>,
  { id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>,
  outcome: Outcome,
  nextAt: number | undefined,
): Promise<void> {
  const { delivered, status, error, durationMs } = outcome
  const isOver = delivered || nextAt === undefined
  await db
    .updateTable('webhook_deliveries')
    .set({
      state: delivered ? 'delivered' : isOver ? 'failed' : 'pending',
      status,
      error,
      duration_ms: durationMs,
      next_attempt_at: isOver ? null : timeText(nextAt),
    })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('state', '=', 'pending')
    .execute()
}

/** Reads one delivery of a webhook. */
export async function findDelivery(
  db: Kysely<Database>,
  webhookId: string,
  id: string,
): Promise<DeliveryRecord | undefined> {
  const { rows } = await sql<DeliveryRecord>`
    select ${shownColumns} from webhook_deliveries as delivery
    join webhook_events as event on event.id = delivery.event_id
    where delivery.webhook_id = ${webhookId} and delivery.id = ${id}`.execute(db)
  return rows[0]
}

/** Reads one page of the deliveries of a webhook, the newest first, with the number of all; of one snapshot. */
export async function listDeliveries(
  db: Kysely<Database>,
  query: {
    readonly webhookId: string
    readonly event?: WebhookEventType | undefined
    readonly state?: WebhookDeliveryState | undefined
    readonly limit: number
    readonly offset: number
  },
): Promise<{ readonly count: number; readonly deliveries: readonly DeliveryRecord[] }> {
  const conditions = [sql`delivery.webhook_id = ${query.webhookId}`]
  if (query.event !== undefined) conditions.push(sql`event.type = ${query.event}`)
  if (query.state !== undefined) conditions.push(sql`delivery.state = ${query.state}`)
  const matching = sql`
    from webhook_deliveries as delivery join webhook_events as event on event.id = delivery.event_id
    where ${sql.join(conditions, sql` and `)}`
  const { rows } = await sql<DeliveryRecord & { total: number }>`
    select (select count(*)::int ${matching}) as total, ${shownColumns} ${matching}
    order by delivery.created_at desc, delivery.id desc limit ${query.limit} offset ${query.offset}`.execute(
    db,
  )
  return { count: rows[0]?.total ?? 0, deliveries: rows.map(toRecord) }
}

function toRecord(row: DeliveryRecord): DeliveryRecord {
  const { id, event, event_id, created_at, attempts, state, status, error, next_attempt_at, duration_ms } =
    row
  return { id, event, event_id, created_at, attempts, state, status, error, next_attempt_at, duration_ms }
}

const shownColumns = sql`
  delivery.id, event.type as event, delivery.event_id, ${instant('delivery.created_at')} as created_at,
  delivery.attempts, delivery.state, delivery.status, delivery.error,
  ${instant<string | null>('delivery.next_attempt_at')} as next_attempt_at, delivery.duration_ms`

function timeText(time: number): string {
  return new Date(time).toISOString()
}
