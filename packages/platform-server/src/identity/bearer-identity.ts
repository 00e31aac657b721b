import type { Kysely } from 'kysely'
import { retryAfterSeconds } from '@fairlead/gateway-core/admission/rejections'
import type { FailedAttemptLimiter } from '@fairlead/gateway-core/authentication/failed-attempts'
import { apiKeyPrefix, equalInConstantTime, sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { PlatformError } from '../platform-api/platform-error.ts'
import { findValidApiKey } from '../records/api-keys.ts'
import type { Database } from '../store/database.ts'
import type { Identity } from './identity.ts'
import type { LookupLimit } from './lookup-limit.ts'
import { effectiveScopes } from './scopes.ts'

const bearer = /^bearer +(.+)$/i

/**
 * Finds the owner of the API key in an Authorization header. Unknown, revoked, expired and malformed keys get the same
 * error, so that the response does not reveal the reason.
 *
 * @param failedAttempts - counts the rejected keys
 * @param address - IP address of the client
 * @throws {@link PlatformError} `not_authenticated`, `authentication_failed`; `throttled` after too many such failures
 */
export async function bearerIdentity(
  {
    db,
    failedAttempts,
    lookups,
  }: {
    readonly db: Kysely<Database>
    readonly failedAttempts: FailedAttemptLimiter | undefined
    readonly lookups: LookupLimit
  },
  authorization: string | undefined,
  address: string,
): Promise<Identity> {
  const key = bearer.exec(authorization?.trim() ?? '')?.[1]
  if (key === undefined) throw new PlatformError('not_authenticated')
  const prefix = apiKeyPrefix(key)
  // Counted before the database is queried.
  const lookupMs = prefix === undefined ? 0 : lookups.take(address, key)
  if (lookupMs > 0) throw throttled(Math.max(lookupMs, failedAttempts?.recordFailure(address) ?? 0))
  const found = prefix === undefined ? undefined : await findValidApiKey(db, prefix)
  if (found === undefined || !equalInConstantTime(found.sha256, sha256Hex(key))) {
    const waitMs = failedAttempts?.recordFailure(address) ?? 0
    throw waitMs === 0 ? new PlatformError('authentication_failed') : throttled(waitMs)
  }
  lookups.succeeded(address, key)
  const { id, organizationId, creatorId, role } = found
  const scopes = effectiveScopes(found.scopes, role)
  const expiresAt = found.expiresAt ?? undefined
  return { kind: 'key', id, label: found.prefix, userId: creatorId, organizationId, role, scopes, expiresAt }
}

function throttled(waitMs: number): PlatformError {
  return new PlatformError('throttled', { headers: { 'retry-after': String(retryAfterSeconds(waitMs)) } })
}
