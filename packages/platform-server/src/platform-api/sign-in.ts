import type { Kysely } from 'kysely'
import { type AuditAuthor, writeAudit } from '../audit/write-audit.ts'
import type { Identity, Origin } from '../identity/identity.ts'
import { scopesOfRole } from '../identity/scopes.ts'
import {
  deleteSessionByToken,
  findSessionOwner,
  insertSession,
  type NewSession,
} from '../records/sessions.ts'
import { recordSignIn } from '../records/users.ts'
import { csrfTokenOf, newSessionToken, readCookie, setCookie } from '../sessions/session-cookie.ts'
import type { Role } from '../identity/role.ts'
import type { Database } from '../store/database.ts'
import { type OperationResponse, createResponse } from './operation-response.ts'
import type { Success, RequestOrigin } from './platform-call.ts'
import { assertExists } from './assert-exists.ts'

/** The user of a new session. */
export interface SignedIn {
  readonly id: string
  readonly email: string
  readonly organizationId: string
  readonly role: Role
}

/** How a user signed in. */
export interface SignInDetails extends Pick<NewSession, 'authenticationAge'> {
  readonly origin: Origin
  readonly requestOrigin: RequestOrigin
}

/** A new session. */
export interface OpenedSession {
  /** Response with the session and its cookie. */
  readonly response: OperationResponse<Success<'createSession'>>
  /** The Set-Cookie header, for another type of response. */
  readonly cookie: string
  /** Author of further audit log entries of this sign-in. */
  readonly author: AuditAuthor
}

/**
 * Opens a session and writes it into the audit log. The session always gets a new token; if the request's cookie
 * identifies a session, that session ends.
 */
export async function openSession(
  transaction: Kysely<Database>,
  user: SignedIn,
  { origin, requestOrigin, authenticationAge }: SignInDetails,
): Promise<OpenedSession> {
  const token = newSessionToken()
  const { ip, userAgent } = origin
  const { id: userId, organizationId, role, email } = user
  const previousToken = readCookie(requestOrigin, 'session')
  if (previousToken !== undefined) await deleteSessionByToken(transaction, previousToken)
  const id = await insertSession(transaction, {
    token,
    userId,
    organizationId,
    ip,
    userAgent,
    authenticationAge,
  })
  await recordSignIn(transaction, userId)
  const identity = { kind: 'session', id, label: email, userId, organizationId } as const
  const author = { identity, origin }
  await writeAudit(transaction, author, {
    action: 'session.create',
    object: { kind: 'session', id, name: email },
  })
  const cookie = setCookie(requestOrigin, 'session', token)
  const body = await describeSession(transaction, { ...identity, role }, token)
  return { response: createResponse(body, { headers: { 'set-cookie': cookie } }), cookie, author }
}

/** Describes a session to its owner. */
export async function describeSession(
  db: Kysely<Database>,
  { id, role }: Pick<Identity, 'id' | 'role'>,
  token: string,
): Promise<Success<'getSession'>> {
  const owner = assertExists(await findSessionOwner(db, id))
  const { mustChangePassword } = owner
  return {
    id,
    user: {
      id: owner.userId,
      email: owner.email,
      first_name: owner.firstName,
      last_name: owner.lastName,
    },
    organization: { id: owner.organizationId, name: owner.organizationName },
    role,
    scopes: mustChangePassword ? [] : [...scopesOfRole[role]],
    csrf_token: csrfTokenOf(token),
    expires_at: owner.expiresAt,
    must_change_password: mustChangePassword,
  }
}
