import { type Kysely, sql } from 'kysely'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import type { Role } from '../identity/role.ts'
import type { Database } from '../store/database.ts'
import { instant } from '../store/instant.ts'
import { insertWithId } from '../store/record-id.ts'

/** Fields of a new session. */
export interface NewSession {
  /** Value of the cookie; only its hash is stored. */
  readonly token: string
  readonly userId: string
  readonly organizationId: string
  readonly ip: string
  readonly userAgent: string
  /** Seconds since the user authenticated; undefined if an identity provider does not report them. */
  readonly authenticationAge: number | undefined
}

/** The session and user that a cookie identifies. */
export interface SessionBearer {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly organizationId: string
  /** Current role of the user. */
  readonly role: Role
  readonly mustChangePassword: boolean
  /** Whether the user authenticated in the last {@link recentSignInMs}; false if the time is unknown. */
  readonly isRecentSignIn: boolean
}

/** A session in a user's list of sessions. */
export interface SessionRecord {
  readonly id: string
  readonly ip: string
  readonly user_agent: string
  readonly created_at: string
  readonly last_used_at: string
  readonly expires_at: string
}

// Each request extends the session, up to the maximum lifetime.
const idleEnd = sql<string>`clock_timestamp() + interval '12 hours'`
const lastEnd = sql`interval '7 days'`

/** Maximum time since the user's authentication for the most sensitive changes, in milliseconds. */
export const recentSignInMs = 5 * 60_000

/** Creates a session and returns its id. Also deletes all expired sessions, of any user. */
export async function insertSession(db: Kysely<Database>, session: NewSession): Promise<string> {
  await db
    .deleteFrom('sessions')
    .where('expires_at', '<', sql<string>`clock_timestamp()`)
    .execute()
  const { authenticationAge: age } = session
  return insertWithId('session', async (id) => {
    const row = await db
      .insertInto('sessions')
      .values({
        id,
        sha256: sha256Hex(session.token),
        user_id: session.userId,
        organization_id: session.organizationId,
        ip: session.ip,
        user_agent: session.userAgent,
        authenticated_at:
          age === undefined ? null : sql<string>`clock_timestamp() - make_interval(secs => ${age})`,
        expires_at: idleEnd,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  })
}

/** Finds the session of a cookie, unless it has expired or its user is disabled or no longer a member. */
export async function findValidSession(
  db: Kysely<Database>,
  token: string,
): Promise<SessionBearer | undefined> {
  return db
    .selectFrom('sessions as session')
    .innerJoin('users as user', 'user.id', 'session.user_id')
    .innerJoin('memberships as membership', (join) =>
      join
        .onRef('membership.user_id', '=', 'session.user_id')
        .onRef('membership.organization_id', '=', 'session.organization_id'),
    )
    .select([
      'session.id as id',
      'user.id as userId',
      'user.email as email',
      'session.organization_id as organizationId',
      'membership.role as role',
      'user.must_change_password as mustChangePassword',
    ])
    .select(
      sql<boolean>`coalesce(
        session.authenticated_at > clock_timestamp() - make_interval(secs => ${recentSignInMs / 1_000}), false
      )`.as('isRecentSignIn'),
    )
    .where('session.sha256', '=', sha256Hex(token))
    .where('session.expires_at', '>', sql<string>`clock_timestamp()`)
    .where('user.disabled_at', 'is', null)
    .executeTakeFirst()
}

/** Records that a session was used, to the minute, and extends it. */
export async function recordSessionUse(db: Kysely<Database>, id: string): Promise<void> {
  const minute = sql<string>`date_trunc('minute', clock_timestamp())`
  await db
    .updateTable('sessions')
    .set({ last_used_at: minute, expires_at: sql<string>`least(created_at + ${lastEnd}, ${idleEnd})` })
    .where('id', '=', id)
    .where('last_used_at', '<', minute)
    .execute()
}

/** Reads the fields of a session that its owner can see. */
export async function findSessionOwner(db: Kysely<Database>, id: string) {
  return db
    .selectFrom('sessions as session')
    .innerJoin('users as user', 'user.id', 'session.user_id')
    .innerJoin('organizations as organization', 'organization.id', 'session.organization_id')
    .select([
      'user.id as userId',
      'user.email as email',
      'user.first_name as firstName',
      'user.last_name as lastName',
      'user.must_change_password as mustChangePassword',
      'organization.id as organizationId',
      'organization.name as organizationName',
      instant('session.expires_at').as('expiresAt'),
    ])
    .where('session.id', '=', id)
    .executeTakeFirst()
}

/** Reads one page of a user's open sessions, newest first, with the total count. */
export async function listSessions(
  db: Kysely<Database>,
  { userId, limit, offset }: { readonly userId: string; readonly limit: number; readonly offset: number },
): Promise<{ readonly count: number; readonly sessions: SessionRecord[] }> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'ip', 'user_agent'])
    .select([
      instant('created_at').as('created_at'),
      instant('last_used_at').as('last_used_at'),
      instant('expires_at').as('expires_at'),
      sql<number>`(count(*) over ())::int`.as('total'),
    ])
    .where('user_id', '=', userId)
    .where('expires_at', '>', sql<string>`clock_timestamp()`)
    .orderBy('sessions.created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { count: rows[0]?.total ?? 0, sessions: rows.map(({ total: _total, ...session }) => session) }
}

/** Ends a session of a user; returns false when the user has no session with this id. */
export async function deleteSession(db: Kysely<Database>, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Ends the session of a cookie, if it exists. */
export async function deleteSessionByToken(db: Kysely<Database>, token: string): Promise<void> {
  await db.deleteFrom('sessions').where('sha256', '=', sha256Hex(token)).execute()
}

/**
 * Ends all sessions of a user.
 *
 * @param exceptId - the session that stays open
 */
export async function deleteSessionsOf(
  db: Kysely<Database>,
  userId: string,
  exceptId?: string,
): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(exceptId !== undefined, (query) => query.where('id', '!=', exceptId ?? ''))
    .execute()
}
