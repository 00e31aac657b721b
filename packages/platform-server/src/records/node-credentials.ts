import { type Kysely, sql } from 'kysely'
import type { CredentialKind } from '@fairlead/gateway-core/grants/grant'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import {
  generateBasicCredential,
  generateNodeToken,
  generateXToken,
  sha256Hex,
} from '@fairlead/gateway-core/credentials/secret'
import type { Database, SecretOrigin } from '../store/database.ts'
import { instant } from '../store/instant.ts'
import { insertWithId } from '../store/record-id.ts'

interface IssuedByKind {
  token: { readonly id: string; readonly kind: 'token'; readonly token: string }
  'x-token': { readonly id: string; readonly kind: 'x-token'; readonly token: string }
  basic: { readonly id: string; readonly kind: 'basic'; readonly username: string; readonly password: string }
}

/**
 * A new node credential; its plain secret exists only in this result and, encrypted, in the database where configured.
 */
export type IssuedNodeCredential<kind extends CredentialKind = CredentialKind> = IssuedByKind[kind]

/** Fields of a new credential. */
export interface NewNodeCredential<kind extends CredentialKind = CredentialKind> {
  readonly nodeId: string
  readonly kind: kind
  readonly origin: SecretOrigin
  readonly label?: string | undefined
  readonly expiresAt?: string | null | undefined
  /** Stores the secret encrypted, so that it can be shown again; without it, only the hash is stored. */
  readonly encryptor?: Encryptor | undefined
}

/** A credential as stored. */
export interface NodeCredentialRecord {
  readonly id: string
  readonly kind: CredentialKind
  readonly label: string
  readonly username: string | null
  readonly hint: string | null
  readonly state: 'active' | 'expired' | 'revoked'
  /** The encrypted secret; null where only the hash is stored. */
  readonly secret: string | null
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  readonly lastUsedIp: string | null
  readonly replacedBy: string | null
  readonly version: number
}

/** Changeable fields of a credential. */
export interface NodeCredentialChanges {
  readonly label?: string
  /** Null for no expiry. */
  readonly expiresAt?: string | null
}

const hintLength = 4

/** Issues a node credential: stores its hash, the user name of a basic credential, and the encrypted secret. */
export async function issueNodeCredential<kind extends CredentialKind>(
  db: Kysely<Database>,
  options: NewNodeCredential<kind>,
): Promise<IssuedNodeCredential<kind>> {
  const { nodeId, kind, origin, label, expiresAt, encryptor } = options
  return insertWithId('nodeCredential', async (id) => {
    const credential = generators[kind](id)
    const secret = credential.kind === 'basic' ? credential.password : credential.token
    const row = await db
      .insertInto('node_credentials')
      .values({
        id,
        node_id: nodeId,
        kind,
        sha256: sha256Hex(credential.kind === 'basic' ? `${credential.username}:${secret}` : secret),
        username: credential.kind === 'basic' ? credential.username : null,
        origin,
        label,
        secret: encryptor?.encrypt(secret, id) ?? null,
        hint: secret.slice(-hintLength),
        expires_at: expiresAt ?? null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return row && credential
  })
}

/** Revokes a node credential; every process that listens for changes is notified. */
export async function revokeNodeCredential(db: Kysely<Database>, id: string): Promise<void> {
  await db
    .updateTable('node_credentials')
    .set({ revoked_at: sql<string>`clock_timestamp()` })
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Reads one credential of a node. */
export async function findNodeCredential(
  db: Kysely<Database>,
  nodeId: string,
  id: string,
): Promise<NodeCredentialRecord | undefined> {
  return selectCredentials(db)
    .where('credential.node_id', '=', nodeId)
    .where('credential.id', '=', id)
    .executeTakeFirst()
}

/** Reads one page of a node's credentials, newest first, with the total count. */
export async function listNodeCredentials(
  db: Kysely<Database>,
  query: { readonly nodeId: string; readonly limit: number; readonly offset: number },
): Promise<{ readonly count: number; readonly credentials: readonly NodeCredentialRecord[] }> {
  const rows = await selectCredentials(db)
    .select(sql<number>`cast(count(*) over () as integer)`.as('total'))
    .where('credential.node_id', '=', query.nodeId)
    .orderBy('credential.created_at', 'desc')
    .orderBy('credential.id', 'desc')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  return { count: rows[0]?.total ?? 0, credentials: rows }
}

/** Updates a credential; the caller must have locked its node. */
export async function updateNodeCredential(
  transaction: Kysely<Database>,
  id: string,
  { label, expiresAt }: NodeCredentialChanges,
): Promise<void> {
  await transaction
    .updateTable('node_credentials')
    .set({
      ...(label !== undefined && { label }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
    })
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Lets a replaced credential expire after an overlap period; the caller must have locked its node. */
export async function replaceNodeCredential(
  transaction: Kysely<Database>,
  id: string,
  { replacedBy, overlapSeconds }: { readonly replacedBy: string; readonly overlapSeconds: number },
): Promise<void> {
  const now = sql<string>`clock_timestamp()`
  // The earlier of the two times applies; `least` ignores null.
  const end = sql<string>`least(expires_at, clock_timestamp() + make_interval(secs => ${overlapSeconds}))`
  await transaction
    .updateTable('node_credentials')
    .set(overlapSeconds === 0 ? { revoked_at: now } : { expires_at: end })
    .set((row) => ({ replaced_by: replacedBy, version: row('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

const generators: { readonly [kind in CredentialKind]: (id: string) => IssuedByKind[kind] } = {
  token: (id) => ({ id, kind: 'token', token: generateNodeToken() }),
  'x-token': (id) => ({ id, kind: 'x-token', token: generateXToken() }),
  basic: (id) => ({ id, kind: 'basic', ...generateBasicCredential() }),
}

/** Selects from the credentials that are neither revoked nor expired, as `credential`. */
export function selectValidCredentials(db: Kysely<Database>) {
  return db
    .selectFrom('node_credentials as credential')
    .where('credential.revoked_at', 'is', null)
    .where((is) =>
      is.or([
        is('credential.expires_at', 'is', null),
        is('credential.expires_at', '>', sql<string>`clock_timestamp()`),
      ]),
    )
}

function selectCredentials(db: Kysely<Database>) {
  return db
    .selectFrom('node_credentials as credential')
    .leftJoin('credential_uses as use', 'use.credential_id', 'credential.id')
    .select([
      'credential.id',
      'credential.kind',
      'credential.label',
      'credential.username',
      'credential.hint',
      'credential.secret',
      'credential.replaced_by as replacedBy',
      'credential.version',
      'use.last_used_ip as lastUsedIp',
    ])
    .select([
      instant('credential.created_at').as('createdAt'),
      instant<string | null>('credential.expires_at').as('expiresAt'),
      instant<string | null>('credential.revoked_at').as('revokedAt'),
      instant<string | null>('use.last_used_at').as('lastUsedAt'),
      sql<NodeCredentialRecord['state']>`
        case
          when credential.revoked_at is not null then 'revoked'
          when credential.expires_at <= clock_timestamp() then 'expired'
          else 'active'
        end`.as('state'),
    ])
}
