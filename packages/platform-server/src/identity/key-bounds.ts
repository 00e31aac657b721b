import { PlatformError } from '../platform-api/platform-error.ts'
import type { Identity } from './identity.ts'
import type { Role } from './role.ts'
import { type Scope, scopesOfRole } from './scopes.ts'

// What a key creates or changes gives no access beyond the scopes and the expiry of the key.

/**
 * Asserts that a role has no scope that the caller lacks, and that the caller is no key that expires: a membership has
 * no end. Such a key may only lower the role of a member.
 *
 * @param former - role that the member has before; undefined for a person without access
 * @throws {@link PlatformError} `permission_denied`
 */
export function assertMayGive(role: Role, { scopes, expiresAt }: Identity, former?: Role): void {
  const missing = [...scopesOfRole[role]].filter((scope) => !scopes.has(scope))
  if (missing.length > 0) {
    throw new PlatformError('permission_denied', {
      message: `A key cannot give the role ${role}, because it lacks scopes of this role: ${missing.join(', ')}.`,
    })
  }
  const before: ReadonlySet<Scope> = former === undefined ? new Set() : scopesOfRole[former]
  const isRaised = [...scopesOfRole[role]].some((scope) => !before.has(scope))
  if (expiresAt === undefined || !isRaised) return
  throw new PlatformError('permission_denied', {
    message: `A key that expires cannot give the role ${role}, because a membership has no end. Use a session or a key without expiry.`,
  })
}

/**
 * Asserts that a key that expires does not set a later expiry, neither of itself nor of other credentials.
 *
 * @param expiresAt - null for no expiry
 * @throws {@link PlatformError} `invalid`
 */
export function assertExpiryOf(identity: Identity, expiresAt: string | null): void {
  if (!expiresBefore(identity, expiresAt)) return
  throw new PlatformError('invalid', {
    fields: { expires_at: ['Must not be later than the expiration of the key that makes the request.'] },
  })
}

/**
 * Asserts that a key that expires does not extend the access of something that expires later: gets no secret of it and
 * adds no scopes to it.
 *
 * @param change - completes "A key that expires cannot …"
 * @param expiresAt - expiry of the key or credential; null for no expiry
 * @throws {@link PlatformError} `permission_denied`
 */
export function assertEndsWith(identity: Identity, change: string, expiresAt: string | null): void {
  if (!expiresBefore(identity, expiresAt)) return
  throw new PlatformError('permission_denied', {
    message: `A key that expires cannot ${change} that expires later or never. Use a session or a key without expiry.`,
  })
}

/** Whether the caller is a key that expires before a given time; null stands for no expiry. */
function expiresBefore({ expiresAt: end }: Identity, expiresAt: string | null): boolean {
  return end !== undefined && (expiresAt === null || Date.parse(expiresAt) > Date.parse(end))
}
