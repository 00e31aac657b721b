import type { components } from '@fairlead/platform-client'

/** A role of a member. */
export type Role = components['schemas']['Role']

/** What roles may do, in one sentence. */
export const roleHint =
  'An admin may do everything but change the owner, an editor changes projects, nodes and credentials, a viewer reads.'

/** Roles that somebody can be invited to. */
export const invitedRoles: readonly ['editor', 'viewer', 'admin'] = ['editor', 'viewer', 'admin']

/**
 * The roles that a caller may give somebody.
 *
 * @param own - role of the caller
 */
export function givenRoles(own: Role): readonly [Role, ...Role[]] {
  return own === 'owner' ? ['viewer', 'editor', 'admin', 'owner'] : ['viewer', 'editor', 'admin']
}

/**
 * Tells whether a caller may change a member.
 *
 * @param own - role of the caller
 * @param theirs - role of the member
 */
export function mayChange(own: Role, theirs: Role): boolean {
  return own === 'owner' || (own === 'admin' && theirs !== 'owner')
}
