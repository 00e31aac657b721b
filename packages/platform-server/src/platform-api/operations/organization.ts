import { changesBetween, writeAudit } from '../../audit/write-audit.ts'
import { findVersionedOrganization, renameOrganization } from '../../records/organizations.ts'
import { answer, assertMatch } from '../operation-response.ts'
import type { OperationContext } from '../operation-context.ts'
import type { Handlers } from '../platform-call.ts'
import { present } from '../assert-exists.ts'

/** The operations on the organization of the caller. */
export function organizationOperations({
  db,
}: Pick<OperationContext, 'db'>): Pick<Handlers, 'getOrganization' | 'updateOrganization'> {
  return {
    async getOrganization({ identity }) {
      const { organization, version } = present(await findVersionedOrganization(db, identity.organizationId))
      return answer(organization, { etag: version })
    },

    async updateOrganization(call) {
      const { identity, body, ifMatch } = call
      return db.transaction().execute(async (transaction) => {
        const options = { forUpdate: true }
        const found = await findVersionedOrganization(transaction, identity.organizationId, options)
        const { organization: before, version } = present(found)
        assertMatch(ifMatch, version)
        const after = { ...before, name: body.name ?? before.name }
        if (after.name === before.name) return answer(before, { etag: version })
        await renameOrganization(transaction, before.id, after.name)
        await writeAudit(transaction, call, {
          action: 'organization.update',
          object: { kind: 'organization', id: before.id, name: after.name },
          changes: changesBetween(before, after),
        })
        return answer(after, { etag: version + 1 })
      })
    },
  }
}
