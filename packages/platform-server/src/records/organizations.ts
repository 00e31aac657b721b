import type { Kysely } from 'kysely'
import type { Role } from '../identity/role.ts'
import type { Database } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'

/** An organization as the platform API returns it. */
export interface OrganizationRecord {
  readonly id: string
  readonly name: string
}

/** Fields of a new user. */
export interface NewUser {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
}

/** Fields of a new member. */
export interface NewMember {
  readonly organizationId: string
  readonly role: Role
  readonly user: NewUser
}

/** Creates an organization and returns its id. */
export async function insertOrganization(db: Kysely<Database>, name: string): Promise<string> {
  return insertWithId('organization', async (id) => {
    const row = await db
      .insertInto('organizations')
      .values({ id, name })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  })
}

/**
 * Reads one organization with its version.
 *
 * @param options - `forUpdate` locks it for a change
 */
export async function findVersionedOrganization(
  db: Kysely<Database>,
  id: string,
  options: { readonly forUpdate?: boolean } = {},
): Promise<{ readonly organization: OrganizationRecord; readonly version: number } | undefined> {
  const row = await db
    .selectFrom('organizations')
    .select(['id', 'name', 'version'])
    .where('id', '=', id)
    .$if(options.forUpdate === true, (query) => query.forUpdate())
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { version, ...organization } = row
  return { organization, version }
}

/**
 * Locks an organization until the transaction ends, so that others cannot add records whose number is limited. It does
 * not block the creation of other records that refer to the organization.
 */
export async function lockOrganization(transaction: Kysely<Database>, id: string): Promise<void> {
  await transaction.selectFrom('organizations').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/** Renames an organization. */
export async function renameOrganization(db: Kysely<Database>, id: string, name: string): Promise<void> {
  await db
    .updateTable('organizations')
    .set(({ eb }) => ({ name, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Creates a user who owns an organization and returns the user's id. */
export async function insertOwner(
  db: Kysely<Database>,
  organizationId: string,
  user: NewUser,
): Promise<string> {
  return insertMember(db, { organizationId, role: 'owner', user })
}

/** Creates a user who is a member of an organization and returns the user's id. */
export async function insertMember(
  db: Kysely<Database>,
  { organizationId, role, user }: NewMember,
): Promise<string> {
  const userId = await insertWithId('user', async (id) => {
    const row = await db
      .insertInto('users')
      .values({
        id,
        email: user.email.toLowerCase(),
        first_name: user.firstName,
        last_name: user.lastName,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  })
  await addMembership(db, { organizationId, role, userId })
  return userId
}

/** Adds an existing user to an organization. */
export async function addMembership(
  db: Kysely<Database>,
  membership: { readonly organizationId: string; readonly userId: string; readonly role: Role },
): Promise<void> {
  await db
    .insertInto('memberships')
    .values({
      user_id: membership.userId,
      organization_id: membership.organizationId,
      role: membership.role,
    })
    .execute()
}
