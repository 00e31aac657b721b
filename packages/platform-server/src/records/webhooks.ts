import { type Kysely, sql } from 'kysely'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import type { Database, SubscribedEventType } from '../store/database.ts'
import { instant } from '../store/instant.ts'
import { insertWithId } from '../store/record-id.ts'

/** A webhook as the platform API returns it. */
export interface WebhookRecord {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly events: SubscribedEventType[]
  readonly active: boolean
  readonly created_at: string
}

/** A webhook with its version. */
export interface VersionedWebhook {
  readonly webhook: WebhookRecord
  readonly version: number
}

/** Fields of a webhook, except its secret. */
export type WebhookFields = Pick<WebhookRecord, 'url' | 'description' | 'events' | 'active'>

/** Creates a webhook. */
export async function insertWebhook(
  db: Kysely<Database>,
  encryptor: Encryptor,
  { organizationId, secret, ...fields }: WebhookFields & { organizationId: string; secret: string },
): Promise<VersionedWebhook> {
  return insertWithId('webhook', async (id) => {
    const row = await db
      .insertInto('webhooks')
      .values({
        id,
        organization_id: organizationId,
        url: encryptor.encrypt(fields.url, urlContext(id)),
        secret: encryptor.encrypt(secret, id),
        description: fields.description,
        events: fields.events,
        active: fields.active,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning(columns)
      .executeTakeFirst()
    return row && versioned(encryptor, row)
  })
}

/**
 * Reads one webhook of an organization.
 *
 * @param isLocked - locks the row, so that others cannot change it until the transaction ends
 */
export async function findWebhook(
  db: Kysely<Database>,
  encryptor: Encryptor,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  isLocked = false,
): Promise<VersionedWebhook | undefined> {
  const query = db
    .selectFrom('webhooks')
    .select(columns)
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
  const row = await (isLocked ? query.forUpdate() : query).executeTakeFirst()
  return row && versioned(encryptor, row)
}

/** Reads one page of an organization's webhooks, newest first, with the total count; both come from one snapshot. */
export async function listWebhooks(
  db: Kysely<Database>,
  encryptor: Encryptor,
  query: { readonly organizationId: string; readonly limit: number; readonly offset: number },
): Promise<{ readonly count: number; readonly webhooks: readonly WebhookRecord[] }> {
  const { rows } = await sql<Row & { total: number }>`
    with page as (
      select * from webhooks where organization_id = ${query.organizationId}
      order by created_at desc, id desc limit ${query.limit} offset ${query.offset}
    )
    select
      (select count(*)::int from webhooks where organization_id = ${query.organizationId}) as total,
      id, url, description, events, active, version,
      ${instant('created_at')} as created_text
    from page order by created_at desc, id desc`.execute(db)
  return {
    count: rows[0]?.total ?? 0,
    webhooks: rows.map((row) => versioned(encryptor, row).webhook),
  }
}

/** Updates a webhook that the caller has locked. Turning a webhook off fails its pending deliveries. */
export async function updateWebhook(
  transaction: Kysely<Database>,
  encryptor: Encryptor,
  id: string,
  { url, ...fields }: Partial<WebhookFields> & { readonly secret?: string },
): Promise<VersionedWebhook> {
  const row = await transaction
    .updateTable('webhooks')
    .set({
      ...fields,
      ...(url !== undefined && { url: encryptor.encrypt(url, urlContext(id)) }),
      ...(fields.secret !== undefined && { secret: encryptor.encrypt(fields.secret, id) }),
      version: sql<number>`version + 1`,
    })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  if (fields.active === false) {
    await transaction
      .updateTable('webhook_deliveries')
      .set({ state: 'failed', next_attempt_at: null, error: 'The webhook was deactivated.' })
      .where('webhook_id', '=', id)
      .where('state', '=', 'pending')
      .execute()
  }
  return versioned(encryptor, row)
}

/** Deletes a webhook with its deliveries. */
export async function deleteWebhook(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('webhooks').where('id', '=', id).execute()
}

/** URL and signing secret of a webhook. */
export interface WebhookTarget {
  readonly url: string
  readonly secret: string
}

/** Decrypts the URL and secret of a webhook. */
export function decryptTarget(
  encryptor: Encryptor,
  { id, url, secret }: { readonly id: string; readonly url: string; readonly secret: string },
): WebhookTarget {
  return { url: encryptor.decrypt(url, urlContext(id)), secret: encryptor.decrypt(secret, id) }
}

/** Reads and decrypts the URL and signing secret of a webhook. */
export async function findTarget(
  db: Kysely<Database>,
  encryptor: Encryptor,
  id: string,
): Promise<WebhookTarget | undefined> {
  const row = await db
    .selectFrom('webhooks')
    .select(['id', 'url', 'secret'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && decryptTarget(encryptor, row)
}

const columns = [
  'id',
  'url',
  'description',
  'events',
  'active',
  'version',
  instant('created_at').as('created_text'),
] as const

interface Row extends WebhookFields {
  readonly id: string
  readonly version: number
  readonly created_text: string
}

function versioned(encryptor: Encryptor, row: Row): VersionedWebhook {
  const { id, description, events, active, version, created_text: created_at } = row
  const url = encryptor.decrypt(row.url, urlContext(id))
  return { webhook: { id, url, description, events, active, created_at }, version }
}

// Separate encryption contexts: the encrypted URL and secret of a webhook cannot be swapped.
function urlContext(id: string): string {
  return `${id} url`
}
