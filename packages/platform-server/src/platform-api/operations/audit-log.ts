import { listAuditLog } from '../../records/audit-log.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers } from '../platform-call.ts'
import { readPeriod } from '../read-period.ts'

/** The operation on the audit log. */
export function auditLogOperations({ db }: Pick<OperationContext, 'db'>): Pick<Handlers, 'listAuditLog'> {
  return {
    async listAuditLog({ identity, query, links }) {
      const { action, actor_id, object_kind, object_id } = query
      const { count, entries } = await listAuditLog(db, {
        organizationId: identity.organizationId,
        filters: { action, actor_id, object_kind, object_id },
        ...readPeriod(query),
        ...rangeOf(query),
      })
      return { ...envelope(count, query, links), results: entries }
    },
  }
}
