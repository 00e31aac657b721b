import { type Kysely, sql } from 'kysely'
import type { Identity, Origin } from '../identity/identity.ts'
import type { Database } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'

/** An audited action, as `<kind of object>.<action>`. */
export type AuditAction =
  | 'organization.update'
  | `member.${'update' | 'delete'}`
  | `invitation.${'create' | 'delete' | 'accept'}`
  | `session.${'create' | 'delete' | 'fail'}`
  | 'password.change'
  | `api_key.${'create' | 'update' | 'rotate' | 'revoke'}`
  | `${'project' | 'node' | 'access_rule'}.${'create' | 'update' | 'delete'}`
  | `credential.${'create' | 'update' | 'rotate' | 'reveal' | 'revoke'}`
  | 'limits.update'
  | `webhook.${'create' | 'update' | 'delete' | 'rotate' | 'test' | 'resend'}`

/** Author of an action: a call of the platform API, or a substitute where no caller is authenticated. */
export interface AuditAuthor {
  readonly identity: Pick<Identity, 'id' | 'label' | 'userId' | 'organizationId'> & {
    /** `system` is the gateway itself. */
    readonly kind: Identity['kind'] | 'system'
  }
  /** Omitted for actions of the gateway itself. */
  readonly origin?: Origin | undefined
}

/** Values by field name as the platform API returns them; never a secret. */
export type Changes = Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>

/** One action for the audit log. */
export interface AuditEntry {
  readonly action: AuditAction
  readonly object: { readonly kind: string; readonly id: string; readonly name?: string | undefined }
  readonly changes?: Changes | undefined
}

/** Writes an audit log entry. Call it in the transaction of the change, so that both commit together. */
export async function writeAudit(
  transaction: Kysely<Database>,
  { identity, origin }: AuditAuthor,
  { action, object, changes = {} }: AuditEntry,
): Promise<void> {
  await insertWithId('auditEntry', (id) =>
    transaction
      .insertInto('audit_log')
      .values({
        id,
        organization_id: identity.organizationId,
        action,
        ...actorOf(identity),
        object_kind: object.kind,
        object_id: object.id,
        object_name: object.name ?? null,
        changes: sql<string>`cast(${JSON.stringify(changes)}::text as jsonb)`,
        ip: origin?.ip ?? null,
        user_agent: origin?.userAgent ?? null,
        request_id: origin?.requestId ?? null,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst(),
  )
}

/**
 * Returns the differences between two states of an object, by field name.
 *
 * @param before - undefined for a created object
 * @param after - undefined for a deleted object
 */
export function changesBetween(before: object | undefined, after: object | undefined): Changes {
  const [previous, next] = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after ?? {}))]
  const names = [...new Set([...previous.keys(), ...next.keys()])]
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(previous.get(name)) !== JSON.stringify(next.get(name)))
      .map((name) => [name, { before: previous.get(name) ?? null, after: next.get(name) ?? null }]),
  )
}

// The actor of a session is its user; the actor of an API key is the key, not its creator.
function actorOf({ kind, id, userId, label }: AuditAuthor['identity']) {
  if (kind === 'system') return { actor_kind: kind, actor_id: null, actor_label: label } as const
  if (kind === 'key') return { actor_kind: kind, actor_id: id, actor_label: label } as const
  return { actor_kind: 'user', actor_id: userId, actor_label: label } as const
}
