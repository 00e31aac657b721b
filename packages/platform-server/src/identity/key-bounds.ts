import { PlatformError } from '../platform-api/platform-error.ts'
import type { Identity } from './identity.ts'
import type { Role } from './role.ts'
import { scopesOfRole } from './scopes.ts'

// What a key creates or changes gives no access beyond the scopes and the expiry of the key.

/**
 * Asserts that a role has no scope that the caller lacks.
 *
 * @throws {@link PlatformError} `permission_denied`
 */
export function assertMayGive(role: Role, { scopes }: Identity): void {
  const missing = [...scopesOfRole[role]].filter((scope) => !scopes.has(scope))
  if (missing.length === 0) return
  throw new PlatformError('permission_denied', {
    message: `A key cannot give the role ${role}, because it lacks scopes of this role: ${missing.join(', ')}.`,
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
 * Asserts that a key that expires does not receive a new secret for something that expires later.
 *
 * @param rotated - what is rotated, with its expiry; null for no expiry
 * @throws {@link PlatformError} `permission_denied`
 */
export function assertMayRotate(
  identity: Identity,
  { kind, expiresAt }: { readonly kind: 'key' | 'credential'; readonly expiresAt: string | null },
): void {
  if (!expiresBefore(identity, expiresAt)) return
  throw new PlatformError('permission_denied', {
    message: `An expiring key cannot rotate a ${kind} that expires later.`,
  })
}

/** Whether the caller is a key that expires before a given time; null stands for no expiry. */
function expiresBefore({ expiresAt: end }: Identity, expiresAt: string | null): boolean {
  return end !== undefined && (expiresAt === null || Date.parse(expiresAt) > Date.parse(end))
}
