import { assertMayGive } from '../../identity/key-bounds.ts'
import { changesBetween, writeAudit } from '../../audit/write-audit.ts'
import {
  deleteInvitation,
  findInvitation,
  insertInvitation,
  isInvitationToken,
  listInvitations,
  acceptInvitation,
} from '../../records/invitations.ts'
import { addMembership, insertMember } from '../../records/organizations.ts'
import { findUserByEmail, renameUser, setPassword } from '../../records/users.ts'
import { newSessionToken } from '../../sessions/session-cookie.ts'
import { assertWithinLimits } from '../assert-within-limits.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Body, Handlers } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { assertExists } from '../assert-exists.ts'
import { openSession } from '../sign-in.ts'

/** The operations on invitations. */
export function invitationOperations({
  db,
  passwords,
  organizationLimits,
}: Pick<OperationContext, 'db' | 'passwords' | 'organizationLimits'>): Pick<
  Handlers,
  'listInvitations' | 'createInvitation' | 'deleteInvitation' | 'acceptInvitation'
> {
  return {
    async listInvitations({ identity, query, links }) {
      const { organizationId } = identity
      const { count, invitations } = await listInvitations(db, { organizationId, ...rangeOf(query) })
      return { ...envelope(count, query, links), results: invitations }
    },

    async createInvitation(call) {
      const { identity, body, requestOrigin } = call
      const { organizationId, userId } = identity
      const email = body.email.toLowerCase()
      const { role } = body
      assertMayGive(role, identity)
      const token = newSessionToken()
      return db.transaction().execute(async (transaction) => {
        const user = await findUserByEmail(transaction, email)
        if (user?.isMember === true) throw conflict('The e-mail address belongs to a member.')
        const apiKeyId = identity.kind === 'key' ? identity.id : undefined
        const invitation = { organizationId, inviterId: userId, apiKeyId, email, role, token }
        await assertWithinLimits(transaction, organizationLimits, identity, { maxMembersPerOrganization: 1 })
        const id = await insertInvitation(transaction, invitation)
        if (id === undefined) throw conflict('There is already an invitation for this e-mail address.')
        await writeAudit(transaction, call, {
          action: 'invitation.create',
          object: { kind: 'invitation', id, name: email },
          changes: changesBetween(undefined, { email, role }),
        })
        const record = assertExists(await findInvitation(transaction, organizationId, id))
        return { ...record, token, url: `${requestOrigin.baseUrl}/console/invitation#${token}` }
      })
    },

    async deleteInvitation(call) {
      const { identity, path } = call
      await db.transaction().execute(async (transaction) => {
        const invitation = await findInvitation(transaction, identity.organizationId, path.id)
        if (invitation === undefined) throw new PlatformError('not_found')
        const { id, email, role } = invitation
        if (!(await deleteInvitation(transaction, id))) throw new PlatformError('not_found')
        await writeAudit(transaction, call, {
          action: 'invitation.delete',
          object: { kind: 'invitation', id, name: email },
          changes: changesBetween({ email, role }, undefined),
        })
      })
      return undefined
    },

    async acceptInvitation({ body, origin, requestOrigin }) {
      // Checked first: password hashing is too expensive for invalid tokens.
      if (!(await isInvitationToken(db, body.token))) throw new PlatformError('not_found')
      const hash = await passwords.hash(body.password)
      return db.transaction().execute(async (transaction) => {
        const invitation = await acceptInvitation(transaction, body.token)
        if (invitation === undefined) throw new PlatformError('not_found')
        const { id, organizationId, email, role } = invitation
        const userId = await becomeMember(transaction, invitation, body)
        await setPassword(transaction, userId, { hash, origin: 'user', mustChange: false })
        const user = { id: userId, email, organizationId, role }
        const session = await openSession(transaction, user, { origin, requestOrigin, authenticationAge: 0 })
        await writeAudit(transaction, session.author, {
          action: 'invitation.accept',
          object: { kind: 'invitation', id, name: email },
          changes: changesBetween(undefined, { email, role }),
        })
        return session.response
      })
    },
  }
}

async function becomeMember(
  db: OperationContext['db'],
  { organizationId, email, role }: NonNullable<Awaited<ReturnType<typeof acceptInvitation>>>,
  { first_name: firstName, last_name: lastName }: Body<'acceptInvitation'>,
): Promise<string> {
  const user = await findUserByEmail(db, email)
  if (user === undefined) {
    return insertMember(db, { organizationId, role, user: { email, firstName, lastName } })
  }
  // The user joined by another invitation: this invitation must not replace the user's password.
  if (user.isMember) throw conflict('The e-mail address belongs to a member.')
  await renameUser(db, user.id, { firstName, lastName })
  await addMembership(db, { organizationId, userId: user.id, role })
  return user.id
}

function conflict(message: string): PlatformError {
  return new PlatformError('conflict', { message })
}
