import { type Kysely, sql } from 'kysely'
import type { Identity, Origin } from '../identity/identity.ts'
import type { Database } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'

/** What was done to which kind of object. */
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

/** Who did it: a call of the platform API, or what stands in for one where nobody is known yet. */
export interface AuditAuthor {
  readonly identity: Pick<Identity, 'id' | 'label' | 'userId' | 'organizationId'> & {
    /** `system` is the service itself. */
    readonly kind: Identity['kind'] | 'system'
  }
  /** Left out for what the service does by itself. */
  readonly origin?: Origin | undefined
}

/** Values by name as the platform API shows them; never a secret. */
export type Changes = Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>

/** One thing that was done. */
export interface AuditEntry {
  readonly action: AuditAction
  readonly object: { readonly kind: string; readonly id: string; readonly name?: string | undefined }
  readonly changes?: Changes | undefined
}

/** Writes a line into the audit log. Call it in the transaction of the change: there is neither without the other. */
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
 * What differs between two states of an object, by the names of the fields.
 *
 * @param before - undefined for an object that is made
 * @param after - undefined for one that is deleted
 */
export function changesBetween(before: object | undefined, after: object | undefined): Changes {
  const [old, fresh] = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after ?? {}))]
  const names = [...new Set([...old.keys(), ...fresh.keys()])]
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(fresh.get(name)))
      .map((name) => [name, { before: old.get(name) ?? null, after: fresh.get(name) ?? null }]),
  )
}

// A session is its user; a key is itself, whoever made it.
function actorOf({ kind, id, userId, label }: AuditAuthor['identity']) {
  if (kind === 'system') return { actor_kind: kind, actor_id: null, actor_label: label } as const
  if (kind === 'key') return { actor_kind: kind, actor_id: id, actor_label: label } as const
  return { actor_kind: 'user', actor_id: userId, actor_label: label } as const
}
