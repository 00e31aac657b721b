import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { scopesOfRole } from '../identity/scopes.ts'
import type { Database, InvitationTable } from '../store/database.ts'
import { instant } from '../store/instant.ts'
import { insertWithId } from '../store/record-id.ts'
import { selectValidApiKeys } from './api-keys.ts'

/** An invitation as the platform API returns it. */
export interface InvitationRecord {
  readonly id: string
  readonly email: string
  readonly role: InvitationTable['role']
  readonly inviter: { readonly id: string; readonly email: string }
  readonly created_at: string
  readonly expires_at: string
}

/** Fields of a new invitation. */
export interface NewInvitation {
  readonly organizationId: string
  readonly inviterId: string
  /** The key that creates the invitation; undefined for a session. */
  readonly apiKeyId?: string | undefined
  readonly email: string
  readonly role: InvitationTable['role']
  /** Token that accepts the invitation; only its hash is stored. */
  readonly token: string
}

const scopesByRole = sql.join(
  Object.entries(scopesOfRole).map(
    ([role, scopes]) => sql`when ${sql.lit(role)} then ${sql.lit(`{${[...scopes].join()}}`)}::text[]`,
  ),
  sql` `,
)

function scopesOf(role: string): RawBuilder<unknown> {
  return sql`(case ${sql.ref(role)} ${scopesByRole} end)`
}

/**
 * Whether an invitation can be accepted: it has not expired. One that a key created also requires that this key is
 * valid, does not expire and still has the scopes of the role.
 */
function isOpen(db: Kysely<Database>) {
  const creator = selectValidApiKeys(db)
    .select('key.id')
    .where(sql<SqlBool>`key.id = invitation.api_key_id`)
    .where('key.expires_at', 'is', null)
    .where(sql<SqlBool>`key.scopes @> ${scopesOf('invitation.role')}`)
    .where(sql<SqlBool>`${scopesOf('membership.role')} @> ${scopesOf('invitation.role')}`)
  return sql<SqlBool>`(
    invitation.expires_at > clock_timestamp() and (invitation.api_key_id is null or exists (${creator}))
  )`
}

/** Selects from the invitations that can be accepted, as `invitation`. */
export function selectOpenInvitations(db: Kysely<Database>) {
  return db.selectFrom('invitations as invitation').where(isOpen(db))
}

function invitations(db: Kysely<Database>) {
  return selectOpenInvitations(db)
    .innerJoin('users as inviter', 'inviter.id', 'invitation.inviter_id')
    .select([
      'invitation.id as id',
      'invitation.email as email',
      'invitation.role as role',
      'inviter.id as inviterId',
      'inviter.email as inviterEmail',
      instant('invitation.created_at').as('created_at'),
      instant('invitation.expires_at').as('expires_at'),
    ])
}

/**
 * Creates an invitation and returns its id; undefined when the e-mail address already has one. Invitations that cannot
 * be accepted do not count.
 *
 * @param db - a transaction that has locked the organization, so that no e-mail address is invited twice
 */
export async function insertInvitation(
  db: Kysely<Database>,
  { organizationId, inviterId, apiKeyId, email, role, token }: NewInvitation,
): Promise<string | undefined> {
  await db
    .deleteFrom('invitations as invitation')
    .where('organization_id', '=', organizationId)
    .where(sql<SqlBool>`not ${isOpen(db)}`)
    .execute()
  const existing = await db
    .selectFrom('invitations')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('email', '=', email)
    .executeTakeFirst()
  if (existing !== undefined) return undefined
  return insertWithId('invitation', async (id) => {
    const row = await db
      .insertInto('invitations')
      .values({
        id,
        organization_id: organizationId,
        inviter_id: inviterId,
        api_key_id: apiKeyId ?? null,
        email,
        role,
        sha256: sha256Hex(token),
        expires_at: sql<string>`clock_timestamp() + interval '7 days'`,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  })
}

/** Reads one invitation that can be accepted. */
export async function findInvitation(
  db: Kysely<Database>,
  organizationId: string,
  id: string,
): Promise<InvitationRecord | undefined> {
  const row = await invitations(db)
    .where('invitation.organization_id', '=', organizationId)
    .where('invitation.id', '=', id)
    .executeTakeFirst()
  return row && toRecord(row)
}

/** Reads one page of the invitations that can be accepted, newest first, with the total count. */
export async function listInvitations(
  db: Kysely<Database>,
  query: { readonly organizationId: string; readonly limit: number; readonly offset: number },
): Promise<{ readonly count: number; readonly invitations: InvitationRecord[] }> {
  const rows = await invitations(db)
    .select(sql<number>`(count(*) over ())::int`.as('total'))
    .where('invitation.organization_id', '=', query.organizationId)
    .orderBy('invitation.created_at', 'desc')
    .orderBy('invitation.id', 'desc')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  return { count: rows[0]?.total ?? 0, invitations: rows.map(toRecord) }
}

/** Whether a token accepts an invitation; a cheap check, so that expensive work is done only for valid tokens. */
export async function isInvitationToken(db: Kysely<Database>, token: string): Promise<boolean> {
  const row = await selectOpenInvitations(db)
    .select('invitation.id')
    .where('invitation.sha256', '=', sha256Hex(token))
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes and returns the invitation of a token; undefined when it does not exist or cannot be accepted. */
export async function acceptInvitation(db: Kysely<Database>, token: string) {
  return db
    .deleteFrom('invitations as invitation')
    .where('sha256', '=', sha256Hex(token))
    .where(isOpen(db))
    .returning(['id', 'organization_id as organizationId', 'email', 'role'])
    .executeTakeFirst()
}

/** Deletes an invitation; returns false when another request has already deleted it. */
export async function deleteInvitation(db: Kysely<Database>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('invitations').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

function toRecord({
  id,
  email,
  role,
  inviterId,
  inviterEmail,
  created_at,
  expires_at,
}: Omit<InvitationRecord, 'inviter'> & {
  readonly inviterId: string
  readonly inviterEmail: string
}): InvitationRecord {
  return { id, email, role, inviter: { id: inviterId, email: inviterEmail }, created_at, expires_at }
}
