import { changesBetween, writeAudit } from '../../audit/write-audit.ts'
import { findVersionedOrganization, renameOrganization } from '../../records/organizations.ts'
import { createResponse, assertMatch } from '../operation-response.ts'
import type { OperationContext } from '../operation-context.ts'
import type { Handlers } from '../platform-call.ts'
import { assertExists } from '../assert-exists.ts'

/** The operations on the organization of the caller. */
export function organizationOperations({
  db,
}: Pick<OperationContext, 'db'>): Pick<Handlers, 'getOrganization' | 'updateOrganization'> {
  return {
    async getOrganization({ identity }) {
      const { organization, version } = assertExists(
        await findVersionedOrganization(db, identity.organizationId),
      )
      return createResponse(organization, { etag: version })
    },

    async updateOrganization(call) {
      const { identity, body, ifMatch } = call
      return db.transaction().execute(async (transaction) => {
        const options = { forUpdate: true }
        const found = await findVersionedOrganization(transaction, identity.organizationId, options)
        const { organization: before, version } = assertExists(found)
        assertMatch(ifMatch, version)
        const after = { ...before, name: body.name ?? before.name }
        if (after.name === before.name) return createResponse(before, { etag: version })
        await renameOrganization(transaction, before.id, after.name)
        await writeAudit(transaction, call, {
          action: 'organization.update',
          object: { kind: 'organization', id: before.id, name: after.name },
          changes: changesBetween(before, after),
        })
        return createResponse(after, { etag: version + 1 })
      })
    },
  }
}
