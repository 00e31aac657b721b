import { type Kysely, sql } from 'kysely'
import { generateApiKey, sha256Hex } from '../../credentials/secret.ts'
import type { Database, SecretOrigin } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'

/** What a new API key is for. */
export interface NewApiKey {
  readonly organizationId: string
  readonly creatorId: string
  readonly name: string
  readonly origin: SecretOrigin
}

/** A new API key; its plain value exists in this answer only. */
export interface IssuedApiKey {
  readonly id: string
  readonly key: string
}

/** What is known about the bearer of a valid API key. */
export interface ApiKeyIdentity {
  readonly id: string
  readonly prefix: string
  readonly sha256: string
  readonly organizationId: string
  readonly creatorId: string
}

/** Issues an API key. Only its prefix and its hash are stored. */
export async function issueApiKey(db: Kysely<Database>, options: NewApiKey): Promise<IssuedApiKey> {
  return insertWithId('apiKey', async (id) => {
    const { key, prefix } = generateApiKey()
    const row = await db
      .insertInto('api_keys')
      .values({
        id,
        organization_id: options.organizationId,
        creator_id: options.creatorId,
        name: options.name,
        prefix,
        sha256: sha256Hex(key),
        origin: options.origin,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return row && { id: row.id, key }
  })
}

/** Finds the API key with a prefix, unless it is revoked or expired. The caller compares the hash. */
export async function findValidApiKey(
  db: Kysely<Database>,
  prefix: string,
): Promise<ApiKeyIdentity | undefined> {
  return db
    .selectFrom('api_keys')
    .select(['id', 'prefix', 'sha256', 'organization_id as organizationId', 'creator_id as creatorId'])
    .where('prefix', '=', prefix)
    .where('revoked_at', 'is', null)
    .where((is) =>
      is.or([is('expires_at', 'is', null), is('expires_at', '>', sql<string>`clock_timestamp()`)]),
    )
    .executeTakeFirst()
}

/** Revokes an API key; it stops working with the next request. */
export async function revokeApiKey(db: Kysely<Database>, id: string): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: sql<string>`clock_timestamp()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Notes that a key was used in this minute. */
export async function noteApiKeyUse(db: Kysely<Database>, id: string): Promise<void> {
  const minute = sql<string>`date_trunc('minute', clock_timestamp())`
  await db
    .updateTable('api_keys')
    .set({ last_used_at: minute })
    .where('id', '=', id)
    .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', minute)]))
    .execute()
}
