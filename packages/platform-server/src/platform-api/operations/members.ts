import { changesBetween, writeAudit } from '../../audit/write-audit.ts'
import type { Identity } from '../../identity/identity.ts'
import { assertMayGive } from '../../identity/key-bounds.ts'
import { assertRecentSignIn } from '../../identity/recent-sign-in.ts'
import { revokeApiKeysOf } from '../../records/api-keys.ts'
import {
  type MemberChange,
  type MemberRecord,
  deleteMember,
  findMember,
  listMembers,
  updateMember,
} from '../../records/members.ts'
import { deleteSessionsOf } from '../../records/sessions.ts'
import { findUserByEmail } from '../../records/users.ts'
import { createResponse, assertMatch } from '../operation-response.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { assertExists } from '../assert-exists.ts'

/** The operations on the members of an organization. */
export function memberOperations({
  db,
}: Pick<OperationContext, 'db'>): Pick<
  Handlers,
  'listMembers' | 'getMember' | 'updateMember' | 'removeMember'
> {
  return {
    async listMembers({ identity, query, links }) {
      const { organizationId } = identity
      const { count, members } = await listMembers(db, { organizationId, ...rangeOf(query) })
      return { ...envelope(count, query, links), results: members }
    },

    async getMember({ identity, path }) {
      const found = await findMember(db, identity.organizationId, path.id)
      if (found === undefined) throw new PlatformError('not_found')
      return createResponse(found.member, { etag: found.version })
    },

    async updateMember(call) {
      const { identity, path, body, ifMatch } = call
      const { organizationId } = identity
      return db.transaction().execute(async (transaction) => {
        const found = await findMember(transaction, organizationId, path.id, { forUpdate: true })
        if (found === undefined) throw new PlatformError('not_found')
        const { member: before, version } = found
        const { role, first_name, last_name, disabled } = body
        const email = body.email?.toLowerCase()
        const isHandover = role === 'owner' && before.role !== 'owner'
        assertMayTouch(identity, before)
        assertMayChange(identity, before, { email, role, disabled })
        assertMatch(ifMatch, version)
        assertPossible(identity, before, body)
        if (email !== undefined && email !== before.email) await assertFree(transaction, email)
        if (isHandover) await demoteOwner(transaction, identity)
        await updateMember(transaction, organizationId, path.id, {
          email,
          role,
          first_name,
          last_name,
          disabled,
        })
        if (disabled === true) await deleteSessionsOf(transaction, path.id)
        const { member: after } = assertExists(await findMember(transaction, organizationId, path.id))
        await writeAudit(transaction, call, {
          action: 'member.update',
          object: { kind: 'member', id: path.id, name: after.email },
          changes: changesBetween(auditedFields(before), auditedFields(after)),
        })
        if (isHandover) {
          await writeAudit(transaction, call, {
            action: 'member.update',
            object: { kind: 'member', id: identity.userId },
            changes: changesBetween({ role: 'owner' }, { role: 'admin' }),
          })
        }
        return createResponse(after, { etag: version + 1 })
      })
    },

    async removeMember(call) {
      const { identity, path, ifMatch } = call
      const { organizationId } = identity
      await db.transaction().execute(async (transaction) => {
        const found = await findMember(transaction, organizationId, path.id, { forUpdate: true })
        if (found === undefined) throw new PlatformError('not_found')
        const { member, version } = found
        assertMayTouch(identity, member)
        assertMatch(ifMatch, version)
        if (member.role === 'owner') throw conflict('The owner cannot be removed.')
        if (member.id === identity.userId) throw conflict('You cannot remove yourself.')
        await deleteSessionsOf(transaction, member.id)
        await revokeApiKeysOf(transaction, member.id)
        await deleteMember(transaction, organizationId, member.id)
        await writeAudit(transaction, call, {
          action: 'member.delete',
          object: { kind: 'member', id: member.id, name: member.email },
          changes: changesBetween(auditedFields(member), undefined),
        })
      })
      return undefined
    },
  }
}

function assertMayTouch(identity: Identity, member: MemberRecord): void {
  if (member.role === 'owner' && identity.role !== 'owner') {
    throw new PlatformError('permission_denied', { message: 'Only the owner can change the owner.' })
  }
}

function assertMayChange(
  identity: Identity,
  member: MemberRecord,
  { email, role, disabled }: MemberChange,
): void {
  if (role === 'owner' && identity.role !== 'owner') {
    throw new PlatformError('permission_denied', {
      message: 'Only the owner can make another member the owner.',
    })
  }
  if (role === 'owner' && member.role !== 'owner') {
    assertRecentSignIn(identity, 'transfer the ownership of an organization')
  }
  // An identity provider identifies members by their e-mail addresses.
  if (email !== undefined && email !== member.email) {
    assertRecentSignIn(identity, 'change the e-mail address of a member')
  }
  const isRoleGiven = role !== undefined && role !== member.role
  const isEnabled = disabled === false && member.disabled
  if (isRoleGiven || isEnabled) {
    assertMayGive(role ?? member.role, identity, isEnabled ? undefined : member.role)
  }
}

function assertPossible(identity: Identity, member: MemberRecord, { role, disabled }: MemberChange): void {
  if (member.role === 'owner' && role !== undefined && role !== 'owner') {
    throw conflict('To change the role of the owner, make another member the owner.')
  }
  if (disabled === true && member.role === 'owner') throw conflict('The owner cannot be disabled.')
  if (disabled === true && member.id === identity.userId) throw conflict('You cannot disable yourself.')
  if (role === 'owner' && (disabled ?? member.disabled))
    throw conflict('A disabled member cannot be the owner.')
}

/** Makes the owner an admin. Of two concurrent transfers of ownership, the second one fails. */
async function demoteOwner(db: OperationContext['db'], { organizationId, userId }: Identity): Promise<void> {
  const self = await findMember(db, organizationId, userId, { forUpdate: true })
  if (self?.member.role !== 'owner') throw conflict('The owner has changed in the meantime. Try again.')
  await updateMember(db, organizationId, userId, { role: 'admin' })
}

async function assertFree(db: OperationContext['db'], email: string): Promise<void> {
  if ((await findUserByEmail(db, email)) !== undefined)
    throw conflict('The e-mail address belongs to another user.')
}

function conflict(message: string): PlatformError {
  return new PlatformError('conflict', { message })
}

// The fields of a member in the audit log.
function auditedFields({ email, first_name, last_name, role, disabled }: MemberRecord) {
  return { email, first_name, last_name, role, disabled }
}
