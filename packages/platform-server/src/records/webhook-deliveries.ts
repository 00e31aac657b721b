import { type Kysely, sql } from 'kysely'
import type { Database, WebhookDeliveryState, WebhookEventType } from '../store/database.ts'
import { instant } from '../store/instant.ts'
import { insertWithId } from '../store/record-id.ts'

/** A delivery as the platform API returns it. */
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

/** Result of one attempt. */
export interface Outcome {
  readonly delivered: boolean
  /** HTTP status of the response; null when there was none. */
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** A due delivery with the data that one attempt needs; URL and secret are still encrypted. */
export interface ClaimedDelivery {
  readonly id: string
  readonly webhookId: string
  readonly organizationId: string
  readonly url: string
  readonly secret: string
  readonly eventId: string
  readonly body: string
  /** Number of attempts, including this one. */
  readonly attempts: number
}

/** A new delivery of an event to a webhook. */
export interface NewDelivery {
  readonly webhookId: string
  readonly eventId: string
  /** Time of the first attempt, in milliseconds since 1970. */
  readonly at: number
  /** Set when the caller makes the first attempt: no other process claims the delivery before this time. */
  readonly leaseEnd?: number
}

/** Inserts a delivery of an event and returns its id. */
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

/** A webhook request in progress. */
export interface BusyWebhook {
  readonly webhookId: string
  readonly organizationId: string
}

/** Rules that limit which deliveries are claimed. */
export interface ClaimRules {
  /** Maximum number of deliveries. */
  readonly limit: number
  /** Maximum number of deliveries of one organization, including those in progress. */
  readonly maxPerOrganization: number
  /** Requests in progress; their webhooks are skipped. */
  readonly busy: readonly BusyWebhook[]
}

/**
 * Claims due deliveries, at most one of each webhook. Organizations take turns, so that slow receivers of one
 * organization do not delay the others. Each claim postpones the delivery to the end of its lease. If the claiming
 * process dies, another process can claim the delivery after that time.
 *
 * @param times - current time and end of the lease, in milliseconds since 1970
 * @param rules - limits on the number of deliveries
 */
export async function claimDeliveries(
  db: Kysely<Database>,
  times: { readonly now: number; readonly leaseEnd: number },
  { limit, maxPerOrganization, busy }: ClaimRules,
): Promise<readonly ClaimedDelivery[]> {
  const now = sql`cast(${timeText(times.now)} as timestamptz)`
  // The condition appears twice: another process may have claimed the locked row since the first read.
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
      where turns.turn <= ${maxPerOrganization} and delivery.state = 'pending'
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
 * Stores the result of an attempt, unless its lease has expired and another attempt has started.
 *
 * @param nextAt - time of the next attempt, in milliseconds since 1970; undefined for no further attempt
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

/** Reads one page of a webhook's deliveries, newest first, with the total count; both come from one snapshot. */
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
