import type { Role } from './role.ts'

/** Everything that an API key or a session may be allowed to do. */
export const allScopes = [
  'org:read',
  'org:write',
  'members:read',
  'members:write',
  'keys:read',
  'keys:write',
  'projects:read',
  'projects:write',
  'nodes:read',
  'nodes:write',
  'credentials:read',
  'credentials:write',
  'usage:read',
  'audit:read',
  'webhooks:read',
  'webhooks:write',
] as const

/** One thing that an API key or a session may be allowed to do. */
export type Scope = (typeof allScopes)[number]

/** What members of each role may do. What an owner may do beyond an admin has no scope of its own. */
export const scopesOfRole: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set(allScopes),
  admin: new Set(allScopes),
  editor: new Set<Scope>([
    'org:read',
    'members:read',
    'keys:read',
    'keys:write',
    'projects:read',
    'projects:write',
    'nodes:read',
    'nodes:write',
    'credentials:read',
    'credentials:write',
    'usage:read',
  ]),
  viewer: new Set<Scope>([
    'org:read',
    'members:read',
    'projects:read',
    'nodes:read',
    'credentials:read',
    'usage:read',
  ]),
}

/** Those of a key's scopes that the role of its creator still has. */
export function scopesInForce(scopes: readonly Scope[], role: Role): ReadonlySet<Scope> {
  return new Set(scopes.filter((scope) => scopesOfRole[role].has(scope)))
}
