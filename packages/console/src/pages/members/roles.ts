import type { components } from '@fairlead/platform-client'

/** A role of a member. */
export type Role = components['schemas']['Role']

/** The permissions of the roles, in one sentence. */
export const roleHint =
  'Admins manage everything except the owner. Editors manage projects, nodes and credentials. Viewers have read-only access.'

/** Roles that an invitation can have. */
export const invitedRoles: readonly ['editor', 'viewer', 'admin'] = ['editor', 'viewer', 'admin']

/**
 * The roles that a caller can assign.
 *
 * @param ownRole - role of the caller
 */
export function assignableRoles(ownRole: Role): readonly [Role, ...Role[]] {
  return ownRole === 'owner' ? ['viewer', 'editor', 'admin', 'owner'] : ['viewer', 'editor', 'admin']
}

/**
 * Returns whether a caller can change a member.
 *
 * @param ownRole - role of the caller
 * @param memberRole - role of the member
 */
export function canChange(ownRole: Role, memberRole: Role): boolean {
  return ownRole === 'owner' || (ownRole === 'admin' && memberRole !== 'owner')
}
