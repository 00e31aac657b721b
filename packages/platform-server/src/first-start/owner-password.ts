import type { Kysely } from 'kysely'
import { generatePassword } from '@fairlead/gateway-core/credentials/secret'
import { writeAudit } from '../audit/write-audit.ts'
import { deleteSessionsOf } from '../records/sessions.ts'
import { findPassword, setPassword } from '../records/users.ts'
import type { Passwords } from '../sessions/passwords.ts'
import type { Database } from '../store/database.ts'
import { exclusively } from '../store/exclusively.ts'
import type { Store } from '../store/open-store.ts'

/** Credentials of the owner's first sign-in. */
export interface OwnerSignIn {
  readonly email: string
  /** Plain text; it exists only in this result. */
  readonly password: string
}

/**
 * Sets a password for the owner of the first organization if none is usable. In production, the password has to be
 * changed at the first sign-in; in development, it is permanent. A password from development mode is replaced in
 * production, and a password that a user chose is never replaced. {@link ensureFirstStart} must have run.
 *
 * @param options - `previous` is the password of the development mode, if the caller still has it
 * @returns undefined when the owner already has a password that this call must not replace
 */
export async function ensureOwnerPassword(
  store: Store,
  passwords: Passwords,
  options: { readonly origin: 'first-start' | 'development'; readonly previous?: string | undefined },
): Promise<OwnerSignIn | undefined> {
  const { origin, previous } = options
  return exclusively(store, async (transaction) => {
    const owner = await firstOwner(transaction)
    const current = await findPassword(transaction, owner.id)
    const isChosen = current?.origin === 'user' || current?.origin === 'first-start'
    if (typeof current?.hash === 'string' && isChosen) return undefined
    if (origin === 'development' && previous !== undefined) {
      if (await passwords.matches(current?.hash, previous)) return { email: owner.email, password: previous }
    }
    return newPassword(transaction, passwords, owner, origin)
  })
}

/**
 * Sets a new password for the owner of the first organization, which has to be changed at the next sign-in, and ends
 * the owner's sessions. It is for operators who have lost the password and have access to the database.
 */
export async function resetOwnerPassword(
  { db }: Pick<Store, 'db'>,
  passwords: Passwords,
): Promise<OwnerSignIn> {
  return db.transaction().execute(async (transaction) => {
    const owner = await firstOwner(transaction)
    const identity = {
      kind: 'system',
      id: '',
      label: 'command line',
      userId: '',
      organizationId: owner.organizationId,
    } as const
    const object = { kind: 'user', id: owner.id, name: owner.email }
    await writeAudit(transaction, { identity }, { action: 'password.change', object })
    return newPassword(transaction, passwords, owner, 'first-start')
  })
}

interface Owner {
  readonly id: string
  readonly email: string
  readonly organizationId: string
}

async function newPassword(
  transaction: Kysely<Database>,
  passwords: Passwords,
  owner: Owner,
  origin: 'first-start' | 'development',
): Promise<OwnerSignIn> {
  const password = generatePassword()
  const hash = await passwords.hash(password)
  await setPassword(transaction, owner.id, { hash, origin, mustChange: origin === 'first-start' })
  await deleteSessionsOf(transaction, owner.id)
  return { email: owner.email, password }
}

async function firstOwner(db: Kysely<Database>): Promise<Owner> {
  return db
    .selectFrom('memberships as membership')
    .innerJoin('organizations as organization', 'organization.id', 'membership.organization_id')
    .innerJoin('users as user', 'user.id', 'membership.user_id')
    .select(['user.id as id', 'user.email as email', 'organization.id as organizationId'])
    .where('membership.role', '=', 'owner')
    .orderBy('organization.created_at')
    .orderBy('organization.id')
    .orderBy('membership.created_at')
    .executeTakeFirstOrThrow()
}
