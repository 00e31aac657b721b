import type { Kysely } from 'kysely'
import { equalInConstantTime } from '@fairlead/gateway-core/credentials/secret'
import type { RequestOrigin } from '../platform-api/platform-call.ts'
import { PlatformError } from '../platform-api/platform-error.ts'
import { findValidSession } from '../records/sessions.ts'
import { csrfTokenOf, readCookie } from '../sessions/session-cookie.ts'
import type { Database } from '../store/database.ts'
import { retryAfterSeconds } from '@fairlead/gateway-core/admission/rejections'
import type { Identity } from './identity.ts'
import type { LookupLimit } from './lookup-limit.ts'
import { scopesOfRole } from './scopes.ts'

/** The parts of a request that authenticate it by cookie. */
export interface CookieRequest {
  readonly requestOrigin: RequestOrigin
  /** Whether the request uses an unsafe method, which may change state. */
  readonly isUnsafe: boolean
  /** The X-CSRF-Token header. */
  readonly csrfToken: string | undefined
  /** IP address of the client. */
  readonly address: string
}

/**
 * Finds the session that a request's cookie identifies; undefined when the request has no session cookie.
 *
 * @throws {@link PlatformError} `authentication_failed` when the session has ended, `throttled` after too many such
 *   failures, `csrf_failed` when an unsafe request lacks the session's CSRF token or comes from another site
 */
export async function sessionIdentity(
  { db, lookups }: { readonly db: Kysely<Database>; readonly lookups: LookupLimit },
  { requestOrigin, isUnsafe, csrfToken, address }: CookieRequest,
): Promise<Identity | undefined> {
  const cookie = readCookie(requestOrigin, 'session')
  if (cookie === undefined) return undefined
  const lookupMs = lookups.take(address, cookie)
  if (lookupMs > 0) {
    throw new PlatformError('throttled', { headers: { 'retry-after': String(retryAfterSeconds(lookupMs)) } })
  }
  const session = await findValidSession(db, cookie)
  if (session === undefined) throw new PlatformError('authentication_failed')
  lookups.succeeded(address, cookie)
  if (isUnsafe && !equalInConstantTime(csrfToken ?? '', csrfTokenOf(cookie))) {
    throw new PlatformError('csrf_failed')
  }
  const { id, email, userId, organizationId, role, mustChangePassword, isRecentSignIn } = session
  const scopes = mustChangePassword ? new Set<never>() : scopesOfRole[role]
  return { kind: 'session', id, label: email, userId, organizationId, role, scopes, isRecentSignIn }
}
