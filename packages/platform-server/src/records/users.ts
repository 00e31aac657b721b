import { type Kysely, sql } from 'kysely'
import type { Role } from '../identity/role.ts'
import type { Database, PasswordOrigin } from '../store/database.ts'

/** A user who signs in. */
export interface SignInUser {
  readonly id: string
  readonly email: string
  readonly passwordHash: string | null
  readonly organizationId: string
  readonly role: Role
}

/** Finds the user of an e-mail address who may sign in: a member who is not disabled. */
export async function findSignInUser(db: Kysely<Database>, email: string): Promise<SignInUser | undefined> {
  return db
    .selectFrom('users as user')
    .innerJoin('memberships as membership', 'membership.user_id', 'user.id')
    .select([
      'user.id as id',
      'user.email as email',
      'user.password_hash as passwordHash',
      'membership.organization_id as organizationId',
      'membership.role as role',
    ])
    .where('user.email', '=', email.toLowerCase())
    .where('user.disabled_at', 'is', null)
    .orderBy('membership.created_at')
    .executeTakeFirst()
}

/** Finds the user of an e-mail address, and whether the user is a member of any organization. */
export async function findUserByEmail(
  db: Kysely<Database>,
  email: string,
): Promise<{ readonly id: string; readonly isMember: boolean } | undefined> {
  return db
    .selectFrom('users as user')
    .select('user.id as id')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('memberships as membership')
          .select('membership.role')
          .whereRef('membership.user_id', '=', 'user.id'),
      )
        .$castTo<boolean>()
        .as('isMember'),
    )
    .where('user.email', '=', email)
    .executeTakeFirst()
}

/** Renames a user and re-enables a disabled account. */
export async function renameUser(
  db: Kysely<Database>,
  id: string,
  { firstName, lastName }: { readonly firstName: string; readonly lastName: string },
): Promise<void> {
  await db
    .updateTable('users')
    .set({ first_name: firstName, last_name: lastName, disabled_at: null })
    .where('id', '=', id)
    .execute()
}

/** Reads the hash and the origin of a user's password. */
export async function findPassword(
  db: Kysely<Database>,
  userId: string,
): Promise<{ readonly hash: string | null; readonly origin: PasswordOrigin | null } | undefined> {
  return db
    .selectFrom('users')
    .select(['password_hash as hash', 'password_origin as origin'])
    .where('id', '=', userId)
    .executeTakeFirst()
}

/** Sets a user's password. */
export async function setPassword(
  db: Kysely<Database>,
  userId: string,
  password: { readonly hash: string; readonly origin: PasswordOrigin; readonly mustChange: boolean },
): Promise<void> {
  await db
    .updateTable('users')
    .set({
      password_hash: password.hash,
      password_origin: password.origin,
      must_change_password: password.mustChange,
    })
    .where('id', '=', userId)
    .execute()
}

/** Records the current time as the user's last sign-in. */
export async function recordSignIn(db: Kysely<Database>, userId: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ last_sign_in_at: sql<string>`clock_timestamp()` })
    .where('id', '=', userId)
    .execute()
}
