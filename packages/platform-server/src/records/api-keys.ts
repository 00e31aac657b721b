import { type Kysely, sql } from 'kysely'
import { generateApiKey, sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import type { Scope } from '../identity/scopes.ts'
import type { Role } from '../identity/role.ts'
import type { Database, SecretOrigin } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'
import { instant } from '../store/instant.ts'

/** Fields of a new API key. */
export interface NewApiKey {
  readonly organizationId: string
  readonly creatorId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt?: string | null | undefined
  readonly origin: SecretOrigin
}

/** A new API key; its plain text exists only in this result. */
export interface IssuedApiKey {
  readonly id: string
  readonly key: string
}

/** The bearer of a valid API key. */
export interface ApiKeyBearer {
  readonly id: string
  readonly prefix: string
  readonly sha256: string
  readonly organizationId: string
  readonly creatorId: string
  /** Current role of the creator. */
  readonly role: Role
  readonly scopes: readonly Scope[]
  /** Null for a key that does not expire. */
  readonly expiresAt: string | null
}

const now = sql<string>`clock_timestamp()`

/** Issues an API key. Only its prefix and its hash are stored. */
export async function issueApiKey(db: Kysely<Database>, options: NewApiKey): Promise<IssuedApiKey> {
  const id = await insertWithId('apiKey', async (newId) => {
    const row = await db
      .insertInto('api_keys')
      .values({
        id: newId,
        organization_id: options.organizationId,
        creator_id: options.creatorId,
        name: options.name,
        scopes: [...options.scopes],
        expires_at: options.expiresAt ?? null,
        origin: options.origin,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  })
  return { id, key: await addApiKeySecret(db, id) }
}

/** Adds a secret to an API key and returns it with the prefix, that is, the plain key. */
export async function addApiKeySecret(db: Kysely<Database>, keyId: string): Promise<string> {
  for (;;) {
    const { key, prefix } = generateApiKey()
    const row = await db
      .insertInto('api_key_secrets')
      .values({ prefix, key_id: keyId, sha256: sha256Hex(key) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('prefix')
      .executeTakeFirst()
    if (row !== undefined) return key
  }
}

/**
 * Selects from the keys that are valid as `key`, with their `creator` and the creator's `membership`. A key is invalid
 * when it is revoked or expired, or its creator is disabled or no longer a member.
 */
export function selectValidApiKeys(db: Kysely<Database>) {
  return db
    .selectFrom('api_keys as key')
    .innerJoin('users as creator', 'creator.id', 'key.creator_id')
    .innerJoin('memberships as membership', (join) =>
      join
        .onRef('membership.user_id', '=', 'key.creator_id')
        .onRef('membership.organization_id', '=', 'key.organization_id'),
    )
    .where('creator.disabled_at', 'is', null)
    .where('key.revoked_at', 'is', null)
    .where((is) => is.or([is('key.expires_at', 'is', null), is('key.expires_at', '>', now)]))
}

/** Restricts a query of keys to those with a valid `secret`; a key has several of them during a rotation. */
export function whereValidSecret(keys: ReturnType<typeof selectValidApiKeys>) {
  return keys
    .innerJoin('api_key_secrets as secret', 'secret.key_id', 'key.id')
    .where((is) => is.or([is('secret.expires_at', 'is', null), is('secret.expires_at', '>', now)]))
}

/** Finds the valid API key with a prefix. The caller compares the hash. */
export async function findValidApiKey(
  db: Kysely<Database>,
  prefix: string,
): Promise<ApiKeyBearer | undefined> {
  return whereValidSecret(selectValidApiKeys(db))
    .select([
      'key.id as id',
      'secret.prefix as prefix',
      'secret.sha256 as sha256',
      'key.organization_id as organizationId',
      'key.creator_id as creatorId',
      'key.scopes as scopes',
      instant<string | null>('key.expires_at').as('expiresAt'),
      'membership.role as role',
    ])
    .where('secret.prefix', '=', prefix)
    .executeTakeFirst()
}

/** Changeable fields of an API key. */
export interface ApiKeyChange {
  readonly name?: string | undefined
  readonly scopes?: readonly Scope[] | undefined
  readonly expiresAt?: string | null | undefined
}

/** Updates an API key. */
export async function updateApiKey(
  db: Kysely<Database>,
  id: string,
  { name, scopes, expiresAt }: ApiKeyChange,
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set(({ eb }) => ({
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes: [...scopes] }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .execute()
}

/** Lets the secrets of an API key expire after a number of seconds, except those that expire earlier. */
export async function endApiKeySecrets(
  db: Kysely<Database>,
  keyId: string,
  afterSeconds: number,
): Promise<void> {
  const end = sql<string>`clock_timestamp() + make_interval(secs => ${afterSeconds})`
  await db.deleteFrom('api_key_secrets').where('key_id', '=', keyId).where('expires_at', '<=', now).execute()
  await db
    .updateTable('api_key_secrets')
    .set({ expires_at: sql<string>`least(expires_at, ${end})` })
    .where('key_id', '=', keyId)
    .execute()
}

/** Revokes an API key; the next request with it is rejected. */
export async function revokeApiKey(db: Kysely<Database>, id: string): Promise<void> {
  await revokeWhere(db, 'id', id)
}

/** Revokes all API keys that a user created. */
export async function revokeApiKeysOf(db: Kysely<Database>, creatorId: string): Promise<void> {
  await revokeWhere(db, 'creator_id', creatorId)
}

async function revokeWhere(db: Kysely<Database>, column: 'id' | 'creator_id', value: string): Promise<void> {
  await db
    .updateTable('api_keys')
    .set(({ eb }) => ({ revoked_at: now, version: eb('version', '+', 1) }))
    .where(column, '=', value)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Records that a secret of a key was used, to the minute, and from which IP address. */
export async function recordApiKeyUse(
  db: Kysely<Database>,
  { id, prefix, ip }: { readonly id: string; readonly prefix: string; readonly ip: string },
): Promise<void> {
  const minute = sql<string>`date_trunc('minute', clock_timestamp())`
  await db
    .updateTable('api_keys')
    .set({ last_used_at: minute, last_used_ip: ip })
    .where('id', '=', id)
    .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', minute)]))
    .execute()
  await db
    .updateTable('api_key_secrets')
    .set({ last_used_at: minute })
    .where('prefix', '=', prefix)
    .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', minute)]))
    .execute()
}
