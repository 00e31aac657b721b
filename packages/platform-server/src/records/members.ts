import { type Kysely, sql } from 'kysely'
import type { Role } from '../identity/role.ts'
import type { Database } from '../store/database.ts'
import { instant } from '../store/instant.ts'

/** A member as the platform API returns it. */
export interface MemberRecord {
  readonly id: string
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly role: Role
  readonly disabled: boolean
  readonly created_at: string
  readonly last_sign_in_at: string | null
}

/** A member with its version. */
export interface VersionedMember {
  readonly member: MemberRecord
  readonly version: number
}

/** Changes of a member. */
export interface MemberChange {
  /** In lower case. */
  readonly email?: string | undefined
  readonly role?: Role | undefined
  readonly first_name?: string | undefined
  readonly last_name?: string | undefined
  readonly disabled?: boolean | undefined
}

function members(db: Kysely<Database>, organizationId: string) {
  return db
    .selectFrom('memberships as membership')
    .innerJoin('users as user', 'user.id', 'membership.user_id')
    .select(['user.id as id', 'user.email as email', 'user.first_name', 'user.last_name', 'membership.role'])
    .select([
      sql<boolean>`${sql.ref('user.disabled_at')} is not null`.as('disabled'),
      instant('membership.created_at').as('created_at'),
      instant<string | null>('user.last_sign_in_at').as('last_sign_in_at'),
    ])
    .where('membership.organization_id', '=', organizationId)
}

/** Reads one page of members, oldest membership first, with the total count. */
export async function listMembers(
  db: Kysely<Database>,
  query: { readonly organizationId: string; readonly limit: number; readonly offset: number },
): Promise<{ readonly count: number; readonly members: MemberRecord[] }> {
  const rows = await members(db, query.organizationId)
    .select(sql<number>`(count(*) over ())::int`.as('total'))
    .orderBy('membership.created_at')
    .orderBy('membership.user_id')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  return { count: rows[0]?.total ?? 0, members: rows.map(({ total: _total, ...member }) => member) }
}

/** Reads one member of an organization. */
export async function findMember(
  db: Kysely<Database>,
  organizationId: string,
  userId: string,
  options: { readonly forUpdate?: boolean } = {},
): Promise<VersionedMember | undefined> {
  const row = await members(db, organizationId)
    .select('membership.version')
    .where('membership.user_id', '=', userId)
    .$if(options.forUpdate === true, (query) => query.forUpdate(['membership']))
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { version, ...member } = row
  return { member, version }
}

/** Updates a member. */
export async function updateMember(
  db: Kysely<Database>,
  organizationId: string,
  userId: string,
  { role, disabled, ...names }: MemberChange,
): Promise<void> {
  await db
    .updateTable('memberships')
    .set(({ eb }) => ({ ...(role !== undefined && { role }), version: eb('version', '+', 1) }))
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute()
  const user = {
    ...(names.email !== undefined && { email: names.email }),
    ...(names.first_name !== undefined && { first_name: names.first_name }),
    ...(names.last_name !== undefined && { last_name: names.last_name }),
    ...(disabled !== undefined && { disabled_at: disabled ? sql<string>`clock_timestamp()` : null }),
  }
  if (Object.keys(user).length === 0) return
  await db.updateTable('users').set(user).where('id', '=', userId).execute()
}

/** Removes a member from an organization. The user is kept, because records that the user created refer to it. */
export async function deleteMember(
  db: Kysely<Database>,
  organizationId: string,
  userId: string,
): Promise<void> {
  await db
    .deleteFrom('memberships')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute()
}
