import type { Role } from './role.ts'

/** All scopes of API keys and sessions. */
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

/** A permission of an API key or a session. */
export type Scope = (typeof allScopes)[number]

/** Scopes of each role. The additional permissions of an owner have no scopes. */
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

/** Returns the scopes of a key that its creator's role still includes. */
export function effectiveScopes(scopes: readonly Scope[], role: Role): ReadonlySet<Scope> {
  return new Set(scopes.filter((scope) => scopesOfRole[role].has(scope)))
}
