import type { Kysely } from 'kysely'
import type { Database } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'

/** An organization as the platform API shows it. */
export interface OrganizationRecord {
  readonly id: string
  readonly name: string
}

/** A user who is about to be created. */
export interface NewUser {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
}

/** Reads one organization. */
export async function findOrganization(
  db: Kysely<Database>,
  id: string,
): Promise<OrganizationRecord | undefined> {
  return db.selectFrom('organizations').select(['id', 'name']).where('id', '=', id).executeTakeFirst()
}

/** Creates an organization and gives its id. */
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

/** Creates a user who owns an organization and gives the user's id. */
export async function insertOwner(
  db: Kysely<Database>,
  organizationId: string,
  user: NewUser,
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
  await db
    .insertInto('memberships')
    .values({ user_id: userId, organization_id: organizationId, role: 'owner' })
    .execute()
  return userId
}
